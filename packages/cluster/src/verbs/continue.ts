/** The token between two pages of a list: which snapshot, and after which key. */
import { badRequest } from '../http/status.ts'
import { isObject, type Json, parseJson, printJson } from '../json.ts'

export interface Continuation {
  /** The version of the snapshot; -1: whatever is there now. */
  readonly revision: number
  /** The first key that may follow. Relative to the namespace of the list, so that it also serves another namespace. */
  readonly start: string
}

export function printToken({ revision, start }: Continuation): string {
  return Buffer.from(printJson({ v: 'meta.k8s.io/v1', rv: revision, start })).toString('base64url')
}

export function parseToken(token: string): Continuation {
  const { v, rv, start } = decoded(token)
  if (v !== 'meta.k8s.io/v1')
    throw badRequest('invalid continue token: continue key is not valid: unrecognized version')
  if (typeof rv !== 'number' || !Number.isInteger(rv) || rv === 0 || rv < -1) {
    throw badRequest('invalid continue token: continue key is not valid: incorrect encoded start resourceVersion')
  }
  if (typeof start !== 'string' || start === '') {
    throw badRequest('invalid continue token: continue key is not valid: encoded start key empty')
  }
  return { revision: rv, start }
}

function decoded(token: string): { readonly [key: string]: Json | undefined } {
  try {
    const value = parseJson(Buffer.from(token, 'base64url').toString('utf8'))
    if (isObject(value)) return value
  } catch {
    // Falls through: whatever is wrong with it, it is not a token of ours.
  }
  throw badRequest('invalid continue token: continue key is not valid: it is not one that a list has given')
}
