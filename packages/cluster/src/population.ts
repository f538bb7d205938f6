/**
 * What a cluster starts with: namespaces, definitions, objects.
 * Guarantees: everything comes by the public way, so that a bad manifest is refused in Kubernetes' words; what is there already stays.
 */
import type { Transport } from './http/in-process.ts'
import { bytesOf, isObject, parseJson, printJson, textOf } from './json.ts'
import { hasStatus } from './kinds/kind.ts'
import type { Served } from './kinds/kinds.ts'
import { type Backend, tableOf } from './request/backend.ts'
import { keyOf } from './storage/table.ts'

const bootstrapNamespaces = ['default', 'kube-system', 'kube-public', 'kube-node-lease']

export class Population {
  readonly #backend: Backend
  readonly #transport: Transport

  constructor(backend: Backend, transport: Transport) {
    this.#backend = backend
    this.#transport = transport
  }

  async bootstrap(): Promise<void> {
    for (const name of bootstrapNamespaces) await this.#createNamespace(name)
  }

  async create(crds: readonly object[], objects: readonly object[]): Promise<void> {
    for (const definition of crds) {
      await this.#create({ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', ...definition })
    }
    for (const object of objects) await this.#create(object, true)
  }

  async #createNamespace(name: string): Promise<void> {
    await this.#create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })
  }

  async #create(manifest: object, withNamespace = false): Promise<void> {
    const { metadata } = manifest as { metadata?: unknown }
    const served = this.#servedBy(manifest)
    const { kind, version } = served
    const namespace = isObject(metadata) && typeof metadata.namespace === 'string' ? metadata.namespace : 'default'
    const name = isObject(metadata) && typeof metadata.name === 'string' ? metadata.name : undefined
    if (name !== undefined && this.#exists(served, namespace, name)) return
    if (withNamespace && kind.namespaced && !this.#backend.storage.table('/namespaces').get(namespace)) {
      await this.#createNamespace(namespace)
    }
    const root = kind.group === '' ? '/api' : `/apis/${kind.group}`
    const scope = kind.namespaced ? `/namespaces/${namespace}` : ''
    await this.#send(manifest, `${root}/${version.name}${scope}/${kind.plural}`, served)
  }

  #servedBy(manifest: object): Served {
    const { apiVersion, kind } = manifest as { apiVersion?: unknown; kind?: unknown }
    const served = this.#backend.kinds.byKind(String(apiVersion), String(kind))
    if (served) return served
    throw new Error(
      `No kind "${String(kind)}" in "${String(apiVersion)}": give its definition in "crds", or correct the manifest.`,
    )
  }

  /** Only where another run may have left it: a name that is given twice to a new cluster is a mistake, and refused. */
  #exists({ kind }: Served, namespace: string, name: string): boolean {
    const record = tableOf(this.#backend, kind).get(keyOf(kind.namespaced ? namespace : '', name))
    return record !== undefined && this.#backend.storage.restoredAt > 0
  }

  async #send(manifest: object, path: string, { kind, version }: Served): Promise<void> {
    const { metadata, status } = manifest as { metadata?: unknown; status?: unknown }
    const label = `${kind.kind} ${isObject(metadata) ? String(metadata.name ?? metadata.generateName) : ''}`
    const created = await this.#request('POST', path, manifest, label)
    if (status === undefined || !hasStatus(version) || kind.plural === 'customresourcedefinitions') return
    // A POST drops the status, as it must; whoever gives one here wants it.
    await this.#request('PATCH', `${path}/${created}/status`, { status }, label)
  }

  /** The name of the object in the answer. */
  async #request(method: 'POST' | 'PATCH', path: string, body: object, label: string): Promise<string> {
    const answer = await this.#transport.request({
      method,
      path,
      headers: { 'content-type': method === 'POST' ? 'application/json' : 'application/merge-patch+json' },
      body: bytesOf(printJson(body)),
      signal: new AbortController().signal,
    })
    const text = textOf(answer.body)
    if (answer.status >= 300) throw new Error(`The cluster refused ${label}: ${text}`)
    return (parseJson(text) as { metadata: { name: string } }).metadata.name
  }
}
