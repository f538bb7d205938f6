import type { KubeObject } from '@binnacle/core'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  DeletedFinalStateUnknown,
  deletionHandlingMetaNamespaceKeyFunc,
  deletionHandlingObjectToName,
  ExplicitKey,
  formatObjectName,
  KeyError,
  keyOf,
  metaNamespaceKeyFunc,
  objectToName,
  parseObjectName,
  splitMetaNamespaceKey,
} from './keys.ts'

const object = (name: string, namespace?: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Thing',
  metadata: { name, uid: 'u', resourceVersion: '1', ...(namespace !== undefined && { namespace }) },
})

describe('keys', () => {
  it('are namespace and name, or the name alone at cluster scope', () => {
    expect(metaNamespaceKeyFunc(object('a', 'b'))).toBe('b/a')
    expect(metaNamespaceKeyFunc(object('a'))).toBe('a')
    expect(metaNamespaceKeyFunc(new ExplicitKey('given/outright/as-is'))).toBe('given/outright/as-is')
  })

  it('of a tombstone are those under which its object was stored', () => {
    const tombstone = new DeletedFinalStateUnknown<KubeObject>('b/a', undefined)
    expect(deletionHandlingMetaNamespaceKeyFunc(tombstone)).toBe('b/a')
    expect(deletionHandlingMetaNamespaceKeyFunc(object('c'))).toBe('c')
    expect(deletionHandlingObjectToName(tombstone)).toEqual({ namespace: 'b', name: 'a' })
    expect(deletionHandlingObjectToName(object('c', 'd'))).toEqual(objectToName(object('c', 'd')))
  })

  it('split into one or two parts and refuse more', () => {
    expect(splitMetaNamespaceKey('a')).toEqual({ namespace: '', name: 'a' })
    expect(splitMetaNamespaceKey('b/a')).toEqual({ namespace: 'b', name: 'a' })
    expect(() => splitMetaNamespaceKey('c/b/a')).toThrow(/3 parts/)
  })

  it('ON1: print and parse to the same name', () => {
    const part = fc.string({ minLength: 1 }).filter((text) => !text.includes('/'))
    fc.assert(
      fc.property(fc.record({ namespace: fc.option(part, { nil: '' }), name: part }), (name) => {
        expect(parseObjectName(formatObjectName(name))).toEqual(name)
      }),
    )
  })

  it('ST9: a key that cannot be made is told as KeyError with the object and its cause, also when nested', () => {
    const cause = new Error('no name')
    const failing = () => {
      throw cause
    }
    const nested = () => keyOf(failing, 'thing')
    const error = thrownBy(() => keyOf(nested, 'thing'))
    expect(error).toBeInstanceOf(KeyError)
    expect(error).toMatchObject({ object: 'thing', cause, code: 'BIN_KEY' })
    expect(thrownBy(() => keyOf(metaNamespaceKeyFunc, object('')))).toBeInstanceOf(KeyError)
  })
})

function thrownBy(call: () => unknown): unknown {
  try {
    call()
  } catch (error) {
    return error
  }
  throw new Error('nothing was thrown')
}
