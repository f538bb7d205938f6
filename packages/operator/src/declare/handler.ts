import {
  type Duration,
  describeResource,
  type FieldKeys,
  fieldKeys,
  isSelector,
  messageOf,
  type ResourceLikes,
  seconds,
} from '@binnacle/core'
import type { Reason } from './context.ts'
import { DeclarationError } from './declaration-error.ts'
import { ABSENT, PRESENT } from './filters.ts'
import type { Backoff, ErrorsMode, Result } from './options.ts'
import type { Scope } from './scope.ts'
import { checkNotInlined, checkSendable, isWorkerModule } from './worker.ts'

/** A literal to equal, PRESENT or ABSENT, a set made by `oneOf`, or a function of the value and the view. */
export type Criterion = unknown

/** The filters of a handler as data. All of them must hold. */
export interface HandlerFilters {
  readonly labels: readonly (readonly [key: string, criterion: Criterion])[]
  readonly annotations: readonly (readonly [key: string, criterion: Criterion])[]
  readonly field: FieldKeys | undefined
  readonly value: Criterion
  readonly old: Criterion
  readonly new: Criterion
  readonly when: ((view: object) => boolean) | undefined
  /** Whose view callbacks get; undefined for that of the operator. */
  readonly scope?: Scope
}

/** The verbs of `on` for changes. A field handler is for every reason, a resume handler joins the others. */
export type ChangeVerb = Reason | 'field'

/** What a handler calls. One that runs in a worker thread has the address of its file, and is not called here. */
export interface HandlerFunction {
  (context: object): Result | Promise<Result>
  readonly module?: URL
}

/** A handler as data: what was declared, checked, with its defaults filled in where they do not depend on settings. */
export interface Handler {
  readonly id: string
  readonly resource: ResourceLikes
  readonly fn: HandlerFunction
  /** The set that it belongs to; undefined if it belongs to the operator itself. */
  readonly scope: Scope | undefined
  readonly filters: HandlerFilters
  readonly param: unknown
  readonly errors: ErrorsMode
  /** Seconds since the first attempt. */
  readonly timeout: number | undefined
  readonly retries: number | undefined
  readonly backoff: Backoff | undefined
  /** Where the result goes; undefined for nowhere. */
  readonly result: FieldKeys | undefined
}

export interface ChangeHandler extends Handler {
  readonly reason: ChangeVerb
  /** A delete handler that does not hold the object back. */
  readonly optional: boolean
  /** A resume handler that also joins a deletion. */
  readonly deleted: boolean
}

/** Is told every event of the watch; its errors are logged and forgotten. */
export interface EventHandler extends Handler {
  readonly reason: 'event'
}

/** The options of all handlers in one, as they come in, before anything is checked. */
export interface DeclaredOptions {
  readonly id?: string
  readonly param?: unknown
  readonly errors?: ErrorsMode
  readonly timeout?: Duration
  readonly retries?: number
  readonly backoff?: Backoff
  readonly result?: false | string
  readonly optional?: boolean
  readonly deleted?: boolean
  readonly labels?: { readonly [label: string]: Criterion }
  readonly annotations?: { readonly [annotation: string]: Criterion }
  readonly field?: string | FieldKeys
  readonly value?: Criterion
  readonly old?: Criterion
  readonly new?: Criterion
  readonly when?: (view: object) => boolean
}

const NO_OPTIONS: DeclaredOptions = {}

/** What stands after the resource: the function, or options and the function. */
export type Declaration = readonly [fn: unknown] | readonly [options: unknown, fn: unknown]

/**
 * Makes a handler out of what was declared.
 * Guarantees: what it returns can run; every contradiction is a DeclarationError that names the handler and says how to repair it.
 */
export function changeHandler(reason: ChangeVerb, resource: ResourceLikes, args: Declaration): ChangeHandler {
  const [options, fn] = optionsAndFunction(reason, resource, args)
  const declared = `the ${reason} handler of ${nameOf(resource)}`
  if (reason === 'field' && options.field === undefined) throw noField(resource)
  if (reason !== 'update' && reason !== 'field') checkOneState(options, declared)
  const filters = filtersOf(options, declared)
  const { optional = false, deleted = false } = options
  return { ...handlerOf(idOf(options, fn, reason, filters), resource, options, fn, filters), reason, optional, deleted }
}

/** A handler within a handler. Its id begins with that of its parent, and never has a field after it. */
export function stepHandler(parent: ChangeHandler, id: string, args: Declaration): ChangeHandler {
  const declared = `step ${JSON.stringify(id)} of handler "${parent.id}"`
  if (typeof id !== 'string' || id === '') throw noStepName(parent)
  const [options, fn] = optionsAndFunction('step', parent.resource, args)
  if (!isOfChange(parent)) checkOneState(options, declared)
  const filters = filtersOf(options, declared)
  return {
    ...handlerOf(`${parent.id}/${id}`, parent.resource, options, fn, withScope(filters, parent.scope)),
    scope: parent.scope,
    reason: parent.reason,
    optional: false,
    deleted: false,
  }
}

function withScope(filters: HandlerFilters, scope: Scope | undefined): HandlerFilters {
  return scope ? { ...filters, scope } : filters
}

/** Whether its filters look at two states, and at what is between them. */
export function isOfChange({ reason }: ChangeHandler): boolean {
  return reason === 'update' || reason === 'field'
}

/** The same for a handler of watch events. Nothing is stored of it, so there is nothing to retry. */
export function eventHandler(resource: ResourceLikes, args: Declaration): EventHandler {
  const [options, fn] = optionsAndFunction('event', resource, args)
  const declared = `the event handler of ${nameOf(resource)}`
  checkOneState(options, declared)
  checkNoRetries(options, declared)
  const filters = filtersOf(options, declared)
  const id = idOf(options, fn, 'event', filters)
  return { ...handlerOf(id, resource, { ...options, errors: 'ignored' }, fn, filters), reason: 'event' }
}

export function optionsAndFunction(
  verb: string,
  resource: ResourceLikes,
  args: Declaration,
): [DeclaredOptions, Handler['fn']] {
  const [given, fn] = args.length > 1 ? args : [NO_OPTIONS, args[0]]
  const options = given as DeclaredOptions
  const declared = `the ${verb} handler of ${nameOf(resource)}`
  if (isWorkerModule(fn)) {
    checkSendable(options.param, declared)
    return [options, fn['~worker']]
  }
  checkNotInlined(fn, declared)
  if (typeof fn !== 'function') throw noFunction(verb, resource)
  return [options, fn as HandlerFunction]
}

export function handlerOf(
  id: string,
  resource: ResourceLikes,
  options: DeclaredOptions,
  fn: Handler['fn'],
  filters: HandlerFilters,
): Handler {
  return {
    id,
    resource,
    fn,
    filters,
    scope: undefined,
    ...limitsOf(options, id),
    result: resultKeys(options.result, id),
  }
}

type Limits = Pick<Handler, 'param' | 'errors' | 'timeout' | 'retries' | 'backoff'>

/** What all declarations have in common: how a function fails, and what is handed to it. */
export function limitsOf(options: DeclaredOptions, id: string): Limits {
  return {
    param: options.param,
    errors: errorsMode(options.errors ?? 'temporary', id),
    timeout: options.timeout === undefined ? undefined : length(options.timeout, 'timeout', id),
    retries: attempts(options.retries, id),
    backoff: checkedBackoff(options.backoff, id),
  }
}

/** The handler as one of a set: known by the name of the set too, in its id and where its result goes. */
export function scoped<H extends Handler>(handler: H, scope: Scope): H {
  const id = `${scope.name}/${handler.id}`
  const [status, key, ...rest] = handler.result ?? []
  const byId = status === 'status' && key === handler.id && rest.length === 0
  const result = byId ? ['status', id] : handler.result
  return { ...handler, id, result, scope, filters: { ...handler.filters, scope } }
}

/** How a resource, or a choice of several, is called in messages. */
export function nameOf(resource: ResourceLikes): string {
  return describeResource(resource)
}

/** Whether two declarations are about the same, as far as that can be told before a server is asked. */
export function isSameResource(one: ResourceLikes, other: ResourceLikes): boolean {
  return isSelector(one) || isSelector(other) ? one === other : nameOf(one) === nameOf(other)
}

export function filtersOf(options: DeclaredOptions, handler: string): HandlerFilters {
  checkSides(options, handler)
  return {
    labels: criteria(options.labels, 'label', handler),
    annotations: criteria(options.annotations, 'annotation', handler),
    field: options.field === undefined ? undefined : keysOf(options.field, handler),
    value: options.value,
    old: options.old,
    new: options.new,
    when: options.when,
  }
}

function checkSides({ field, value, old, new: current }: DeclaredOptions, handler: string): void {
  if (field === undefined && (value !== undefined || old !== undefined || current !== undefined)) {
    throw new DeclarationError({
      message: `${handler} has a filter on a value, but no field to look at`,
      hint: "Name the field: { field: 'spec.replicas', value: 3 }.",
    })
  }
  if (value !== undefined && (old !== undefined || current !== undefined)) {
    throw new DeclarationError({
      message: `${handler} has \`value\` together with \`old\` or \`new\``,
      hint: 'Give either `value`, which looks at both sides of a change, or `old` and `new`, one for each side.',
    })
  }
}

export function checkOneState({ old, new: current }: DeclaredOptions, handler: string): void {
  if (old === undefined && current === undefined) return
  throw new DeclarationError({
    message: `${handler} has \`old\` or \`new\`, but there is only one state to look at`,
    hint: 'Use `value` here; `old` and `new` belong to update and field handlers.',
  })
}

function checkNoRetries({ retries, timeout, backoff, errors }: DeclaredOptions, handler: string): void {
  if ([retries, timeout, backoff, errors].every((option) => option === undefined)) return
  throw new DeclarationError({
    message: `${handler} says what to do after an error, but an event is told once`,
    hint: 'Leave out `retries`, `timeout`, `backoff` and `errors`, or handle changes: `on.create`, `on.update`, `on.field`.',
  })
}

function criteria(given: DeclaredOptions['labels'], what: string, handler: string): [string, Criterion][] {
  return Object.entries(given ?? {}).map(([key, criterion]) => {
    if (criterion === null || criterion === undefined) {
      throw new DeclarationError({
        message: `${handler} filters by the ${what} "${key}" with ${criterion}, which says nothing`,
        hint: 'Use a value, PRESENT, ABSENT, oneOf(…), or a function of the value.',
      })
    }
    return [key, criterion]
  })
}

function keysOf(field: string | FieldKeys, handler: string): FieldKeys {
  const keys = fieldKeys(field)
  if (keys.length > 0 && keys.every((key) => key !== '')) return keys
  throw new DeclarationError({
    message: `${handler} has a field without a name: ${JSON.stringify(field)}`,
    hint: "Write a dotted path such as 'spec.replicas', or the keys one by one: ['metadata', 'annotations', 'example.com/x'].",
  })
}

export function idOf(options: DeclaredOptions, fn: { name: string }, verb: string, { field }: HandlerFilters): string {
  const id = options.id ?? (fn.name || verb)
  return field === undefined ? id : `${id}/${field.join('.')}`
}

export function errorsMode(errors: ErrorsMode, id: string): ErrorsMode {
  if (['ignored', 'temporary', 'permanent'].includes(errors)) return errors
  throw new DeclarationError({
    message: `Handler "${id}" has errors: ${JSON.stringify(errors)}`,
    hint: "What errors other than ours mean is 'ignored', 'temporary' or 'permanent'.",
  })
}

/** Seconds. */
export function length(duration: Duration, option: string, id: string): number {
  try {
    return seconds(duration)
  } catch (error) {
    throw new DeclarationError({
      message: `Handler "${id}" has a ${option} that is none: ${messageOf(error)}`,
      hint: "Give seconds as a number, or a string with a unit: '500ms', '5s', '2m', '1h'.",
    })
  }
}

/** A policy or a function speaks for itself when it is asked; a constant is checked here, not at the first failure. */
export function checkedBackoff(backoff: Backoff | undefined, id: string): Backoff | undefined {
  if (typeof backoff === 'string' || typeof backoff === 'number') length(backoff, 'backoff', id)
  return backoff
}

export function attempts(retries: number | undefined, id: string): number | undefined {
  if (retries === undefined || (Number.isInteger(retries) && retries > 0)) return retries
  throw new DeclarationError({
    message: `Handler "${id}" has retries: ${retries}`,
    hint: '`retries` is the number of attempts in all: a whole number from 1 on. Leave it out for no limit.',
  })
}

function resultKeys(result: false | string | undefined, id: string): FieldKeys | undefined {
  if (result === false) return undefined
  if (result === undefined) return ['status', id]
  if (result.startsWith('status.')) return fieldKeys(result)
  throw new DeclarationError({
    message: `Handler "${id}" wants its result in ${JSON.stringify(result)}`,
    hint: "Results go to the status: result: 'status.children', or result: false for nowhere.",
  })
}

function noField(resource: ResourceLikes): DeclarationError {
  return new DeclarationError({
    message: `The field handler of ${nameOf(resource)} names no field`,
    hint: 'Say which field it is about, or use `on.update` for changes of whichever field.',
    fix: `op.on.field('${nameOf(resource)}', { field: 'spec.replicas' }, ({ old, current }) => { … })`,
  })
}

function noStepName({ id }: ChangeHandler): DeclarationError {
  return new DeclarationError({
    message: `A step of handler "${id}" has no name`,
    hint: 'Its progress is stored under its name.',
    fix: "await step('volume', async () => { … })",
  })
}

function noFunction(verb: string, resource: ResourceLikes): DeclarationError {
  return new DeclarationError({
    message: `The ${verb} handler of ${nameOf(resource)} is not a function`,
    hint: 'Declare it as (resource, [options], handler).',
    fix: `op.on.${verb}('${nameOf(resource)}', ({ name, spec, patch, logger }) => { … })`,
  })
}

export function isMarker(criterion: Criterion): criterion is typeof PRESENT | typeof ABSENT {
  return criterion === PRESENT || criterion === ABSENT
}
