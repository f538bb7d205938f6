import type { ListerWatcher } from '@binnacle/cache'
import { abortable, linkedController, type WatchEvent, type WatchOptions } from '@binnacle/core'
import { signalForMany } from '../signal-for-many.ts'

/** Whether the world is looked at. Everybody who asks it waits while it is not. */
export class PauseSwitch {
  #pausing = new AbortController()
  #opened: Promise<void> | undefined
  #open: () => void = () => {}

  get paused(): boolean {
    return this.#opened !== undefined
  }

  /** Aborts at the next pause. */
  get pausing(): AbortSignal {
    return signalForMany(this.#pausing.signal)
  }

  pause(): void {
    this.#opened ??= new Promise((resolve) => {
      this.#open = resolve
    })
    this.#pausing.abort(new DOMException('The operator is paused', 'AbortError'))
  }

  resume(): void {
    this.#pausing = new AbortController()
    this.#opened = undefined
    this.#open()
  }

  /** Resolves at once while there is no pause, and otherwise at its end; rejects with the reason of the signal. */
  async whenOpen(signal: AbortSignal | undefined): Promise<void> {
    while (this.#opened) await abortable(this.#opened, signal)
  }
}

/**
 * A lister-watcher that asks the server nothing while paused.
 * Guarantees: a pause ends the watch that is open, as a server would that has had enough of it, so that the next one goes on at the version that was
 * reached: whatever happened during the pause, deletions included, is told after it.
 */
export function pausable<T>(inner: ListerWatcher<T>, pause: PauseSwitch): ListerWatcher<T> {
  return {
    watchList: inner.watchList,
    async list(options) {
      await pause.whenOpen(options.signal)
      return inner.list(options)
    },
    watch: (options) => watched(inner, pause, options),
  }
}

async function* watched<T>(
  inner: ListerWatcher<T>,
  pause: PauseSwitch,
  options: WatchOptions,
): AsyncGenerator<WatchEvent<T>> {
  await pause.whenOpen(options.signal)
  const { pausing } = pause
  using link = linkedController(options.signal, pausing)
  try {
    yield* inner.watch({ ...options, signal: link.signal })
  } catch (error) {
    if (!pausing.aborted || options.signal?.aborted) throw error
  }
}
