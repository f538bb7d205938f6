import type { Cluster, Transport } from '../src/index.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests read whatever the server answers
export type Any = any

export interface Reply {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly body: Any
}

export interface Event {
  readonly type: string
  readonly object: Any
}

const mediaTypes = {
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
}

/** A short way to speak to a cluster in a test, over its in-process transport. */
export class Api {
  readonly #transport: Transport

  constructor(cluster: Cluster) {
    this.#transport = cluster.transport({ userAgent: 'test/1.0' })
  }

  async send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Reply> {
    const answer = await this.#transport.request({
      method,
      path,
      headers,
      ...(body === undefined ? {} : { body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)) }),
      signal: new AbortController().signal,
    })
    const text = Buffer.from(answer.body).toString()
    const json = answer.headers.get('content-type')?.includes('json')
    return { status: answer.status, headers: answer.headers, body: json ? JSON.parse(text) : text }
  }

  get = (path: string, headers?: Record<string, string>) => this.send('GET', path, undefined, headers)
  post = (path: string, body: unknown) => this.send('POST', path, body)
  put = (path: string, body: unknown) => this.send('PUT', path, body)
  delete = (path: string, body?: unknown) => this.send('DELETE', path, body)
  patch = (path: string, body: unknown, type: keyof typeof mediaTypes = 'merge') =>
    this.send('PATCH', path, body, { 'content-type': mediaTypes[type] })

  async watch(path: string): Promise<Watch> {
    const abort = new AbortController()
    const answer = await this.#transport.stream({ method: 'GET', path, headers: {}, signal: abort.signal })
    return new Watch(answer.status, answer.body, abort)
  }
}

/** The events of a watch, gathered as they come. */
export class Watch {
  readonly status: number
  readonly events: Event[] = []
  /** How it ended: undefined while it is open, 'clean', or the error. */
  ended: unknown
  bytes = 0
  readonly done: Promise<void>
  readonly #abort: AbortController

  constructor(status: number, body: AsyncIterable<Uint8Array>, abort: AbortController) {
    this.status = status
    this.#abort = abort
    this.done = this.#read(body)
  }

  async #read(body: AsyncIterable<Uint8Array>): Promise<void> {
    let rest = ''
    try {
      for await (const chunk of body) {
        this.bytes += chunk.length
        const lines = (rest + Buffer.from(chunk).toString()).split('\n')
        rest = lines.pop() ?? ''
        for (const line of lines) this.events.push(JSON.parse(line))
      }
      this.ended = 'clean'
    } catch (error) {
      this.ended = error
    }
  }

  /** What happened, as 'TYPE name' lines. */
  get seen(): string[] {
    return this.events.map(({ type, object }) => [type, object.metadata?.name].filter(Boolean).join(' '))
  }

  abort(reason?: unknown): void {
    this.#abort.abort(reason)
  }
}

export const configMaps = '/api/v1/namespaces/default/configmaps'
export const widgets = '/apis/example.com/v1/namespaces/default/widgets'

export const widget = (name: string, spec: object = {}, metadata: object = {}) => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name, ...metadata },
  spec,
})

/** A definition with an enum, a default, a list-map, a free part, status and scale. */
export const widgetDefinition = (extra: { spec?: object; version?: object; properties?: object } = {}) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', kind: 'Widget', shortNames: ['wd'] },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: {
          status: {},
          scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
        },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: {
                  color: { type: 'string', enum: ['red', 'green', 'blue'] },
                  size: { type: 'string', default: 'medium' },
                  replicas: { type: 'integer', minimum: 0 },
                  items: {
                    type: 'array',
                    'x-kubernetes-list-type': 'map',
                    'x-kubernetes-list-map-keys': ['name'],
                    items: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
                  },
                  free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
                  ...extra.properties,
                },
              },
              status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
            },
          },
        },
        ...extra.version,
      },
    ],
    ...extra.spec,
  },
})
