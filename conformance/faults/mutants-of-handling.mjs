/**
 * Mistakes between memory and handlers: what runs when, and what is remembered of it.
 * @typedef {import('./mutants.mjs').Mutant} Mutant
 */

const CREATE = 'create with retries and steps'
const UPDATE = 'update in the middle of progress'
const DELETE = 'deletion with finalizers'
const DAEMONS = 'daemons and timers'
const INDICES = 'indices over relists'

/** @type {readonly Mutant[]} */
export const HANDLING = [
  {
    name: 'requeue-lost-on-status-write',
    flaw: 'after a write nothing reminds of the retry that is due later',
    edits: [
      {
        module: 'operator/dist/cycle.js',
        from: 'return sooner(next, records.nextDue(deps.runtime.clock.now()));',
        to: 'return next;',
      },
    ],
    scenario: CREATE,
    fault: 'none',
  },
  {
    name: 'progress-before-run',
    flaw: 'a handler counts as done before it has run, and a crash in between loses it',
    edits: [
      {
        module: 'operator/dist/cycle.js',
        from: 'const change = await runHandlers(deps, seen, selected, records);',
        to: `const early = recordsOf(deps, seen, selected);
    for (const { id } of selected)
        if (!early.isFinished(id)) early.set(id, { ...early.get(id), success: true });
    if (early.attempted.length > 0) await applyIntention(deps.apply(memory), seen.body, intentionOf({ ...seen, change: NO_CHANGE, records: early, ids: handlers.map(({ id }) => id), needed, blocked: true, condition: undefined, now: deps.runtime.clock.now() }, deps.storages), deps.lastCall);
    const change = await runHandlers(deps, seen, selected, records);`,
      },
    ],
    scenario: CREATE,
    fault: 'crash-before-response',
  },
  {
    name: 'progress-before-status',
    flaw: 'a handler counts as done before what it wrote has arrived',
    edits: [
      {
        module: 'operator/dist/outcome/apply.js',
        from: 'if (status.length > 0 && !arrived.status) {',
        to: `if (object.length > 0 && status.length > 0) {
        latest = await request(deps, body, object, 'object', signal);
        arrived.any = true;
        await request(deps, body, status.filter(({ path }) => path !== '/metadata/resourceVersion'), 'status', signal);
        return latest;
    }
    if (status.length > 0 && !arrived.status) {`,
      },
    ],
    scenario: DELETE,
    fault: 'crash-after-write',
  },
  {
    name: 'progress-not-kept',
    flaw: 'handlers that have ended are run again after a restart amid the others',
    edits: [
      {
        module: 'operator/dist/progress/records.js',
        from: 'if (record.retries > 0 || this.#touched.has(id))',
        to: 'if (!isFinished(record) && (record.retries > 0 || this.#touched.has(id)))',
      },
    ],
    scenario: CREATE,
    fault: 'none',
  },
  {
    name: 'restart-is-creation',
    flaw: 'after a restart everything that exists is taken for new',
    edits: [
      {
        module: 'operator/dist/cause/detect.js',
        from: "if (!observed.known)\n        return { reason: 'create' };",
        to: "if (!observed.known || observed.initial)\n        return { reason: 'create' };",
      },
    ],
    scenario: CREATE,
    fault: 'terminated',
  },
  {
    name: 'change-amid-progress-ignored',
    flaw: 'a change that comes while a creation is being handled is never handled',
    edits: [
      {
        module: 'operator/dist/progress/progress.js',
        from: 'return isFinished(record) ? begin(purpose, now) : { ...record, essence: purpose.essence };',
        to: 'return record;',
      },
    ],
    scenario: UPDATE,
    fault: 'none',
  },
  {
    name: 'wait-ignores-stop',
    flaw: 'a daemon that waits is not woken when its object goes',
    edits: [
      {
        module: 'operator/dist/spawn/stop-control.js',
        from: 'this.#stopped?.abort(this.#reason);\n        this.#wakeAll();',
        to: 'this.#stopped?.abort(this.#reason);',
      },
    ],
    scenario: DAEMONS,
    fault: 'none',
  },
  {
    name: 'daemon-outlives-object',
    flaw: 'a daemon is not asked to stop when its object is deleted',
    edits: [
      { module: 'operator/dist/spawn/spawner.js', from: "if (order.order === 'stop')", to: 'if (false)' },
      {
        module: 'operator/dist/spawn/spawner.js',
        from: 'if (!memory.exists || isDeleting(memory))',
        to: 'if (false)',
      },
    ],
    scenario: DAEMONS,
    fault: 'none',
  },
  {
    name: 'held-for-daemons-only',
    flaw: 'an object is held for its daemons, and not for its delete handlers',
    edits: [
      {
        module: 'operator/dist/cycle.js',
        from: 'const needed = mustBeHeld(handlers, seen.subject) || company.needed;',
        to: 'const needed = company.needed;',
      },
    ],
    scenario: DELETE,
    fault: 'crash-on-event',
  },
  {
    name: 'failed-cycle-forgotten',
    flaw: 'an object whose handling has failed is not looked at again',
    edits: [
      {
        module: 'operator/dist/intake/intake.js',
        from: 'this.#queue.addAfter(memory.uid, delay);',
        to: ';',
      },
    ],
    scenario: CREATE,
    fault: 'too-large',
  },
  {
    name: 'index-keeps-the-dead',
    flaw: 'an object that is gone stays in the indices',
    edits: [
      {
        module: 'operator/dist/index/indexing.js',
        from: 'store.drop(uid);\n            excluded.get(uid)?.clear();',
        to: 'excluded.get(uid)?.clear();',
      },
    ],
    scenario: INDICES,
    fault: 'none',
  },
  {
    name: 'gate-left-open',
    flaw: 'handlers run before the indices that they read are filled',
    edits: [
      {
        module: 'operator/dist/cycle.js',
        from: "if (opened)\n        return { again: 'when indexed', opened };",
        to: '',
      },
    ],
    scenario: INDICES,
    fault: 'watch-refused',
  },
]
