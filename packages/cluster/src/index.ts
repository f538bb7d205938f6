export type { Connection } from './access/kubeconfig.ts'
export type { Clock } from './clock.ts'
export { Cluster } from './cluster.ts'
export type { ClusterOptions, ClusterUser, DataOptions, TlsFiles } from './cluster-options.ts'
export type { Actor } from './faults/actor.ts'
export type { Duration } from './faults/duration.ts'
export * from './faults/effects.ts'
export type { Fault, Faults } from './faults/faults.ts'
export type { FaultMatch, ResourceName } from './faults/match.ts'
export type { Occasion } from './faults/occasion.ts'
export type { PresetName } from './faults/presets.ts'
export type { Firing, Plan } from './faults/rule.ts'
export type { Trigger } from './faults/trigger.ts'
export type {
  Transport,
  TransportOptions,
  TransportRequest,
  TransportResponse,
  TransportUser,
} from './http/in-process.ts'
export type { Verb } from './kinds/kind.ts'
export type { KubeObject } from './object.ts'
export { DataFileError } from './persist/data-file-error.ts'
export type { Durability } from './persist/journal.ts'
export { FaultProxy, type FaultProxyOptions } from './proxy/fault-proxy.ts'
export type { ProxyTarget } from './proxy/upstream.ts'
export type { RecordedRequest } from './request/record.ts'
