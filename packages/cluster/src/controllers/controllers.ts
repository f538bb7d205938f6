/**
 * Carries out what controllers decide: looks at an object when it or one of its dependents has changed, and writes by the public way.
 * Guarantees: one object at a time, from what is stored then; nothing polls and nothing waits for a timer; a write that is refused is
 * given up, and the next change looks again.
 */
import { timestamp } from '../clock.ts'
import type { Transport } from '../http/in-process.ts'
import { bytesOf, type JsonObject, printJson } from '../json.ts'
import type { KubeObject } from '../object.ts'
import type { Backend } from '../request/backend.ts'
import type { Change } from '../storage/change.ts'
import { keyOf, type Table } from '../storage/table.ts'
import { jobs } from './jobs.ts'
import { nodeName, pods } from './pods.ts'
import { namespaceWrites, rootCertificate } from './service-accounts.ts'
import { daemonSets, deployments, replicaSets, statefulSets } from './workloads.ts'
import type { Controller, World, Write } from './write.ts'

const all: readonly Controller[] = [deployments, replicaSets, statefulSets, daemonSets, jobs, pods]
const byTable = new Map(all.map((controller) => [`${controller.group}/${controller.plural}`, controller]))
const tablesOfKinds = new Map([
  ['Deployment', 'apps/deployments'],
  ['ReplicaSet', 'apps/replicasets'],
  ['StatefulSet', 'apps/statefulsets'],
  ['DaemonSet', 'apps/daemonsets'],
  ['Job', 'batch/jobs'],
])

export class Controllers {
  readonly #backend: Backend
  readonly #transport: Transport
  readonly #ca: string
  /** Tables and keys of what is to be looked at, in the order in which it came. */
  readonly #waiting = new Map<string, readonly [string, string]>()
  readonly #stopped = new AbortController()
  #running = false

  constructor(backend: Backend, transport: Transport, ca: string) {
    this.#backend = backend
    this.#transport = transport
    this.#ca = ca
    backend.storage.onChange((table, change) => this.#see(table, change))
  }

  /** Also for what was there before. */
  async start(): Promise<void> {
    await this.#send({ method: 'POST', path: '/api/v1/nodes', body: node })
    const path = `/api/v1/nodes/${nodeName}/status`
    await this.#send({ method: 'PATCH', path, body: { status: nodeStatus(this.#now) } })
    for (const table of this.#backend.storage.tables) for (const { key } of table.list('')) this.#visit(table.id, key)
  }

  get idle(): boolean {
    return !this.#running && this.#waiting.size === 0
  }

  stop(): void {
    this.#stopped.abort(new Error('The cluster has been stopped'))
    this.#waiting.clear()
  }

  get #now(): string {
    return timestamp(this.#backend.clock.now())
  }

  #see(table: Table, { record, previous }: Change): void {
    this.#visit(table.id, record.key)
    for (const object of [record.object, previous?.object]) this.#visitOwner(object)
    const lost = table.id === '/serviceaccounts' || (table.id === '/configmaps' && record.name === rootCertificate)
    if (lost) this.#visit('/namespaces', record.namespace)
  }

  #visitOwner(object: KubeObject | undefined): void {
    const owner = object?.metadata.ownerReferences?.find(({ controller }) => controller === true)
    const table = owner && tablesOfKinds.get(owner.kind)
    if (owner && table) this.#visit(table, keyOf(object?.metadata.namespace ?? '', owner.name))
  }

  #visit(table: string, key: string): void {
    if (this.#stopped.signal.aborted || !(byTable.has(table) || table === '/namespaces')) return
    this.#waiting.set(`${table} ${key}`, [table, key])
    if (!this.#running) void this.#run()
  }

  async #run(): Promise<void> {
    this.#running = true
    await Promise.resolve()
    for (const [id, [table, key]] of this.#waiting) {
      this.#waiting.delete(id)
      for (const write of this.#decide(table, key)) await this.#send(write)
    }
    this.#running = false
  }

  #decide(table: string, key: string): readonly Write[] {
    const object = this.#backend.storage.table(table).get(key)?.object
    if (!object) return []
    const { storage } = this.#backend
    if (table === '/namespaces') {
      return namespaceWrites(object, this.#ca, { has: (id, name) => storage.table(id).get(name) !== undefined })
    }
    if (table !== '/pods' && object.metadata.deletionTimestamp !== undefined) return []
    return byTable.get(table)?.decide(object, this.#world()) ?? []
  }

  #world(): World {
    const owned = (plural: string, { metadata }: KubeObject) =>
      this.#backend.storage
        .table(plural === 'pods' ? '/pods' : `apps/${plural}`)
        .list(metadata.namespace ?? '')
        .map(({ object }) => object)
        .filter(({ metadata: { ownerReferences = [] } }) =>
          ownerReferences.some(({ uid, controller }) => controller === true && uid === metadata.uid),
        )
    return { owned, now: this.#now }
  }

  /** Refusals are no news: the object has changed or gone meanwhile, and that is a change of its own. */
  async #send({ method, path, body }: Write): Promise<void> {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
    const { signal } = this.#stopped
    const request = { method, path, headers: { 'content-type': type }, body: bytesOf(printJson(body)), signal }
    await this.#transport.request(request).catch((error: unknown) => {
      if (!signal.aborted) throw error
    })
  }
}

const node: JsonObject = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: nodeName, labels: { 'kubernetes.io/hostname': nodeName, 'kubernetes.io/os': 'linux' } },
}

const nodeStatus = (now: string): JsonObject => ({
  capacity: { cpu: '8', memory: '32Gi', pods: '10000' },
  allocatable: { cpu: '8', memory: '32Gi', pods: '10000' },
  addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
  conditions: [
    {
      ...{ type: 'Ready', status: 'True', lastHeartbeatTime: now, lastTransitionTime: now },
      ...{ reason: 'KubeletReady', message: 'there is no kubelet; pods run in name only' },
    },
  ],
})
