/**
 * The server that a file of this suite speaks to: the embedded cluster, or with BINNACLE_WORLD=real the one of BINNACLE_KUBECONFIG.
 *
 * Guarantees: a file has a namespace and a group of its own with random names, so that files do not meet on one server; both are let go
 * at its end. Whatever is awaited is awaited for two minutes: a busy server takes long to let a definition go.
 */
import { randomBytes } from 'node:crypto'
import { Agent } from 'node:https'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll } from 'vitest'
import { type AccessServer, openServer } from '../access/server.ts'
import { type Answer, exchange, type Line, type Loose, type RequestOptions, Watch } from './exchange.ts'

const PATIENCE_MS = 120_000
const LOOK_MS = 30

/** Milliseconds for a test that waits for a definition or a namespace to go. */
export const SLOW = 400_000

export const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
export const MERGE = 'application/merge-patch+json'
export const STRATEGIC = 'application/strategic-merge-patch+json'
export const JSON_PATCH = 'application/json-patch+json'
export const APPLY = 'application/apply-patch+yaml'
export const PROTOBUF = 'application/vnd.kubernetes.protobuf'
export const TABLE = 'application/json;as=Table;g=meta.k8s.io;v=v1'

const random = () => randomBytes(5).toString('hex')

/** One file's part of the server. */
export class Stage {
  readonly id = random()
  readonly namespace = `conf-${this.id}`
  readonly group = `g${this.id}.example.com`
  readonly #namespaces: string[] = []
  readonly #definitions: string[] = []
  #server: AccessServer | undefined
  #agent: Agent | undefined
  #counter = 0

  async open(): Promise<void> {
    this.#server = await openServer()
    this.#agent = new Agent({ keepAlive: true, maxSockets: 200 })
    await this.makeNamespace(this.namespace)
  }

  async close(): Promise<void> {
    if (this.#server === undefined) return
    for (const name of this.#definitions) await this.delete(`${CRDS}/${name}`)
    for (const name of this.#namespaces) await this.delete(`/api/v1/namespaces/${name}`)
    this.#agent?.destroy()
    await this.#server[Symbol.asyncDispose]()
  }

  get server(): AccessServer {
    if (this.#server === undefined) throw new Error('The server is opened before the first test of a file')
    return this.#server
  }

  get line(): Line {
    const { url, ca } = this.server
    if (this.#agent === undefined) throw new Error('The server is opened before the first test of a file')
    return { url, ca, token: this.tokenOf('admin'), agent: this.#agent }
  }

  tokenOf(user: 'admin' | 'jane'): string {
    return this.server.tokens.get(user) ?? ''
  }

  /** A name that no other test of this file has. */
  name(prefix = 'x'): string {
    this.#counter += 1
    return `${prefix}-${this.#counter}-${this.id.slice(0, 4)}`
  }

  async makeNamespace(name = this.name('conf')): Promise<string> {
    const unique = name === this.namespace ? name : `${name}-${this.id}`
    await this.created('/api/v1/namespaces', { metadata: { name: unique } })
    this.#namespaces.push(unique)
    return unique
  }

  request(method: string, path: string, options: RequestOptions = {}): Promise<Answer> {
    return exchange(this.line, method, path, options)
  }

  get(path: string, options: RequestOptions = {}): Promise<Answer> {
    return this.request('GET', path, options)
  }

  post(path: string, body: unknown, options: RequestOptions = {}): Promise<Answer> {
    return this.request('POST', path, { body, ...options })
  }

  put(path: string, body: unknown, options: RequestOptions = {}): Promise<Answer> {
    return this.request('PUT', path, { body, ...options })
  }

  patch(path: string, type: string, body: unknown, options: RequestOptions = {}): Promise<Answer> {
    return this.request('PATCH', path, { body, type, ...options })
  }

  delete(path: string, body?: unknown, options: RequestOptions = {}): Promise<Answer> {
    return this.request('DELETE', path, body === undefined ? options : { body, ...options })
  }

  /** Server-side apply; the body gets the name that the path has. */
  apply(path: string, manager: string, body: Loose, query = ''): Promise<Answer> {
    const name = path
      .replace(/\/status$/, '')
      .split('/')
      .at(-1)
    const named = { ...body, metadata: { name, ...body.metadata } }
    return this.patch(`${path}?fieldManager=${manager}${query}`, APPLY, named)
  }

  watch(path: string, options: RequestOptions = {}): Promise<Watch> {
    return Watch.open(this.line, path, options)
  }

  /** Creates what the test needs and does not examine. */
  async created(path: string, body: unknown): Promise<Loose> {
    const answer = await this.post(path, body)
    if (answer.code === 201) return answer.body
    throw new Error(`Could not create what the test needs: POST ${path} ${answer.code} ${JSON.stringify(answer.body)}`)
  }

  /** Asks again until the answer fits. */
  async until(path: string, fits: (answer: Answer) => boolean, options: RequestOptions = {}): Promise<Answer> {
    return this.retry(() => this.get(path, options), fits, `GET ${path}`)
  }

  async retry(
    ask: () => Promise<Answer>,
    fits: (answer: Answer) => boolean,
    what = String(ask),
    lookMs = LOOK_MS,
  ): Promise<Answer> {
    const deadline = Date.now() + PATIENCE_MS
    for (;;) {
      const answer = await ask()
      if (fits(answer)) return answer
      if (Date.now() > deadline)
        throw new Error(`It never came to this: ${fits}\n${what}: ${answer.code} ${JSON.stringify(answer.body)}`)
      await wait(lookMs)
    }
  }

  /** The path of a kind in the file's namespace; of the core group where none is named. */
  path(resource: string, groupVersion = 'v1', namespace = this.namespace): string {
    const root = groupVersion.includes('/') ? `/apis/${groupVersion}` : `/api/${groupVersion}`
    return `${root}/namespaces/${namespace}/${resource}`
  }

  /** Installs a definition, and waits until its kind is served. Removed at the end of the file. */
  async define(definition: Loose): Promise<Loose> {
    await this.created(CRDS, definition)
    this.#definitions.push(definition.metadata.name)
    return this.served(definition)
  }

  /** Waits until all served versions of a definition answer lists and are discovered. */
  async served(definition: Loose): Promise<Loose> {
    const { group, names, versions } = definition.spec
    for (const { name, served } of versions) {
      if (!served) continue
      await this.until(`/apis/${group}/${name}/${names.plural}`, ({ code }) => code === 200)
      await this.until(`/apis/${group}/${name}`, ({ body }) => JSON.stringify(body).includes(`"${names.plural}"`))
    }
    return (await this.get(`${CRDS}/${definition.metadata.name}`)).body
  }
}

/** Opens a stage before the first test of a file, and closes it after the last. */
export function openStage(): Stage {
  const stage = new Stage()
  beforeAll(() => stage.open(), 120_000)
  afterAll(() => stage.close(), 120_000)
  return stage
}
