/**
 * The two faces of an Event: that of the core group, in which it is stored, and that of events.k8s.io, under other names.
 * Guarantees: nothing is lost from one form to the other and back. Pure.
 */
import type { Json, JsonObject } from '../json.ts'
import type { KubeObject } from '../object.ts'
import type { Kind } from './kind.ts'

/** Names in the core group, and in events.k8s.io. What is not here has one name. */
const names: readonly (readonly [core: string, renewed: string])[] = [
  ['message', 'note'],
  ['involvedObject', 'regarding'],
  ['source', 'deprecatedSource'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['count', 'deprecatedCount'],
  ['reportingComponent', 'reportingController'],
]
const toRenewed = new Map(names)
const toCore = new Map(names.map(([core, renewed]) => [renewed, core]))

export const isRenewedEvent = ({ group, plural }: Kind) => group === 'events.k8s.io' && plural === 'events'

/** What the core group always prints. */
const coreZeros: JsonObject = { reportingComponent: '', reportingInstance: '' }
const hidden = new Set(['reportingController', 'reportingInstance'])

export function coreEvent(event: KubeObject): KubeObject {
  return { kind: event.kind, apiVersion: 'v1', ...coreZeros, ...renamed(withoutType(event), toCore) } as KubeObject
}

export function renewedEvent(event: KubeObject): KubeObject {
  const found = Object.entries(renamed(withoutType(event), toRenewed)).filter(
    ([key, value]) => !(hidden.has(key) && value === ''),
  )
  return { kind: event.kind, apiVersion: 'events.k8s.io/v1', ...Object.fromEntries(found) } as KubeObject
}

/** Kind and apiVersion are written in front, where the encoder looks for them. */
const withoutType = ({ kind: _, apiVersion: __, ...event }: KubeObject): JsonObject => event

function renamed(event: JsonObject, by: ReadonlyMap<string, string>): JsonObject {
  return Object.fromEntries(Object.entries(event).map(([key, value]) => [by.get(key) ?? key, value as Json]))
}
