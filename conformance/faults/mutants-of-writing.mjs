/**
 * Mistakes on the way back to the server: what is written, guarded, held and released.
 * @typedef {import('./mutants.mjs').Mutant} Mutant
 */

const CREATE = 'create with retries and steps'
const UPDATE = 'update in the middle of progress'
const DELETE = 'deletion with finalizers'
const NEIGHBOURS = 'two operators on one kind'

/** @type {readonly Mutant[]} */
export const WRITING = [
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
