/**
 * Whoever else works on the cluster: the world changes behind the back of its clients.
 * Guarantees: what it does to objects goes the way of every other request, so that watchers hear of it and rules are kept.
 */
import { bytesOf, isObject, type JsonObject, parseJson, printJson, textOf } from '../json.ts'
import type { Kind, Verb } from '../kinds/kind.ts'
import type { Backend } from '../request/backend.ts'
import type { Duration } from './duration.ts'
import { secondsOf } from './duration.ts'
import { effect, respond } from './effects.ts'
import type { Faults } from './faults.ts'
import type { FaultMatch, ResourceName } from './match.ts'

export interface Actor {
  /** Forgets all history: an older watch or continue token is answered with 410. Open watches go on. */
  compact(): void
  /** Breaks every open watch in the middle. */
  cutWatches(): void
  /** All connections are cut, objects stay, history is lost. */
  restart(): Promise<void>
  /**
   * Reads that allow it, those of version "0", are answered from this much earlier, as by a server that lags behind; with `even:
   * 'consistent'` all lists and initial events are, which no healthy server does.
   */
  lag(duration: Duration, options?: { readonly even?: 'consistent' }): Disposable
  /** Objects, and the counter of versions, are again what they were at this version: a backup was restored. Kinds stay. */
  restoreBackup(resourceVersion: string): Promise<void>
  /** Somebody removes all finalizers of an object; `ref` is `namespace/name`, or `name`. */
  stripFinalizers(resource: ResourceName, ref: string): Promise<void>
  /** The same name and content, another uid, and nothing of what the server or finalizers kept. */
  recreate(resource: ResourceName, ref: string): Promise<void>
  /** A permission is taken away, until disposal. */
  revoke(verb: Verb, resource: ResourceName): Disposable
}

/** What the actor needs from its cluster. */
export interface Stage {
  readonly backend: Backend
  readonly faults: Faults
  send(method: string, path: string, body?: object): Promise<Uint8Array>
  cutWatches(): void
  cutConnections(): void
}

export function actorOn(stage: Stage): Actor {
  const { storage } = stage.backend
  const restart = async () => {
    storage.forgetHistory()
    stage.cutWatches()
    stage.cutConnections()
  }
  return {
    compact: () => storage.forgetHistory(),
    cutWatches: () => stage.cutWatches(),
    restart,
    lag: (duration, options) => lag(stage, secondsOf(duration), options?.even === 'consistent'),
    restoreBackup: async (resourceVersion) => {
      storage.goBack(Number(resourceVersion))
      await restart()
    },
    stripFinalizers: async (resource, ref) => {
      const path = pathOf(stage.backend, resource, ref)
      await stage.send('PATCH', path, { metadata: { finalizers: null } })
    },
    recreate: (resource, ref) => recreate(stage, resource, ref),
    revoke: (verb, resource) => revoke(stage, verb, resource),
  }
}

function lag({ faults }: Stage, secondsAgo: number, consistentToo: boolean): Disposable {
  const reads: FaultMatch = { verb: ['list', 'watch'], ...(consistentToo ? {} : { since: 'zero' }) }
  return faults.always(reads, effect({ kind: 'answer from the past', secondsAgo }))
}

function revoke({ faults }: Stage, verb: Verb, resource: ResourceName): Disposable {
  const plural = typeof resource === 'string' ? resource : `${resource.plural}.${resource.group}`
  const message = `${plural} is forbidden: User "system:anonymous" cannot ${verb} resource "${plural.split('.')[0]}": a fault revoked it`
  return faults.always({ verb, resource }, respond(403, { message }))
}

async function recreate(stage: Stage, resource: ResourceName, ref: string): Promise<void> {
  const path = pathOf(stage.backend, resource, ref)
  const object = parseJson(textOf(await stage.send('GET', path)))
  await stage.send('PATCH', path, { metadata: { finalizers: null } })
  await stage.send('DELETE', `${path}?gracePeriodSeconds=0`)
  await stage.send('POST', path.slice(0, path.lastIndexOf('/')), reborn(object))
}

function reborn(object: unknown): JsonObject {
  if (!isObject(object) || !isObject(object['metadata'])) throw new TypeError('The answer was no object')
  const { status: _, ...rest } = object
  const { name, namespace, labels, annotations } = object['metadata']
  return parseJson(printJson({ ...rest, metadata: { name, namespace, labels, annotations } })) as JsonObject
}

function pathOf({ kinds }: Backend, resource: ResourceName, ref: string): string {
  const kind = [...kinds.all()].find((each) => isNamed(each, resource))
  const version = kind?.versions[0]
  if (!kind || !version)
    throw new TypeError(`No resource "${JSON.stringify(resource)}": name it as plural, or as plural.group.`)
  const [first = '', second] = ref.split('/')
  const root = kind.group === '' ? `/api/${version.name}` : `/apis/${kind.group}/${version.name}`
  return second === undefined
    ? `${root}/${kind.plural}/${first}`
    : `${root}/namespaces/${first}/${kind.plural}/${second}`
}

function isNamed({ group, plural }: Kind, resource: ResourceName): boolean {
  if (typeof resource !== 'string') return resource.group === group && resource.plural === plural
  return resource === plural || resource === `${plural}.${group}`
}

/** The body of a request of the actor's. */
export const sentBody = (body: object | undefined) => (body === undefined ? new Uint8Array() : bytesOf(printJson(body)))
