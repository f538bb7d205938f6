import fc from 'fast-check'

/** JSON with few names, so that two documents often have some in common; `__proto__` is one of them, as JSON.parse makes it. */
export function json(names: readonly string[] = ['a', 'b', 'c', '__proto__']): fc.Arbitrary<unknown> {
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constantFrom(null, true, false, 0, 1, -1, 1.5, '', 'x', '0'),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.uniqueArray(fc.tuple(fc.constantFrom(...names), tie('value')), { selector: ([name]) => name, maxLength: 4 }),
    ),
  }))
  // Pairs become members only here: so lists of lists of two are mappings now and then, which is fine.
  return value.map(membersFromPairs)
}

/** The same, but always a mapping. */
export function jsonObject(names: readonly string[] = ['a', 'b', 'c']): fc.Arbitrary<{ [name: string]: unknown }> {
  const members = fc.uniqueArray(fc.tuple(fc.constantFrom(...names), json(names)), { selector: ([name]) => name })
  return members.map((pairs) => Object.fromEntries(pairs))
}

function membersFromPairs(value: unknown): unknown {
  if (!Array.isArray(value)) return value
  const pairs = value.every((item) => Array.isArray(item) && item.length === 2 && typeof item[0] === 'string')
  if (!pairs) return value.map(membersFromPairs)
  return Object.fromEntries(value.map(([name, member]) => [name, membersFromPairs(member)]))
}
