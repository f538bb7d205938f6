import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { nearest } from './suggestion.ts'

const WORDS = ['run', 'dev', 'cluster', '--kubeconfig', '--namespace']

describe('nearest', () => {
  it.each([
    ['rnu', 'run'],
    ['clustre', 'cluster'],
    ['--kubecofnig', '--kubeconfig'],
    ['--Namespace', '--namespace'],
  ])('takes %s for %s', (word, meant) => {
    expect(nearest(word, WORDS)).toBe(meant)
  })

  it.each(['', 'x', 'frobnicate', '--output'])('does not guess at %s', (word) => {
    expect(nearest(word, WORDS)).toBeUndefined()
  })

  it('finds any word of four letters and more with one letter left out', () => {
    const wordAndHole = fc
      .constantFrom('cluster', '--kubeconfig', '--namespace')
      .chain((word) => fc.nat(word.length - 1).map((i) => [word, word.slice(0, i) + word.slice(i + 1)] as const))
    fc.assert(fc.property(wordAndHole, ([word, holed]) => nearest(holed, WORDS) === word))
  })
})
