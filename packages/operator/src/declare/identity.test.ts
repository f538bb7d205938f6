import { BinnacleError } from '@binnacle/core'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { identityOf } from './identity.ts'

it('marks objects with its name under one domain, by which operators know the marks of others', () => {
  expect(identityOf('hello')).toEqual({
    name: 'hello',
    prefix: 'hello.binnacle.dev',
    finalizer: 'hello.binnacle.dev/finalizer',
  })
  expect(identityOf('web.example.com').finalizer).toBe('web.example.com.binnacle.dev/finalizer')
})

it('takes the finalizer that it is given', () => {
  expect(identityOf('hello', 'kopf.zalando.org/KopfFinalizerMarker').finalizer).toBe(
    'kopf.zalando.org/KopfFinalizerMarker',
  )
})

it.each([[''], ['Hello'], ['a_b'], ['-a'], ['a-'], ['a..b'], ['.a'], ['a b'], ['ä'], ['a'.repeat(201)]])(
  'refuses %j as a name, and says what a name is',
  (name) => {
    expect(() => identityOf(name)).toThrow(BinnacleError)
    expect(() => identityOf(name)).toThrow('cannot be the name of an operator')
  },
)

it('gives different names different marks, or refuses one of them', () => {
  const part = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,5}[a-z0-9])?$/)
  const name = fc.oneof(
    part,
    fc.array(part, { minLength: 2, maxLength: 3 }).map((parts) => parts.join('.')),
    part.map((first) => `${first}.binnacle.dev`),
  )
  const marks = (of: string) => {
    try {
      return identityOf(of).prefix
    } catch {
      return `refused: ${of}`
    }
  }
  fc.assert(
    fc.property(part, name, (a, b) => {
      expect(marks(a) === marks(b)).toBe(a === b)
      expect(marks(`${a}.binnacle.dev`)).not.toBe(marks(a))
    }),
  )
})
