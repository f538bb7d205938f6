/** The shapes of the generated files, and the way to unpack the large ones when they are first needed. */
import { brotliDecompressSync } from 'node:zlib'
import type { Json } from '../json.ts'
import type { Verb } from './kind.ts'

/** One resource in one version, as discovery tells it. */
export interface DiscoveredKind {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly plural: string
  readonly singular: string
  readonly namespaced: boolean
  readonly short?: readonly string[]
  readonly categories?: readonly string[]
  readonly verbs: readonly Verb[]
  readonly sub?: readonly DiscoveredSubresource[]
  readonly hash?: string
}

export interface DiscoveredSubresource {
  readonly name: string
  /** What it answers with; of another group and version where those are given. */
  readonly kind: string
  readonly group?: string
  readonly version?: string
  readonly verbs: readonly Verb[]
}

/** What a server fills in on a type of the schema, wherever that type occurs. */
export interface TypeDefaults {
  readonly type: string
  readonly fields: { readonly [field: string]: Json }
}

/** A packed value, unpacked once, when somebody asks. It comes with this package, so that it needs none of the guards of other JSON. */
export function lazily<T>(packed: string): () => T {
  let value: T | undefined
  return () => {
    value ??= JSON.parse(brotliDecompressSync(Buffer.from(packed, 'base64')).toString()) as T
    return value
  }
}
