// `export *` and not a list of names: only so can `declare module 'binnacle'` extend `ResourceMap`.
export * from '@binnacle/client'
export type { Activity, ActivityContext, ActivityOptions } from './declare/activity.ts'
export type {
  Acting,
  Attempt,
  ChangeContext,
  ChangeView,
  EventContext,
  EventView,
  ObjectView,
  Reason,
  Step,
  Steps,
} from './declare/context.ts'
export type { DaemonContext, DaemonExtras, DaemonVerb, Delay } from './declare/daemon.ts'
export { DeclarationError } from './declare/declaration-error.ts'
export type { Diff, Essence } from './declare/diff.ts'
export type { AnyEnv, Env, Memo } from './declare/env.ts'
export { ABSENT, all, any, type Check, type Marker, none, not, type OneOf, oneOf, PRESENT } from './declare/filters.ts'
export { type Handlers, type HandlersOptions, handlers, type Usable } from './declare/handler-set.ts'
export {
  type AdoptOptions,
  adjustNamespace,
  adopt,
  appendOwnerReference,
  harmonizeNaming,
  label,
  type ObjectReference,
  objectReference,
  ownerReference,
  removeOwnerReference,
} from './declare/hierarchies.ts'
export {
  type Index,
  type IndexContext,
  type IndexDeclaration,
  type IndexKey,
  type IndexValues,
  type IndicesOf,
  index,
} from './declare/index-handler.ts'
export type { Declared, On, OpenSettings } from './declare/on.ts'
export type {
  Backoff,
  Behaviour,
  ChangeFilters,
  ErrorsMode,
  Fn,
  Result,
  ResumeExtras,
  StateFilters,
} from './declare/options.ts'
export type { Patch } from './declare/patch.ts'
export type { Field, FieldPath, FieldValue } from './declare/paths.ts'
export { type Stopped, StopReason, type StopStage, type StopWhy } from './declare/stopped.ts'
export type { TimerExtras, TimerVerb } from './declare/timer.ts'
export {
  type BlockingStopped,
  inWorker,
  type WorkerContext,
  type WorkerFunction,
  type WorkerModule,
  worker,
} from './declare/worker.ts'
export { type Operator, type OperatorDescription, type OperatorOptions, operator } from './operator.ts'
export { kopfPersistence } from './progress/kopf-format.ts'
export { annotationsDiffBase } from './progress/last-handled.ts'
export type { Progress } from './progress/progress.ts'
export { multiDiffBase, multiProgress, smartProgress } from './progress/several-stores.ts'
export type { HandledDigest } from './progress/size-guard.ts'
export { statusDiffBase, statusProgress } from './progress/status-store.ts'
export type {
  AnnotationsOptions,
  DiffBaseOptions,
  DiffBaseStorage,
  ProgressStorage,
  SizeLimits,
  StatusOptions,
  StorageOwner,
  StoragePatch,
} from './progress/storage.ts'
export { annotationsProgress } from './progress/store.ts'
export type {
  AwaitedKind,
  AwaitedList,
  GateProgress,
  Health,
  ScanHealth,
  ScopeHealth,
  SlowedObject,
  StreamHealth,
  WatchState,
} from './report/health.ts'
export type { Observer, Run, Said, Write } from './report/observer.ts'
export type { EventOptions, EventRecorder } from './report/recorder.ts'
export {
  ActivityError,
  HandlerRetriesError,
  HandlerTimeoutError,
  PermanentError,
  TemporaryError,
} from './run/errors.ts'
export type { LoggingOptions, RunOptions } from './run-options.ts'
export type { RunningOperator } from './run-parts.ts'
export type { DueHandler, Lifecycle, LifecycleName } from './select/lifecycle.ts'
export type { Settings, SettingsInput } from './settings.ts'
export { type Simulated, type SimulatedLog, type SimulateOptions, simulate } from './simulate.ts'
