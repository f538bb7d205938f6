import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatSelector, matchesLabels, parseLabelSelector, type Requirement } from './selector.ts'

describe('a label selector', () => {
  it.each<[string, readonly Requirement[]]>([
    ['', []],
    ['  ', []],
    ['app=web', [{ key: 'app', operator: 'in', values: ['web'] }]],
    ['app==web', [{ key: 'app', operator: 'in', values: ['web'] }]],
    ['app = web', [{ key: 'app', operator: 'in', values: ['web'] }]],
    ['app=', [{ key: 'app', operator: 'in', values: [''] }]],
    ['app!=web', [{ key: 'app', operator: 'notin', values: ['web'] }]],
    ['tier in (a, b)', [{ key: 'tier', operator: 'in', values: ['a', 'b'] }]],
    ['tier in(a,b)', [{ key: 'tier', operator: 'in', values: ['a', 'b'] }]],
    ['tier notin (a,)', [{ key: 'tier', operator: 'notin', values: ['a', ''] }]],
    ['tier  in ()', [{ key: 'tier', operator: 'in', values: [''] }]],
    ['canary', [{ key: 'canary', operator: 'exists' }]],
    ['!canary', [{ key: 'canary', operator: 'absent' }]],
    ['! canary', [{ key: 'canary', operator: 'absent' }]],
    [
      'in in (in),notin',
      [
        { key: 'in', operator: 'in', values: ['in'] },
        { key: 'notin', operator: 'exists' },
      ],
    ],
    [
      'app.kubernetes.io/name=web , tier in (a,b),!canary',
      [
        { key: 'app.kubernetes.io/name', operator: 'in', values: ['web'] },
        { key: 'tier', operator: 'in', values: ['a', 'b'] },
        { key: 'canary', operator: 'absent' },
      ],
    ],
  ])('reads %j as kubectl does', (text, expected) => {
    expect(parseLabelSelector(text)).toEqual(expected)
  })

  it.each([
    'a b',
    ',a',
    'a,',
    'a,,b',
    '=a',
    '!a=b',
    '!a in (b)',
    'a in',
    'a in b',
    'a in (b',
    'a in b)',
    'a in (b c)',
    'a=b=c',
    'a=b c',
    'a>1',
    'a in (b),',
    '!',
    'a!',
    'a in (b)c',
    'a in ((b))',
    'a===b',
  ])('refuses %j, and shows what to write', (text) => {
    expect(() => parseLabelSelector(text)).toThrow(
      expect.objectContaining({
        code: 'BIN_SELECTOR',
        message: expect.stringContaining(JSON.stringify(text)),
        hint: expect.stringContaining('key in (a,b)'),
      }),
    )
  })

  const word = fc.stringMatching(/^[A-Za-z0-9]([-A-Za-z0-9_.]{0,5}[A-Za-z0-9])?$/)
  const requirement: fc.Arbitrary<Requirement> = fc.oneof(
    fc.record({ key: word, operator: fc.constantFrom('exists' as const, 'absent' as const) }),
    fc.record({
      key: word,
      operator: fc.constantFrom('in' as const, 'notin' as const),
      values: fc.array(fc.oneof(word, fc.constant('')), { minLength: 1, maxLength: 3 }),
    }),
  )

  it('can be written and read again', () => {
    fc.assert(
      fc.property(fc.array(requirement), (requirements) => {
        expect(parseLabelSelector(formatSelector(requirements))).toEqual(requirements)
      }),
    )
  })

  it('made from labels matches exactly the objects that have them all', () => {
    const labels = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.constantFrom('', 'x', 'y'))
    fc.assert(
      fc.property(labels, labels, (wanted, present) => {
        const expected = Object.entries(wanted).every(([key, value]) => present[key] === value)
        expect(matchesLabels(parseLabelSelector(formatSelector(wanted)), present)).toBe(expected)
      }),
    )
  })

  it('is read in time that grows with its length only', () => {
    expect(() => parseLabelSelector(`a${' '.repeat(20_000)}!`)).toThrow()
    expect(parseLabelSelector('a,'.repeat(5000).slice(0, -1))).toHaveLength(5000)
  })

  it.each<[string, { [label: string]: string } | undefined, boolean]>([
    ['app=web', { app: 'web' }, true],
    ['app=web', { app: 'db' }, false],
    ['app=web', undefined, false],
    ['app!=web', {}, true],
    ['app!=web', { app: 'web' }, false],
    ['app=', { app: '' }, true],
    ['app=', {}, false],
    ['app in (web,db)', { app: 'db' }, true],
    ['app notin (web,db)', { app: 'db' }, false],
    ['app notin (web,db)', {}, true],
    ['app', { app: '' }, true],
    ['!app', { app: '' }, false],
    ['!app', undefined, true],
    ['app=web,tier=a', { app: 'web' }, false],
    ['', { app: 'web' }, true],
    ['toString', {}, false],
  ])('%j on %j is %j', (selector, labels, expected) => {
    expect(matchesLabels(parseLabelSelector(selector), labels)).toBe(expected)
  })
})

describe('the text of a selector', () => {
  it('is a string as it is, labels joined by commas, and empty without a selector', () => {
    expect(formatSelector('app=web')).toBe('app=web')
    expect(formatSelector({ app: 'web', tier: '' })).toBe('app=web,tier=')
    expect(formatSelector(undefined)).toBe('')
    expect(formatSelector([])).toBe('')
  })

  it('lets no value add a condition', () => {
    for (const value of ['web,tier=a', 'web)', 'a b', 'x=y', '\\,'])
      expect(() => formatSelector({ app: value })).toThrow(expect.objectContaining({ code: 'BIN_SELECTOR' }))
    expect(() => formatSelector({ 'app,': 'web' })).toThrow(expect.objectContaining({ code: 'BIN_SELECTOR' }))
    expect(() => formatSelector([{ key: 'a', operator: 'in', values: ['b),c'] }])).toThrow()
  })
})
