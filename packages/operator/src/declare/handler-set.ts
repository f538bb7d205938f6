import type { TypeOnly } from '@binnacle/core'
import type { DaemonVerb } from './daemon.ts'
import { DeclarationError } from './declaration-error.ts'
import type { AnyEnv, Env, Memo } from './env.ts'
import { type IndexDeclarations, type IndicesOf, indexDefinitions } from './index-handler.ts'
import { declarations, type On } from './on.ts'
import { Registry } from './registry.ts'
import { backgroundVerbs, type TimerVerb } from './timer.ts'

type Made<D, M, S> = { readonly indices: IndicesOf<D>; readonly memo: M; readonly shared: S }

export interface HandlersOptions<D extends IndexDeclarations, M extends object, S> {
  /** Indices by name; the names become names in the context of every handler of the set. One that is listed elsewhere too is one. */
  readonly indices?: D
  /** Makes the memory of an object that this set sees, and nobody else. @default an empty, untyped one */
  readonly memo?: () => M
  /** The type of what the operator must share: `typed<{ pool: Pool }>()`. */
  readonly shared?: TypeOnly<S>
}

/**
 * A set of handlers without an operator: a file of a larger operator, or a package. It has its own indices and its own
 * memory; it says what it needs the operator to share. Handlers' ids begin with the name of the set.
 */
export interface Handlers<E extends Env = AnyEnv> extends DaemonVerb<E>, TimerVerb<E> {
  readonly name: string
  readonly on: On<E>
  /** Exists only for the compiler: what this set needs. */
  readonly '~needs': (shared: E['shared']) => void
}

/** What an operator accepts in `use`. */
export interface Usable<S> {
  readonly name: string
  readonly '~needs': (shared: S) => void
}

const REGISTRY = Symbol('registry')
const NAME = /^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$/

/**
 * Declares a set of handlers, to be mounted with `op.use`.
 * @example export const backups = handlers('backups', { memo: () => ({ taken: 0 }) })
 * backups.on.create(App, { id: 'first' }, ({ memo }) => { memo.taken++ })   // its id is `backups/first`
 */
export function handlers<const D extends IndexDeclarations = {}, M extends object = Memo, S = unknown>(
  name: string,
  options: HandlersOptions<D, M, S> = {},
): Handlers<Made<D, M, S>> {
  if (!NAME.test(name)) throw unusable(name)
  const indices = indexDefinitions(options.indices, `the set "${name}"`)
  const registry = new Registry(`set "${name}"`, indices, {
    name,
    indices: new Map([...indices.keys()].map((index) => [index, `${name}/${index}`])),
    makeMemo: options.memo ?? (() => ({})),
  })
  const verbs = { on: declarations(registry), ...backgroundVerbs(registry) }
  return { name, ...verbs, '~needs': () => {}, [REGISTRY]: registry } as unknown as Handlers<Made<D, M, S>>
}

/** What a set has declared so far. */
export function registryOf(set: Usable<never>): Registry {
  const registry = (set as { [REGISTRY]?: Registry })[REGISTRY]
  if (registry) return registry
  throw new DeclarationError({
    message: '`use` was given something that is not a set of handlers',
    hint: 'Sets are made by `handlers`.',
    fix: "const backups = handlers('backups')",
  })
}

function unusable(name: string): DeclarationError {
  return new DeclarationError({
    message: `${JSON.stringify(name)} cannot be the name of a set of handlers`,
    hint: 'The ids of its handlers begin with it: use letters, digits, dashes and dots.',
    fix: "handlers('backups')",
  })
}
