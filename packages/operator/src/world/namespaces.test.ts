import { describe, expect, it } from 'vitest'
import { type NamespacePattern, namespaceScope } from './namespaces.ts'

const taken = (given: NamespacePattern | readonly NamespacePattern[], ...names: string[]) => {
  const scope = namespaceScope(given)
  return scope.sort === 'patterns' ? names.filter(scope.matches) : scope
}

it.each([[undefined], ['*'], [[]], [['*', '*']]])('%j is the whole cluster', (given) => {
  expect(namespaceScope(given)).toEqual({ sort: 'cluster' })
})

it.each([
  ['one', ['one']],
  ['one, two', ['one', 'two']],
  [
    ['one', 'two', 'one'],
    ['one', 'two'],
  ],
])('%j are exact names, which need no watch of namespaces', (given, names) => {
  expect(namespaceScope(given)).toEqual({ sort: 'exact', names })
})

describe('patterns', () => {
  it.each<[NamespacePattern | readonly NamespacePattern[], string[]]>([
    ['apps-*', ['apps-a', 'apps-test']],
    ['apps-?', ['apps-a']],
    ['apps-*,!apps-test', ['apps-a']],
    [['apps-*', '!apps-test'], ['apps-a']],
    ['apps-*, !apps-t*, apps-test', ['apps-a', 'apps-test']],
    ['!apps-test', ['apps-a', 'other']],
    [['*', '!apps-*'], ['other']],
    [
      ['apps-?', 'other'],
      ['apps-a', 'other'],
    ],
    [/apps-.*/, ['apps-a', 'apps-test']],
    [[/a/g, 'other', '!apps-*'], ['other']],
    [[/.*test/y], ['apps-test']],
  ])('%s', (given, names) => {
    expect(taken(given, 'apps-a', 'apps-test', 'other')).toEqual(names)
  })

  it('know which names they take by name, and not those that are excluded again', () => {
    expect(namespaceScope(['apps-*', 'one', 'apps-b', '!apps-b'])).toMatchObject({ sort: 'patterns', named: ['one'] })
  })

  it('with a dot or a capital letter can be no namespace', () => {
    expect(() => namespaceScope('Apps')).toThrow('"Apps" is not the name of a namespace, nor a pattern')
    expect(() => namespaceScope('a,,b')).toThrow('"" is not')
    expect(() => namespaceScope(['a.*'])).toThrow('"a.*" is not')
  })
})
