import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Io, main, type Parts, type StopSignal } from '@binnacle/cli'
import { type Clock, systemClock } from '@binnacle/core'

/** A desk to try commands at: a folder with files, a terminal that remembers, signals that a test sends. */
export class TestDesk implements AsyncDisposable {
  readonly cwd = realpathSync(mkdtempSync(join(tmpdir(), 'desk-')))
  /** Where temporary folders go. */
  readonly temp = join(this.cwd, 'tmp')
  readonly stdout = new Lines()
  readonly stderr = new Lines()
  readonly exits: number[] = []
  readonly io: Io
  readonly atExit = new Set<() => void>()
  /** What the operators of this desk have done, in order. */
  readonly ledger: Ledger
  readonly #listeners = new Map<StopSignal, Set<(signal: StopSignal) => void>>()
  #running: Promise<number> | undefined
  readonly #parts: Parts

  constructor(options: { readonly parts: Parts; readonly clock?: Clock; readonly env?: Record<string, string> }) {
    this.#parts = options.parts
    this.io = {
      stdout: this.stdout,
      stderr: this.stderr,
      env: { ...options.env },
      cwd: this.cwd,
      temp: this.temp,
      signals: {
        on: (signal, listener) => this.#of(signal).add(listener),
        off: (signal, listener) => this.#of(signal).delete(listener),
      },
      clock: options.clock ?? systemClock,
      exit: (code) => this.exits.push(code),
      atExit: (callback) => {
        this.atExit.add(callback)
        return () => this.atExit.delete(callback)
      },
      import: nativeImport,
    }
    mkdirSync(this.temp)
    this.ledger = new Ledger()
    const address = pathToFileURL(join(this.cwd, 'node_modules/binnacle/index.js')).href
    ;(globalThis as { [key: symbol]: unknown })[Symbol.for(`ledger ${address}`)] = this.ledger
    this.write(
      'node_modules/binnacle/package.json',
      '{ "name": "binnacle", "type": "module", "exports": "./index.js" }',
    )
    this.write('node_modules/binnacle/index.js', FAKE_BINNACLE)
  }

  write(path: string, text: string): string {
    const file = join(this.cwd, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
    return file
  }

  /** Runs a command; resolves to its exit code. */
  run(...argv: readonly string[]): Promise<number> {
    this.#running = main(argv, this.io, this.#parts)
    return this.#running
  }

  /** Waits for a line of the ledger; a command that ends before it is a failure that shows what it said. */
  does(line: string, times = 1): Promise<void> {
    return this.#unlessEnded(this.ledger.has(line, times))
  }

  /** As `does`, for what is shown to people. */
  shows(pattern: RegExp, times = 1): Promise<void> {
    const shown = [this.stdout, this.stderr].map((lines) => lines.shows(pattern, times))
    return this.#unlessEnded(Promise.race(shown))
  }

  #unlessEnded(wait: Promise<void>): Promise<void> {
    const ended = this.#running?.then((code) => {
      throw new Error(`the command has ended with ${code}:\n${this.stdout.text}${this.stderr.text}`)
    })
    return Promise.race([wait, ended ?? wait])
  }

  signal(signal: StopSignal = 'SIGINT'): void {
    for (const listener of [...this.#of(signal)]) listener(signal)
  }

  /** The temporary folders that exist. */
  get leftovers(): readonly string[] {
    return readdirSync(this.temp)
  }

  /** Gives up on a command that never ends. */
  abandon(): void {
    this.#running = undefined
    for (const callback of this.atExit) callback()
  }

  /** How many listeners for signals are left. */
  get listeners(): number {
    return [...this.#listeners.values()].reduce((sum, set) => sum + set.size, 0)
  }

  #of(signal: StopSignal): Set<(signal: StopSignal) => void> {
    const set = this.#listeners.get(signal) ?? new Set()
    this.#listeners.set(signal, set)
    return set
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#running) {
      this.signal()
      await this.#running
    }
    rmSync(this.cwd, { recursive: true, force: true })
  }
}

const nativeImport: Io['import'] = createRequire(import.meta.url)('./native-import.cjs')

/** Something that grows, and that a test can wait for. */
class Growing {
  readonly #waiting = new Set<() => void>()

  protected grown(): void {
    for (const check of [...this.#waiting]) check()
  }

  /** Resolves once the condition holds. */
  until(holds: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const check = () => {
        if (!holds()) return
        this.#waiting.delete(check)
        resolve()
      }
      this.#waiting.add(check)
      check()
    })
  }
}

export class Lines extends Growing {
  text = ''
  isTTY = false

  write(text: string): boolean {
    this.text += text
    this.grown()
    return true
  }

  /** Resolves once the text matches, as often as asked. */
  shows(pattern: RegExp, times = 1): Promise<void> {
    return this.until(() => [...this.text.matchAll(new RegExp(pattern, 'g'))].length >= times)
  }
}

export interface Entry {
  readonly what: 'start' | 'stop' | 'note'
  readonly name: string
  // biome-ignore lint/suspicious/noExplicitAny: options of whichever kind, looked at by a test
  readonly options?: any
}

export class Ledger extends Growing {
  readonly entries: Entry[] = []

  add(entry: Entry): void {
    this.entries.push(entry)
    this.grown()
  }

  get story(): readonly string[] {
    return this.entries.map(({ what, name }) => `${what} ${name}`)
  }

  has(line: string, times = 1): Promise<void> {
    return this.until(() => this.story.filter((entry) => entry === line).length >= times)
  }
}

/** An operator without a cluster: it writes down what is asked of it, and can be told by its name to misbehave. */
const FAKE_BINNACLE = `
const ledger = () => globalThis[Symbol.for('ledger ' + import.meta.url)]
class Operator {
  #handlers = []
  constructor(name) { this.name = name }
  on = { create: (resource, fn) => this.#handlers.push({ id: fn.name || 'create', kind: 'create', resource, finalizer: false }) }
  describe() { return { name: this.name, handlers: this.#handlers } }
  async run() { throw new Error('the tool starts operators, and never runs them') }
  async start(options) {
    ledger().add({ what: 'start', name: this.name, options })
    if (this.name === 'refused') {
      throw Object.assign(new Error('No answer from https://127.0.0.1:1: connection refused'), { code: 'BIN_NETWORK', hint: 'Check that the server runs.' })
    }
    let end, fail
    const ended = new Promise((resolve, reject) => { end = resolve; fail = reject })
    let stopped
    const stop = () => stopped ??= (async () => {
      if (this.name === 'stuck') await new Promise(() => {})
      for (let turn = 0; turn < 5; turn++) await new Promise((next) => setImmediate(next))
      ledger().add({ what: 'stop', name: this.name })
      end()
    })()
    options.signal?.addEventListener('abort', stop)
    if (this.name === 'dies') queueMicrotask(() => fail(Object.assign(new Error('The login has expired'), { code: 'BIN_LOGIN' })))
    return { ended, stop, [Symbol.asyncDispose]: stop }
  }
}
export const operator = (name) => new Operator(name)
export const resource = (definition) => ({ ...definition, plural: definition.kind.toLowerCase() + 's', singular: definition.kind.toLowerCase(), scope: 'Namespaced', shortNames: [], categories: [], apiVersion: definition.group + '/' + definition.version, definition })
export const note = (name) => ledger().add({ what: 'note', name })
`
