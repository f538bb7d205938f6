import { describe, expect, it } from 'vitest'
import { checked, complaintOf, judge, limitOf } from '../bench/judge.mjs'
import { roundStep, svgOf } from '../bench/publish/plot.mjs'
import { claimsText, documents, withClaims } from '../bench/publish/publish.mjs'
import { checkedBenches, reachesOf } from '../bench/reach.mjs'
import { spread } from '../bench/statistics.mjs'

const rounds = { ours: [{ ms: 10 }, { ms: 30 }, { ms: 20 }], peer: [{ ms: 20 }, { ms: 20 }, { ms: 20 }] }

describe('a figure', () => {
  it('is the median of ratios of the same round', () => {
    const judged = judge({ figure: 'ms', peer: 'peer', atMost: 1 }, rounds)
    expect(judged.judged).toEqual([0.5, 1.5, 1])
    expect(judged).toMatchObject({ value: 1, verdict: 'met' })
    expect(spread(judged.judged)).toBe('1 (0.5–1.5)')
  })

  it('is not judged beside a peer that could not be had', () => {
    expect(judge({ figure: 'ms', peer: 'another', atMost: 1 }, rounds)).toMatchObject({ verdict: '', judged: [] })
  })

  it('is missed on the wrong side of its reach, whichever that is', () => {
    expect(judge({ figure: 'ms', peer: 'peer', atMost: 0.9 }, rounds).verdict).toBe('MISSED')
    expect(judge({ figure: 'ms', peer: 'peer', atLeast: 1.1 }, rounds).verdict).toBe('MISSED')
  })
})

describe('a check', () => {
  it('gives ratios a margin, counts none, and has no say about times', () => {
    expect(limitOf({ figure: 'ms', peer: 'peer', atMost: 0.5 })).toEqual({ atMost: 0.8 })
    expect(limitOf({ figure: 'ms', peer: 'peer', atLeast: 8 })).toEqual({ atLeast: 5 })
    expect(limitOf({ figure: 'requests', kind: 'count', atMost: 2 })).toEqual({ atMost: 2 })
    expect(limitOf({ figure: 'ms', atMost: 60 })).toBeUndefined()
  })

  it('allows what is tolerated, and no more', () => {
    const tolerated = { value: 0.49, because: 'it is known' }
    const judged = judge({ figure: 'ms', peer: 'peer', atMost: 0.3, tolerated }, rounds)
    expect(checked(judged)).toBe('failed')
    expect(complaintOf(judged)).toBe(
      "ms is 1 (0.5–1.5)× peer's; the check allows ≤ 0.49× peer's, the reach is ≤ 0.3× peer's",
    )
    // One round without noise is enough.
    expect(checked({ ...judged, judged: [1.5, 0.48, 1] })).toBe('passed')
    expect(checked(judge({ figure: 'ms', peer: 'peer', atMost: 0.9 }, rounds))).toBe('passed')
    expect(checked(judge({ figure: 'ms', peer: 'nobody', atMost: 0.9 }, rounds))).toBe('left out')
  })

  it('asks for benches that have something to be checked', () => {
    const idle = checkedBenches().filter((bench) => !reachesOf(bench).some((reach) => limitOf(reach)))
    expect(idle).toEqual([])
  })
})

describe('a drawing', () => {
  it('has axes with round numbers, and the names as text', () => {
    expect([roundStep(7, 5), roundStep(23, 5), roundStep(100, 5), roundStep(0.3, 5)]).toEqual([2, 5, 20, 0.1])
    const svg = svgOf({
      title: 'a < b',
      xLabel: 'x',
      yLabel: 'y',
      lines: [
        {
          name: 'l',
          points: [
            [0, 1],
            [2, 3],
          ],
        },
      ],
    })
    expect(svg).toContain('a &lt; b')
    expect(svg).toContain('prefers-color-scheme: dark')
    expect(svg).not.toContain('NaN')
  })
})

describe('documents', () => {
  it('claim nothing of a bench that was not measured, or only in a hurry', () => {
    expect(claimsText(new Map())).toBe(
      'How it was measured, beside whom, and where we lose: [docs/benchmarks](docs/benchmarks/README.md).',
    )
  })

  it('say of a bench without results how to get them', () => {
    expect(documents(new Map())['docs/benchmarks/README.md']).toContain(
      '*Not measured yet: `npm run bench -- cache sync`.*',
    )
  })

  it('put figures between their marks, and touch nothing else', () => {
    const readme = 'above\n<!-- figures: begin -->\nold\n<!-- figures: end -->\nbelow\n'
    const written = withClaims(readme, new Map())
    expect(written).not.toContain('old')
    expect(withClaims(written, new Map())).toBe(written)
    expect(() => withClaims('nothing', new Map())).toThrow('README.md has no place for figures')
  })
})
