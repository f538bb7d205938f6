// biome-ignore-all lint/suspicious/noConfusingVoidType: an indexing function may return nothing
// biome-ignore-all lint/suspicious/noExplicitAny: loose objects are part of the face, so that a first operator needs no types
import type { Duration, KubeObject, Mistake, ObjectOf, ResourceLikes } from '@binnacle/core'
import type { Attempt, ObjectView } from './context.ts'
import { DeclarationError } from './declaration-error.ts'
import type { AnyEnv } from './env.ts'
import {
  attempts,
  checkedBackoff,
  type DeclaredOptions,
  errorsMode,
  filtersOf,
  type HandlerFilters,
  length,
  nameOf,
} from './handler.ts'
import type { Backoff, ErrorsMode, StateFilters } from './options.ts'
import type { Field } from './paths.ts'

type Scalar = string | number | boolean | null
/** What an index may be keyed by: scalars, and arrays of them, which are compared by value. */
export type IndexKey = Scalar | readonly [] | readonly [Scalar, ...Scalar[]]

/** The values under one key: a live, unordered collection with duplicates; iteration works on what was there when it began. */
export interface IndexValues<V> extends Iterable<V> {
  readonly size: number
  has(value: V): boolean
  /** Any one of them; undefined when there is none. */
  first(): V | undefined
  toArray(): V[]
  map<U>(fn: (value: V) => U): U[]
  filter(fn: (value: V) => boolean): V[]
  find(fn: (value: V) => boolean): V | undefined
  some(fn: (value: V) => boolean): boolean
  every(fn: (value: V) => boolean): boolean
}

/**
 * A read-only view of an index: keys lead to collections of values. It exists from the start, possibly empty; a key exists
 * as long as it has values. Lookups cost the same whatever the size.
 */
export interface Index<K, V> extends Iterable<readonly [K, IndexValues<V>]> {
  /** The values under the key; an empty collection for a key that is not there. */
  get(key: K): IndexValues<V>
  /** Any one value under the key. */
  first(key: K): V | undefined
  has(key: K): boolean
  keys(): IterableIterator<K>
  values(): IterableIterator<IndexValues<V>>
  entries(): IterableIterator<readonly [K, IndexValues<V>]>
  /** The number of keys. */
  readonly size: number
}

/** A declared index. List it in `indices` to give it a name; listed twice, under whichever names, it is still one index. */
export interface IndexDeclaration<K, V> {
  /** Exists only for the compiler. */
  readonly '~index': { readonly key: K; readonly value: V }
}
export interface IndexDeclarations {
  readonly [name: string]: IndexDeclaration<any, any>
}
export type IndicesOf<D> = {
  readonly [N in keyof D]: D[N] extends IndexDeclaration<infer K, infer V> ? Index<K, V> : never
}

/** What the filters of an index look at. */
export interface IndexView<T extends KubeObject> extends ObjectView<T, AnyEnv> {
  /** All indices of the operator by name, possibly not filled yet. */
  readonly indices: { readonly [name: string]: Index<any, any> }
}

/**
 * What an indexing function gets. It runs in the same step in which the cache changes, so it cannot wait for anything. `retry`, `started`
 * and `runtime` count from the first failure of the object in this index.
 */
export interface IndexContext<T extends KubeObject, P = undefined>
  extends IndexView<T>,
    Pick<Attempt<P>, 'param' | 'retry' | 'started' | 'runtime'> {}

/** How an index fails. */
export interface IndexBehaviour<P> {
  /** Handed to the function as it is. */
  readonly param?: P
  /**
   * What errors other than ours mean: keep the values that are there; exclude the object for a while; or for ever.
   * @default 'ignored'
   */
  readonly errors?: ErrorsMode
  /** In temporary mode: how long an object stays excluded. @default '60s' */
  readonly backoff?: Backoff
  /** Number of attempts in all, after which the object is excluded for ever. */
  readonly retries?: number
  /** Time since the first failure after which the object is excluded for ever. */
  readonly timeout?: Duration
}

// The union with a map that has its own type parameters is what makes `new Map([[[namespace, name], …]])` come out with
// tuple keys and without `as const`; the constraint of `Result` does the same for a tuple that is returned as a value.
type Returned = Scalar | undefined | void | object | readonly []
type KeyOfResult<R> = 0 extends 1 & R
  ? IndexKey
  : R extends null | undefined | void
    ? never
    : R extends ReadonlyMap<infer K, any>
      ? K
      : R extends Scalar | readonly unknown[] | ReadonlySet<any> | Date | KubeObject
        ? null
        : string
type ValueOfResult<R> = 0 extends 1 & R
  ? any
  : R extends null | undefined | void
    ? never
    : R extends ReadonlyMap<any, infer V>
      ? V
      : R extends Scalar | readonly unknown[] | ReadonlySet<any> | Date | KubeObject
        ? R
        : R[keyof R]
type DeclaredIndex<K, V, R> =
  R extends PromiseLike<unknown>
    ? Mistake<'an indexing function is synchronous: do the slow work in a handler and index its outcome'>
    : IndexDeclaration<
        Frozen<[IndexKey] extends [K] ? KeyOfResult<R> : K | KeyOfResult<R>>,
        [IndexKey] extends [K] ? ValueOfResult<R> : V | ValueOfResult<R>
      >
type Frozen<K> = K extends readonly unknown[] ? Readonly<K> : K

/** An index as data. */
export interface IndexDefinition {
  readonly resource: ResourceLikes
  readonly filters: HandlerFilters
  readonly fn: (context: object) => unknown
  readonly param: unknown
  readonly errors: ErrorsMode
  readonly backoff: Backoff
  /** Seconds since the first failure. */
  readonly timeout: number | undefined
  readonly retries: number | undefined
}

const DEFINITION = Symbol('index definition')

/**
 * Declares an index over a resource. A plain object or a Map that the function returns is merged by its keys; everything
 * else, bodies included, is a value under the key null; undefined and null mean "keep what is there".
 */
export function index<R extends ResourceLikes, K extends IndexKey, V, Result extends Returned>(
  resource: R,
  fn: (ctx: IndexContext<ObjectOf<R>>) => ReadonlyMap<K, V> | Result,
): DeclaredIndex<K, V, Result>
export function index<
  R extends ResourceLikes,
  K extends IndexKey,
  V,
  Result extends Returned,
  const F extends Field<ObjectOf<R>> = never,
  P = undefined,
>(
  resource: R,
  options: IndexBehaviour<P> & StateFilters<ObjectOf<R>, F, IndexView<ObjectOf<R>>>,
  fn: (ctx: IndexContext<ObjectOf<R>, P>) => ReadonlyMap<K, V> | Result,
): DeclaredIndex<K, V, Result>
export function index(resource: ResourceLikes, ...args: readonly unknown[]): object {
  const [options, fn] = (args.length > 1 ? args : [{}, args[0]]) as [DeclaredOptions, IndexDefinition['fn']]
  if (typeof fn !== 'function') throw noFunction(resource)
  const filters = filtersOf(options, `the index over ${nameOf(resource)}`)
  return { [DEFINITION]: { resource, filters, fn, ...failing(options, `index over ${nameOf(resource)}`) } }
}

/** Seconds that an object stays excluded in temporary mode, unless something else is said. */
const DEFAULT_BACKOFF = 60

function failing(options: DeclaredOptions, name: string): Omit<IndexDefinition, 'resource' | 'filters' | 'fn'> {
  return {
    param: options.param,
    errors: errorsMode(options.errors ?? 'ignored', name),
    backoff: checkedBackoff(options.backoff, name) ?? DEFAULT_BACKOFF,
    timeout: options.timeout === undefined ? undefined : length(options.timeout, 'timeout', name),
    retries: attempts(options.retries, name),
  }
}

function noFunction(resource: ResourceLikes): DeclarationError {
  return new DeclarationError({
    message: `The index over ${nameOf(resource)} has no function`,
    hint: 'Declare it as (resource, [filters], function).',
    fix: `index('${nameOf(resource)}', ({ namespace, name }) => ({ [namespace]: name }))`,
  })
}

/** Declared indices by name, as data. */
export function indexDefinitions(
  indices: IndexDeclarations | undefined,
  owner: string,
): ReadonlyMap<string, IndexDefinition> {
  return new Map(
    Object.entries(indices ?? {}).map(([name, declared]) => {
      const definition = indexDefinition(declared)
      if (definition) return [name, definition]
      throw new DeclarationError({
        message: `"${name}" in the indices of ${owner} is not an index`,
        hint: 'Indices are declared with `index`.',
        fix: `indices: { ${name}: index('pods', ({ namespace, name }) => ({ [namespace]: name })) }`,
      })
    }),
  )
}

/** The data behind a declared index; undefined for anything else. */
export function indexDefinition(declared: unknown): IndexDefinition | undefined {
  return (declared as { [DEFINITION]?: IndexDefinition } | undefined)?.[DEFINITION]
}
