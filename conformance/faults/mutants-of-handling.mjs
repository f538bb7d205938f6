/**
 * Mistakes on the way from memory through handlers back to the server: the operator.
 * @typedef {import('./mutants.mjs').Mutant} Mutant
 */

const CREATE = 'create with retries and steps'
const UPDATE = 'update in the middle of progress'
const DELETE = 'deletion with finalizers'
const DAEMONS = 'daemons and timers'
const INDICES = 'indices over relists'
const NEIGHBOURS = 'two operators on one kind'

/** @type {readonly Mutant[]} */
export const HANDLING = [
  {
    name: 'preconditions-removed',
    flaw: 'what another operator has written meanwhile is overwritten',
    edits: [
      {
        module: 'operator/dist/outcome/plan.js',
        from: '[...guards, ...operations.flatMap(safeAdd)]',
        to: 'operations',
      },
    ],
    scenario: NEIGHBOURS,
    fault: 'event-late',
  },
  {
    name: 'conflict-swallowed',
    flaw: 'a write that was refused with 409 counts as done',
    edits: [
      {
        module: 'operator/dist/outcome/apply.js',
        from: 'if (error instanceof NotFoundError)\n                return undefined;',
        to: 'if (error instanceof NotFoundError || isStale(error))\n                return undefined;',
      },
    ],
    scenario: CREATE,
    fault: 'conflict',
  },
  {
    name: 'unanswered-write-given-up',
    flaw: 'handlers run again because the line was away when their work was to be written down',
    edits: [
      {
        module: 'operator/dist/outcome/apply.js',
        from: 'if (refusals >= deps.tries ||',
        to: 'if (attempt + 1 >= deps.tries ||',
      },
    ],
    scenario: CREATE,
    fault: 'partition-on-event',
  },
  {
    name: 'own-write-not-awaited',
    flaw: 'a cycle acts on a state from before its own last write',
    edits: [
      { module: 'operator/dist/gate/consistent.js', from: 'if (!awaited)\n        return false;', to: 'return false;' },
    ],
    scenario: CREATE,
    fault: 'event-late',
  },
  {
    name: 'version-check-skipped',
    flaw: 'an older state that arrives late replaces a newer one',
    edits: [
      {
        module: 'operator/dist/gate/consistent.js',
        from: 'if (!floor || now > floor.until)\n        return false;',
        to: 'return false;',
      },
    ],
    scenario: NEIGHBOURS,
    fault: 'event-late',
  },
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
    name: 'finalizer-released-early',
    flaw: 'an object goes while its delete handlers still have to be retried',
    edits: [
      {
        module: 'operator/dist/outcome/finalizer.js',
        from: "return held && (done || !needed) ? 'release' : 'leave';",
        to: "return held ? 'release' : 'leave';",
      },
    ],
    scenario: DELETE,
    fault: 'crash',
  },
  {
    name: 'finalizer-not-held',
    flaw: 'handlers run before the object is held, so a deletion while nobody looks is lost',
    edits: [
      {
        module: 'operator/dist/cycle.js',
        from: 'const mustHold = needed && !seen.held && !seen.deleting;',
        to: 'const mustHold = false;',
      },
      {
        module: 'operator/dist/outcome/finalizer.js',
        from: "return held ? 'leave' : 'hold';",
        to: "return 'leave';",
      },
    ],
    scenario: DELETE,
    fault: 'crash-on-event',
  },
  {
    name: 'finalizer-never-released',
    flaw: 'an object that was cleaned up stays for ever',
    edits: [
      {
        module: 'operator/dist/outcome/finalizer.js',
        from: "return held && (done || !needed) ? 'release' : 'leave';",
        to: "return 'leave';",
      },
    ],
    scenario: DELETE,
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
    name: 'refusal-is-final',
    flaw: 'a server that is busy for a moment makes a write be given up',
    edits: [
      {
        module: 'operator/dist/intake/intake.js',
        from: 'this.#queue.addAfter(memory.uid, delay);',
        to: 'this.#memories.forget(memory.uid);',
      },
      {
        module: 'operator/dist/outcome/apply.js',
        from: 'if (refusals >= deps.tries || !isWorthAnotherTry(error))',
        to: 'if (true)',
      },
    ],
    scenario: UPDATE,
    fault: 'internal-error',
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
  {
    name: 'released-handled-again',
    flaw: 'a state from before the release makes the deletion be handled anew',
    edits: [
      {
        module: 'operator/dist/cycle.js',
        from: 'if (memory.released && seen.held)\n        return ON_CHANGE;',
        to: '',
      },
    ],
    scenario: DELETE,
    fault: 'event-late',
  },
]
