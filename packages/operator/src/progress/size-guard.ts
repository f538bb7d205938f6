import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { isPlainObject } from '@binnacle/core'
import { digest } from '../cause/digest.ts'
import type { SizeLimits } from './storage.ts'

/**
 * State of any size in a place of limited size: all annotations of an object may have 256 KiB together.
 * Guarantees: what is returned is never longer than the larger of the two limits, so that nothing ever loops on an object that is too large;
 * equal states are stored as equal texts.
 * Assumes: whoever packed it unpacks it; nothing else begins with these words.
 */

/** What is left of a state that was too large to be kept. */
export interface HandledDigest {
  readonly '~digest': string
}

const DEFLATED = 'deflated:'
const DIGEST = 'digest:'
/** A text of the largest object that a server takes, many times over: a bomb ends here. */
const MOST_BYTES = 64 * 1024 * 1024

export function isHandledDigest(state: unknown): state is HandledDigest {
  return isPlainObject(state) && typeof state['~digest'] === 'string'
}

export function packed(state: object, { compress, digest: most }: SizeLimits): string {
  const text = JSON.stringify(state)
  if (Buffer.byteLength(text) <= compress) return text
  const deflated = `${DEFLATED}${deflateRawSync(text).toString('base64')}`
  return deflated.length <= most ? deflated : `${DIGEST}${digest(state)}`
}

/** The state, or its digest; undefined for what is neither, because somebody edited it. */
export function unpacked(text: string | undefined): { [field: string]: unknown } | HandledDigest | undefined {
  if (text === undefined) return undefined
  if (text.startsWith(DIGEST)) return { '~digest': text.slice(DIGEST.length) }
  try {
    const state: unknown = JSON.parse(text.startsWith(DEFLATED) ? inflated(text.slice(DEFLATED.length)) : text)
    return isPlainObject(state) && !isHandledDigest(state) ? state : undefined
  } catch {
    return undefined
  }
}

function inflated(base64: string): string {
  return inflateRawSync(Buffer.from(base64, 'base64'), { maxOutputLength: MOST_BYTES }).toString()
}
