/**
 * Somebody who types commands of kubectl, one after the other.
 * Guarantees: commands that were started beside others have ended after disposal.
 */
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Program } from '../program.ts'
import type { Printed } from './printed.ts'

const manifests = fileURLToPath(new URL('manifests/', import.meta.url))
const NOTHING: Printed = { code: 0, out: '', error: '' }

export interface SessionOptions {
  /** A directory for caches and for copies of the manifests. */
  readonly home: string
  /** Commands change it. */
  readonly kubeconfig: string
  /** Whether to wait where a live server takes its time. */
  readonly patient: boolean
}

export class Session implements AsyncDisposable {
  readonly #kubectl: string
  readonly #options: SessionOptions
  readonly #beside = new Map<string, Program>()

  constructor(kubectl: string, options: SessionOptions) {
    this.#kubectl = kubectl
    this.#options = options
    cpSync(manifests, options.home, { recursive: true })
  }

  async run(command: string): Promise<Printed> {
    const [, name, sign, rest = ''] = /^(\w)([&?$=]) (.*)$/.exec(command) ?? []
    if (name === undefined) return this.#finish(command)
    if (sign === '&') {
      this.#beside.set(name, this.#start(rest))
      return NOTHING
    }
    const program = this.#beside.get(name)
    if (program === undefined) throw new Error(`Nothing called ${name} was started before "${command}"`)
    await program.until(`line ${rest}`, (_, text) => text.split('\n').filter(Boolean).length >= Number(rest))
    if (sign === '?') return NOTHING
    const code = sign === '=' ? await program.finished() : void (await program.stop())
    return { code: code ?? 0, out: program.out, error: program.error }
  }

  async #finish(command: string): Promise<Printed> {
    const [, line = '', seconds] = /^(.*?)(?: \+(\d+))?$/.exec(command) ?? []
    const program = this.#start(line)
    const code = (await program.finished()) ?? -1
    if (this.#options.patient && seconds !== undefined) await wait(Number(seconds) * 1000)
    return { code, out: program.out, error: program.error }
  }

  /** Words are parted by blanks outside of quotes; a hard space is a blank within a word. */
  #start(line: string): Program {
    const { home, kubeconfig } = this.#options
    const words = (line.match(/"[^"]* [^"]*"|\S+/g) ?? []).map((word) =>
      (/^".* .*"$/.test(word) ? word.slice(1, -1) : word).replaceAll('\u00a0', ' '),
    )
    const env = { HOME: home, KUBECONFIG: kubeconfig, KUBE_EDITOR: 'sed -E -i s/blue|red/green/' }
    return new Program(this.#kubectl, ['--cache-dir', join(home, 'cache'), ...words], { env, cwd: home })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const program of this.#beside.values()) await program[Symbol.asyncDispose]()
  }
}
