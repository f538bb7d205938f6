/**
 * `binnacle cluster` as a user starts it: in a process of its own, over TLS, with permissions, and a kubeconfig for each who uses it.
 * Guarantees: it is ready when `start` returns, with the definition of crd.json; disposal ends it and removes its files.
 * Assumes: the packages have been built.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Client, connect } from '@binnacle/client'
import { Program } from './program.ts'

const file = (path: string) => fileURLToPath(new URL(path, import.meta.url))

export interface ClusterProcessOptions {
  /** Of the command. @default ['--rbac'] */
  readonly flags?: readonly string[]
  /** Whether it starts with the definition of crd.json. @default true */
  readonly definition?: boolean
}

type Rule = Readonly<Record<'apiGroups' | 'resources' | 'verbs', readonly string[]>>

export class ClusterProcess implements AsyncDisposable {
  readonly #program: Program
  readonly #directory: string
  /** The administrator, who drives the story. */
  readonly client: Client

  private constructor(program: Program, directory: string, client: Client) {
    this.#program = program
    this.#directory = directory
    this.client = client
  }

  /** @param users names of those who get a kubeconfig beside the administrator */
  static async start(users: readonly string[], options: ClusterProcessOptions = {}): Promise<ClusterProcess> {
    const { flags = ['--rbac'], definition = true } = options
    const directory = mkdtempSync(join(tmpdir(), 'binnacle-clients-'))
    const named = users.flatMap((user) => ['--user', `${user}=${join(directory, fileOf(user))}`])
    const crd = definition ? ['--crd', file('crd.json')] : []
    const args = ['cluster', ...flags, '--kubeconfig', join(directory, 'admin'), ...crd, ...named]
    const program = new Program(process.execPath, [file('../../packages/cli/dist/bin.js'), ...args])
    try {
      await program.until('kubeconfigs', (_, text) => text.split('export KUBECONFIG=').length === users.length + 2)
      const client = await connect({ kubeconfig: join(directory, 'admin') })
      return new ClusterProcess(program, directory, client)
    } catch (error) {
      await program[Symbol.asyncDispose]()
      rmSync(directory, { recursive: true, force: true })
      throw error
    }
  }

  /** The path of a kubeconfig. */
  kubeconfig(user = 'admin'): string {
    return join(this.#directory, fileOf(user))
  }

  /** Rules of a role in the whole cluster, for one of the users. */
  async allow(user: string, rules: readonly Rule[]): Promise<void> {
    const name = fileOf(user)
    await this.client.create('clusterroles', { metadata: { name }, rules })
    const [, account] = /^system:serviceaccount:(.*)$/.exec(user) ?? []
    const [namespace = '', person = ''] = account?.split(':') ?? []
    const subject = account ? { kind: 'ServiceAccount', namespace, name: person } : { kind: 'User', name: user }
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name }
    await this.client.create('clusterrolebindings', { metadata: { name }, roleRef, subjects: [subject] })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.client[Symbol.asyncDispose]()
    await this.#program[Symbol.asyncDispose]()
    rmSync(this.#directory, { recursive: true, force: true })
  }
}

const fileOf = (user: string) => user.replaceAll(':', '-')
