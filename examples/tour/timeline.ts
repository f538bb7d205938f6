import type { Observer, Run, Write } from 'binnacle'

export interface TimelineOptions {
  readonly write: (line: string) => void
  readonly color: boolean
  /** Seconds since the beginning. */
  readonly elapsed: () => number
}

const COLORS = { cluster: 34, you: 35, saw: 36, did: 32, wrote: 33, failed: 31, dim: 90 } as const
type Who = Exclude<keyof typeof COLORS, 'dim'>
const WIDEST = 7

/** Shows what happens, as it happens, one line each: who, what, and to which object. */
export class Timeline implements Observer {
  readonly #options: TimelineOptions
  readonly #begun = new Map<string, number>()

  constructor(options: TimelineOptions) {
    this.#options = options
  }

  note(who: Who, text: string): void {
    const time = this.#paint('dim', `${this.#options.elapsed().toFixed(3).padStart(8)} s`)
    this.#options.write(`${time}  ${this.#paint(who, who.padEnd(WIDEST))}  ${text}`)
  }

  run(run: Run): void {
    const call = `${run.uid} ${run.handler}`
    if (run.outcome === 'running') {
      this.#begun.set(call, this.#options.elapsed())
      this.note('saw', `${run.cause} of ${run.object}: handler ${run.handler} is called`)
      return
    }
    const took = Math.round((this.#options.elapsed() - (this.#begun.get(call) ?? 0)) * 1000)
    const error = run.error === undefined ? '' : `: ${String(run.error)}`
    const who = run.outcome === 'success' ? 'did' : 'failed'
    this.note(who, `handler ${run.handler} of ${run.object}: ${run.outcome} in ${took} ms${error}`)
  }

  write(write: Write): void {
    for (const { path, ...operation } of write.operations) {
      const keys = path
        .slice(1)
        .split('/')
        .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
      const lines = 'value' in operation ? leaves(keys, operation.value) : [`${keys.join('.')} removed`]
      for (const line of lines) this.note('wrote', `${write.object}: ${line}`)
    }
  }

  #paint(color: keyof typeof COLORS, text: string): string {
    return this.#options.color ? `\u001b[${COLORS[color]}m${text}\u001b[0m` : text
  }
}

/** One line for each field of a value. What the operator keeps for itself is named, not shown. */
function leaves(keys: readonly string[], value: unknown): string[] {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return Object.entries(value).flatMap(([key, member]) => leaves([...keys, key], member))
  }
  const last = keys.at(-1) ?? ''
  if (last.includes('.binnacle.dev/')) return [`(its own note: ${last.split('/')[1]})`]
  return [`${keys.join('.')} = ${JSON.stringify(value)}`]
}
