import { BinnacleError, type KubeObject } from '@binnacle/core'
import type { KeyFunc } from '../keys.ts'

/** The values of one object in one index; none means that it is not in the index. Pure: it runs once per object and change. */
export type IndexFunc<T> = (object: T) => readonly string[]

/** Index functions by the name of the index. */
export interface Indexers<T> {
  readonly [indexName: string]: IndexFunc<T>
}

/** The keys of objects by indexed value. */
export type Index = ReadonlyMap<string, ReadonlySet<string>>
export type Indices<I extends string> = { readonly [N in I]: Index }

/** The name under which listers look for the namespace index. */
export const NAMESPACE_INDEX = 'namespace'

/** One value: the namespace; the empty string at cluster scope. */
export function metaNamespaceIndexFunc(object: KubeObject): readonly [string] {
  return [object.metadata.namespace ?? '']
}

/** A key function out of an index function that gives exactly one value. */
export function indexFuncToKeyFuncAdapter<T>(indexFunc: IndexFunc<T>): KeyFunc<T> {
  return (object) => {
    const [key, ...more] = indexFunc(object)
    if (key !== undefined && more.length === 0) return key
    throw new BinnacleError('BIN_KEY', {
      message: `An index function that serves as key function gave ${key === undefined ? 'no value' : `${more.length + 1} values`}`,
      hint: 'A key is exactly one value: use an index function that always gives one.',
    })
  }
}

/** No index has that name. */
export class IndexNotFoundError extends BinnacleError {
  override readonly name = 'IndexNotFoundError'
  readonly indexName: string

  constructor(indexName: string, known: Iterable<string>) {
    const names = [...known]
    super('BIN_STORE', {
      message: `There is no index called ${JSON.stringify(indexName)}`,
      hint:
        names.length === 0
          ? 'This store has no indices: add one with `addIndexers`.'
          : `There are: ${names.join(', ')}.`,
    })
    this.indexName = indexName
  }
}
