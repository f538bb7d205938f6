/**
 * Somebody else's program in a process of its own, heard line by line.
 * Guarantees: it is stopped on disposal, killed if it does not heed that, and killed when this process ends in whatever way a process can notice.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'

/** Others share the machine, and a wait that ends early costs nothing. */
const PATIENCE_MS = 60_000
const FAREWELL_MS = 20_000

/** What a program prints: a line of JSON. */
export type Line = Readonly<Record<string, unknown>>

export interface ProgramOptions {
  readonly env?: NodeJS.ProcessEnv
  readonly cwd?: string
}

export class Program implements AsyncDisposable {
  readonly #child: ChildProcess
  readonly #ended: Promise<number | null>
  readonly #text: string[] = []
  readonly #streams = { out: '', error: '' }
  readonly #wakers = new Set<() => void>()
  readonly #kill = () => this.#child.kill('SIGKILL')
  #code: number | null | undefined

  /** Every line of JSON so far. */
  readonly lines: Line[] = []

  constructor(command: string, args: readonly string[], { env = {}, cwd }: ProgramOptions = {}) {
    this.#child = spawn(command, args, { env: { ...process.env, ...env }, ...(cwd && { cwd }), stdio: 'pipe' })
    process.once('exit', this.#kill)
    this.#follow(this.#child.stdout, 'out')
    this.#follow(this.#child.stderr, 'error')
    this.#ended = new Promise((resolve, reject) => {
      this.#child.once('error', reject)
      this.#child.once('close', (code) => resolve(code))
    })
    this.#ended.catch(() => {})
    void this.#ended.then(
      (code) => this.#end(code),
      () => this.#end(null),
    )
  }

  #follow(stream: Readable | null, name: 'out' | 'error'): void {
    if (stream === null) return
    stream.setEncoding('utf8').on('data', (chunk) => {
      this.#streams[name] += chunk
    })
    createInterface({ input: stream }).on('line', (line) => this.#hear(line))
  }

  #hear(line: string): void {
    this.#text.push(line)
    if (/^\{.*\}$/.test(line)) this.lines.push(JSON.parse(line))
    for (const wake of [...this.#wakers]) wake()
  }

  #end(code: number | null): void {
    this.#code = code
    process.removeListener('exit', this.#kill)
    for (const wake of [...this.#wakers]) wake()
  }

  /** What it has printed on standard output. */
  get out(): string {
    return this.#streams.out
  }

  /** What it has printed on standard error. */
  get error(): string {
    return this.#streams.error
  }

  /** What it has printed on either, JSON or not. */
  get text(): string {
    return this.#text.join('\n')
  }

  /** Waits until what was printed answers with something; an end before that, or a minute of nothing, throws what was printed. */
  async until<T>(what: string, answer: (lines: readonly Line[], text: string) => T | undefined | false): Promise<T> {
    const deadline = Date.now() + PATIENCE_MS
    for (;;) {
      const value = answer(this.lines, this.text)
      if (value !== undefined && value !== false) return value
      if (this.#code !== undefined) throw new Error(`It ended with ${this.#code} before ${what}:\n${this.text}`)
      const left = deadline - Date.now()
      if (left <= 0) throw new Error(`No ${what} within ${PATIENCE_MS / 1000} s:\n${this.text.slice(-6000)}`)
      await this.#woken(left)
    }
  }

  /** The first line that has all of these. */
  line(wanted: Line): Promise<Line> {
    const fits = (line: Line) => Object.entries(wanted).every(([name, value]) => line[name] === value)
    return this.until(`line with ${JSON.stringify(wanted)}`, (lines) => lines.find(fits))
  }

  #woken(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer)
        this.#wakers.delete(wake)
        resolve()
      }
      const timer = setTimeout(wake, ms)
      this.#wakers.add(wake)
    })
  }

  /** A line for its standard input. */
  tell(line: string): void {
    this.#child.stdin?.write(`${line}\n`)
  }

  /** Its exit code, once it has ended by itself. */
  async finished(): Promise<number | null> {
    const timer = setTimeout(this.#kill, PATIENCE_MS)
    try {
      return await this.#ended
    } finally {
      clearTimeout(timer)
    }
  }

  /** Asks it to end, and sees to it. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    this.#child.kill(signal)
    const timer = setTimeout(this.#kill, FAREWELL_MS)
    try {
      return await this.#ended
    } finally {
      clearTimeout(timer)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#code === undefined) await this.stop().catch(() => {})
  }
}

/** Waits until it answers with something. */
export async function eventually<T>(what: string, answer: () => Promise<T | undefined | false>): Promise<T> {
  const deadline = Date.now() + PATIENCE_MS
  for (;;) {
    const value = await answer()
    if (value !== undefined && value !== false) return value
    if (Date.now() > deadline) throw new Error(`${what}: not within ${PATIENCE_MS / 1000} s`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
