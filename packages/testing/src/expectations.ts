import type { Client, Ref } from '@binnacle/client'
import { BinnacleError, deepEqual, isPlainObject, type ResourceLike } from '@binnacle/core'
import type { Ledger } from './ledger.ts'

/** Throw with a readable account of the difference, and the timeline of what happened. */
export interface Expectations {
  /** The handler has been called so many times, for the object if one is named as `namespace/name`; where things go wrong, at least so many. */
  called(handler: string, times: number, object?: string): void
  /** The operator has written nothing, or nothing since there were so many writes. Where things go wrong it may have. */
  quiet(since?: number): void
  /** The object is gone, or contains what is given. */
  object(resource: ResourceLike, ref: Ref, shape: object | undefined): Promise<void>
}

export function expectations(ledger: Ledger, client: Client, disturbed = false): Expectations {
  const refuse = (message: string) => {
    throw new BinnacleError('BIN_EXPECTATION', { message, hint: `What happened:\n${ledger.timeline}` })
  }
  return {
    called(handler, times, object) {
      const runs = ledger.of(handler, object)
      if (disturbed ? runs.length < times : runs.length !== times)
        refuse(`Handler "${handler}" was called ${runs.length} times, expected ${times}`)
    },
    quiet(since = 0) {
      const writes = ledger.writes.length - since
      if (writes > 0 && !disturbed) refuse(`The operator wrote ${writes} times, expected none`)
    },
    async object(resource, ref, shape) {
      const found = await client.find(resource, ref)
      if (!contains(found, shape)) refuse(`Expected ${JSON.stringify(shape)}, found ${JSON.stringify(found)}`)
    },
  }
}

/** Whether all that is in the shape is in the value; lists and scalars are compared whole. */
function contains(value: unknown, shape: unknown): boolean {
  if (!isPlainObject(shape)) return deepEqual(value, shape)
  return isPlainObject(value) && Object.entries(shape).every(([key, member]) => contains(value[key], member))
}
