/**
 * Mistakes on the way from the server into memory: client and cache.
 * @typedef {import('./mutants.mjs').Mutant} Mutant
 */

const CREATE = 'create with retries and steps'
const INDICES = 'indices over relists'
const RECREATED = 'recreated under the same name'

/** @type {readonly Mutant[]} */
export const WATCHING = [
  {
    name: 'tombstones-dropped',
    flaw: 'what vanished while the watch was down is never noticed',
    edits: [{ module: 'cache/dist/informer/apply.js', from: 'gone.push(vanished(key, object));', to: ';' }],
    scenario: INDICES,
    fault: 'watch-forgets',
  },
  {
    name: 'keyed-by-name',
    flaw: 'an object that was deleted and made anew is taken for the one before',
    edits: [
      {
        module: 'cache/dist/informer/change.js',
        from: 'return before !== undefined && now !== undefined && before !== now;',
        to: 'return false;',
      },
      {
        module: 'operator/dist/intake/intake.js',
        from: 'if (old.metadata.uid !== object.metadata.uid) {',
        to: 'if (false) {',
      },
    ],
    scenario: RECREATED,
    fault: 'watch-forgets',
  },
  {
    name: 'expiry-in-stream-ignored',
    flaw: 'a 410 within a watch makes it watch on from the version that is gone',
    edits: [
      {
        module: 'cache/dist/reflector/step.js',
        from: 'return soon(relist(state, state.from), now);',
        to: 'return later(state, now);',
      },
    ],
    scenario: CREATE,
    fault: 'watch-forgets',
  },
  {
    name: 'silence-unnoticed',
    flaw: 'a watch whose connection is dead stays open for ever',
    edits: [{ module: 'client/dist/watchdog.js', from: 'if (Number.isFinite(limit))', to: 'if (false)' }],
    scenario: CREATE,
    fault: 'watch-silent',
  },
  {
    name: 'watchdog-left-behind',
    flaw: 'what guards a stream goes on sleeping when the stream has ended, and keeps the process from ending',
    edits: [
      {
        module: 'client/dist/watchdog.js',
        from: 'await this.#clock.sleep(this.#limit - waited, this.#controller.signal);',
        to: 'await this.#clock.sleep(this.#limit - waited);',
      },
    ],
    scenario: CREATE,
    fault: 'watch-ends',
  },
  {
    name: 'request-without-deadline',
    flaw: 'a request that nobody answers is waited for without end',
    edits: [{ module: 'client/dist/exchange.js', from: 'Number.isFinite(limit) ?', to: 'false ?' }],
    scenario: CREATE,
    fault: 'half-open',
  },
  {
    name: 'initial-list-without-guard',
    flaw: 'a streamed list whose end never comes is waited for without end',
    edits: [{ module: 'cache/dist/reflector/reflector.js', from: 'progress.silent = true;', to: 'continue;' }],
    scenario: CREATE,
    fault: 'initial-events-never-end',
  },
  {
    name: 'garbled-event-skipped',
    flaw: 'an event that cannot be read is left out as if it had never been',
    edits: [
      {
        module: 'client/dist/watch.js',
        from: 'throw damaged(error);',
        to: "return { type: 'BLANK' };",
      },
    ],
    scenario: INDICES,
    fault: 'event-garbled',
  },
]
