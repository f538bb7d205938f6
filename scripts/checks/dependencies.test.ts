import { expect, it } from 'vitest'
import { disagreements, documented, outsideDependencies } from './dependencies.mjs'

const manifests = [
  { name: 'ours', version: '1.0.0', dependencies: { undici: '7.0.0', theirs: '1.0.0' } },
  { name: 'theirs', version: '1.0.0', devDependencies: { vitest: '4.0.0' } },
]
const used = outsideDependencies(manifests)
const row = (name: string, version: string) => `| \`${name}\` | ${version} | somewhere | a reason |`

it('looks at what comes from outside alone', () => {
  expect([...used]).toEqual([
    ['undici', '7.0.0'],
    ['vitest', '4.0.0'],
  ])
})

it('is content when each dependency is explained in its version', () => {
  expect(disagreements(used, documented([row('undici', '7.0.0'), row('vitest', '4.0.0')].join('\n')))).toEqual([])
})

it('names what is missing, out of date, or no longer there', () => {
  const page = documented([row('undici', '6.0.0'), row('left-pad', '1.0.0')].join('\n'))
  expect(disagreements(used, page)).toEqual([
    expect.stringContaining('says undici 6.0.0, package.json says 7.0.0'),
    expect.stringContaining('no row for vitest 4.0.0'),
    expect.stringContaining('explains left-pad'),
  ])
})
