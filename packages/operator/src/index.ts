// `export *` and not a list of names: only so can `declare module 'binnacle'` extend `ResourceMap`.
export * from '@binnacle/client'
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
export { DeclarationError } from './declare/declaration-error.ts'
export type { Diff, Essence } from './declare/diff.ts'
export type { AnyEnv, Env, Memo } from './declare/env.ts'
export { ABSENT, all, any, type Check, type Marker, none, not, type OneOf, oneOf, PRESENT } from './declare/filters.ts'
export { type AdoptOptions, adopt, ownerReference } from './declare/hierarchies.ts'
export {
  type Index,
  type IndexContext,
  type IndexDeclaration,
  type IndexKey,
  type IndexValues,
  type IndicesOf,
  index,
} from './declare/index-handler.ts'
export type { Declared, On } from './declare/on.ts'
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
export { type Operator, type OperatorDescription, type OperatorOptions, operator } from './operator.ts'
export type { Health, StreamHealth } from './report/health.ts'
export type { Observer, Run, Write } from './report/observer.ts'
export { HandlerRetriesError, HandlerTimeoutError, PermanentError, TemporaryError } from './run/errors.ts'
export type { LoggingOptions, RunOptions } from './run-options.ts'
export type { RunningOperator } from './running-operator.ts'
export type { Settings, SettingsInput } from './settings.ts'
