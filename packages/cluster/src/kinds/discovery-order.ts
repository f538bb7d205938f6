/** The order of versions in discovery: stable before beta before alpha, the larger number first, strange names last by spelling. */
const pattern = /^v(\d+)(?:(alpha|beta)(\d+))?$/

export function byPreference(a: string, b: string): number {
  const [x, y] = [rank(a), rank(b)]
  if (!x || !y) return x ? -1 : y ? 1 : a < b ? -1 : a > b ? 1 : 0
  for (let i = 0; i < 3; i++) {
    const difference = (y[i] as number) - (x[i] as number)
    if (difference !== 0) return difference
  }
  return 0
}

function rank(name: string): readonly number[] | undefined {
  const match = pattern.exec(name)
  if (!match) return undefined
  const stability = match[2] === undefined ? 2 : match[2] === 'beta' ? 1 : 0
  return [stability, Number(match[1]), Number(match[3] ?? 0)]
}
