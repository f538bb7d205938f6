export type { Connection } from './access/kubeconfig.ts'
export type { Clock } from './clock.ts'
export { type Actor, Cluster } from './cluster.ts'
export type { ClusterOptions, ClusterUser, DataOptions, TlsFiles } from './cluster-options.ts'
export type {
  Transport,
  TransportOptions,
  TransportRequest,
  TransportResponse,
  TransportUser,
} from './http/in-process.ts'
export type { Verb } from './kinds/kind.ts'
export { DataFileError } from './persist/data-file-error.ts'
export type { Durability } from './persist/journal.ts'
export type { RecordedRequest } from './request/record.ts'
