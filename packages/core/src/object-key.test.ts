import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatObjectName, objectKey, objectName, parseObjectName } from './object-key.ts'

describe('the key of an object', () => {
  it('is namespace/name, or the name at cluster scope', () => {
    expect(objectKey({ metadata: { namespace: 'shop', name: 'web' } })).toBe('shop/web')
    expect(objectKey({ metadata: { name: 'node-1' } })).toBe('node-1')
    expect(objectKey({ metadata: { name: 'node-1', namespace: '' } })).toBe('node-1')
    expect(objectName({ metadata: { name: 'node-1' } })).toEqual({ namespace: '', name: 'node-1' })
  })

  it.each([{}, { metadata: {} }, { metadata: { name: '' } }, { metadata: undefined }, undefined, null])(
    'is refused to %j, which has no name',
    (object) => {
      expect(() => objectKey(object as object)).toThrow(expect.objectContaining({ code: 'BIN_KEY' }))
    },
  )

  it('can be read back', () => {
    const segment = fc.stringMatching(/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/)
    fc.assert(
      fc.property(fc.oneof(segment, fc.constant('')), segment, (namespace, name) => {
        expect(parseObjectName(formatObjectName({ namespace, name }))).toEqual({ namespace, name })
      }),
    )
  })

  it('has at most two parts', () => {
    expect(() => parseObjectName('a/b/c')).toThrow(
      expect.objectContaining({ code: 'BIN_KEY', message: expect.stringContaining('3 parts') }),
    )
  })
})
