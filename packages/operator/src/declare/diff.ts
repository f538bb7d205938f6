import type { Diff as AnyDiff, StringMap } from '@binnacle/core'
import type { FieldPath } from './paths.ts'

/** The differences between `old` and `new`, in a fixed order: by path. */
export interface Diff<T> extends Omit<AnyDiff, 'touches'> {
  /** Whether this field, something in it, or something around it differs. */
  touches(field: FieldPath<T> | readonly string[]): boolean
}

/**
 * What counts as content of an object: no apiVersion, no kind, of the metadata only labels and annotations (without the
 * framework's own), and of the status only fields that some handler of the kind names in `field`.
 */
export type Essence<T> = string extends keyof T
  ? // biome-ignore lint/suspicious/noExplicitAny: as loose as the object
    { readonly [field: string]: any }
  : Omit<T, 'apiVersion' | 'kind' | 'metadata' | 'status'> & {
      readonly metadata?: { readonly labels?: StringMap; readonly annotations?: StringMap }
    } & { readonly [K in 'status' & keyof T]?: Partial<NonNullable<T[K]>> }
