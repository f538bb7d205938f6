import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { annotationKey, readAnnotation } from './annotations.ts'

/** Kubernetes' rule for the name part of a key. */
const NAME = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/

describe('a key', () => {
  it('is readable where it can be', () => {
    expect(annotationKey('hello.binnacle.dev', 'progress.create')).toBe('hello.binnacle.dev/progress.create')
  })

  it.each([
    ['a/b', 'a.b'],
    ['fn/spec.field', 'fn.spec.field'],
    ['a b', 'a_b'],
    ['x'.repeat(70), 'x'.repeat(71)],
    ['x'.repeat(63), 'x'.repeat(64)],
    ['', '-'],
    ['ä', 'ö'],
  ])('of %j is another one than that of %j', (a, b) => {
    expect(annotationKey('p', a)).not.toBe(annotationKey('p', b))
  })

  it('is valid for Kubernetes and belongs to one name only, whatever the name', () => {
    const name = fc.oneof(fc.string({ maxLength: 100 }), fc.stringMatching(/^[a-c_./-]{0,4}$/))
    fc.assert(
      fc.property(name, name, (a, b) => {
        const [keyA, keyB] = [annotationKey('p.example.com', a), annotationKey('p.example.com', b)]
        expect(keyA.slice(0, 14)).toBe('p.example.com/')
        expect(keyA.slice(14)).toMatch(NAME)
        expect(keyA.slice(14).length).toBeLessThanOrEqual(63)
        expect(keyA === keyB).toBe(a === b)
      }),
      { numRuns: 1000 },
    )
  })
})

describe('an annotation', () => {
  it('is read as the JSON that it holds', () => {
    expect(readAnnotation({ x: '{"a":1}' }, 'x')).toEqual({ a: 1 })
  })

  it.each([['{'], [''], ['undefined'], ['{"a":1']])('that somebody broke (%j) reads as none', (text) => {
    expect(readAnnotation({ x: text }, 'x')).toBeUndefined()
  })

  it('that is not there reads as none, also under a name that every object has', () => {
    expect(readAnnotation(undefined, 'x')).toBeUndefined()
    expect(readAnnotation({}, 'x')).toBeUndefined()
    expect(readAnnotation({}, 'constructor')).toBeUndefined()
  })
})
