/** The face of the client. The words of core come with it, so that `declare module` can extend `ResourceMap` by this name too. */
import type { BuiltInKinds } from '@binnacle/kinds'

declare module '@binnacle/core/public' {
  interface ResourceMap extends BuiltInKinds {}
}

// Both have it; the shape is the same.
export type { StringMap } from '@binnacle/core/public'
export * from '@binnacle/core/public'
export type * from '@binnacle/kinds'
export type { Client, ClientDefaults, ConnectOptions } from './client.ts'
export { connect } from './connect.ts'
export type { ConnectionInfo, ExecPlugin, Impersonation } from './connection.ts'
export type { ManagedFields } from './decode.ts'
export type { Discovery } from './discovery.ts'
export type { ExecPolicy } from './exec-policy.ts'
export { KubeConfig, type KubeConfigOptions } from './kubeconfig.ts'
export type { Login, LoginReason, LoginRequest } from './login.ts'
export type {
  ApplyOptions,
  DeleteOptions,
  LogOptions,
  MetadataOf,
  MetadataOnly,
  PatchOptions,
  RawOptions,
  ReadOptions,
  Ref,
  StrategicDirectives,
  StrategicPatch,
  WriteOptions,
} from './options.ts'
export type { Compression, Transport, TransportAnswer, TransportRequest } from './transport.ts'
