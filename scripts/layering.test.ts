import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { checkLayering } from './layering.mjs'

const { forbidden } = createRequire(import.meta.url)('../.dependency-cruiser.cjs') as { forbidden: { name: string }[] }
const trees: string[] = []
afterAll(() => {
  for (const tree of trees) rmSync(tree, { recursive: true })
})

/** Writes files that import each other, and says which rules they break. */
async function broken(files: Record<string, string>): Promise<string[]> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'layering-')))
  trees.push(root)
  for (const [path, text] of Object.entries({ 'package.json': '{"type":"module"}', ...files })) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), `${text}\n`)
  }
  const folders = [...new Set(Object.keys(files).map((path) => path.split('/')[0] ?? ''))].filter(
    (it) => it !== 'node_modules',
  )
  const { violations } = await checkLayering(root, folders)
  return [...new Set(violations.map(({ rule }) => rule))]
}

const value = (from: string) => `import { a } from '${from}'\nexport const b = a`
const type = (from: string) => `import type { A } from '${from}'\nexport type B = A`
const leaf = 'export const a = 1\nexport type A = 1'
const operatorFile = (path: string) => `packages/operator/src/${path}.ts`

const RIGHT_OF_DECLARE =
  'select, cause, progress, index, gate, run, outcome, spawn, worker, cycle, intake, world, operator'
const ENTRY = 'A package is entered through its index, never through its inside'
const FACES = 'Examples and conformance suites use packages as users do: through their index'
const CORE_PURE = '@binnacle/core is pure: it imports nothing of Node and no other module'
const KINDS_TYPES = '@binnacle/kinds is types only: import it with "import type"'
const CLUSTER =
  '@binnacle/cluster imports no package of this workspace, so that neither hides the mistakes of the other'
const PURE = 'A pure file imports nothing of Node: it takes what it needs as arguments'
const REACH = 'A pure file reaches no input or output, not even through others'
const CIRCLE = 'No file imports itself, not even in a circle'

/** A tree with one forbidden import, and the sentences that must come of it. */
const cases: [string, Record<string, string>, string[]][] = [
  ['core, client', { 'packages/core/src/a.ts': type('@binnacle/client') }, ['@binnacle/core imports no other package']],
  ['client, cache', { 'packages/client/src/a.ts': value('@binnacle/cache') }, ['@binnacle/client imports only core']],
  ['cache, client', { 'packages/cache/src/a.ts': type('@binnacle/client') }, ['@binnacle/cache imports only core']],
  [
    'operator, cluster',
    { [operatorFile('a')]: value('@binnacle/cluster') },
    ['binnacle imports only cache, client, core'],
  ],
  [
    'testing, cache',
    { 'packages/testing/src/a.ts': value('@binnacle/cache') },
    ['@binnacle/testing imports only client, operator, cluster, core'],
  ],
  ['cluster, core', { 'packages/cluster/src/a.ts': type('@binnacle/core') }, [CLUSTER]],
  ['a value of kinds', { 'packages/client/src/a.ts': value('@binnacle/kinds') }, [KINDS_TYPES]],
  ['kinds, anything', { 'packages/kinds/src/a.ts': value('node:fs') }, ['@binnacle/kinds imports nothing']],
  [
    'a file of another package',
    { 'packages/client/src/a.ts': value('../../core/src/b.ts'), 'packages/core/src/b.ts': leaf },
    [ENTRY],
  ],
  ['an inside by name', { 'packages/client/src/a.ts': value('@binnacle/core/dist/b.js') }, [ENTRY]],
  [
    'an inside from an example',
    { 'examples/a.ts': value('../packages/core/src/b.ts'), 'packages/core/src/b.ts': leaf },
    [FACES],
  ],
  [
    'scripts',
    { 'packages/cli/src/a.ts': value('../../../scripts/b.ts'), 'scripts/b.ts': leaf },
    ['Packages import nothing from examples, conformance, scripts or bench'],
  ],
  ['Node in core', { 'packages/core/src/a.ts': value('node:timers/promises') }, [CORE_PURE]],
  ['Node in a pure file', { 'packages/cache/src/reflector/step.ts': value('node:path') }, [PURE]],
  [
    'files behind a pure file',
    { [operatorFile('cause/detect')]: value('./b.ts'), [operatorFile('cause/b')]: value('node:fs') },
    [REACH],
  ],
  [
    'a circle',
    { 'packages/cache/src/a.ts': value('./b.ts'), 'packages/cache/src/b.ts': `${value('./a.ts')}\n${leaf}` },
    [CIRCLE],
  ],
  [
    'declare, cause',
    { [operatorFile('declare/a')]: type('../cause/b.ts'), [operatorFile('cause/b')]: leaf },
    [`In binnacle, declare may not import what stands to the right: ${RIGHT_OF_DECLARE}`],
  ],
  [
    'select, run',
    { [operatorFile('select/a')]: value('../run/b.ts'), [operatorFile('run/b')]: leaf },
    [
      'In binnacle, select, cause, progress, index, gate may not import what stands to the right: run, outcome, spawn, worker, cycle, intake, world, operator',
    ],
  ],
  [
    'outcome, cycle',
    { [operatorFile('outcome/a')]: value('../cycle.ts'), [operatorFile('cycle')]: leaf },
    [
      'In binnacle, run, outcome, spawn, worker may not import what stands to the right: cycle, intake, world, operator',
    ],
  ],
  [
    'cycle, intake',
    { [operatorFile('cycle')]: value('./intake/b.ts'), [operatorFile('intake/b')]: leaf },
    ['In binnacle, cycle may not import what stands to the right: intake, world, operator'],
  ],
  [
    'intake, world',
    { [operatorFile('intake/a')]: value('../world/b.ts'), [operatorFile('world/b')]: leaf },
    ['In binnacle, intake may not import what stands to the right: world, operator'],
  ],
  [
    'world, operator',
    { [operatorFile('world/a')]: value('../operator.ts'), [operatorFile('operator')]: leaf },
    ['In binnacle, world may not import what stands to the right: operator'],
  ],
  [
    'report, run',
    { [operatorFile('report/a')]: value('../run/b.ts'), [operatorFile('run/b')]: leaf },
    ['In binnacle, report is a leaf: everyone may use it, it uses no other folder'],
  ],
  [
    'a tool that users do not get',
    {
      'packages/cli/package.json': '{"devDependencies":{"tool":"1"}}',
      'packages/cli/node_modules/tool/package.json': '{"name":"tool","main":"index.js"}',
      'packages/cli/node_modules/tool/index.js': '',
      'packages/cli/src/a.ts': value('tool'),
    },
    ['What is shipped imports only what its package.json names under dependencies'],
  ],
]

it.each(cases)('refuses %s', async (_, files, sentences) => {
  // core may import nothing at all, so that a package that it imports breaks the rule of purity as well.
  expect((await broken(files)).filter((rule) => sentences.includes(CORE_PURE) || rule !== CORE_PURE)).toEqual(sentences)
})

it('lets pass what follows the picture', async () => {
  const files = {
    'packages/core/src/a.ts': leaf,
    'packages/core/src/b.ts': value('./a.ts'),
    'packages/kinds/src/index.ts': leaf,
    'node_modules/@binnacle/kinds/package.json': '{"name":"@binnacle/kinds","exports":"./index.d.ts"}',
    'node_modules/@binnacle/kinds/index.d.ts': leaf,
    'packages/client/package.json': '{"dependencies":{"@binnacle/kinds":"1"}}',
    'packages/client/src/a.ts': `${value('@binnacle/core')}\nimport type { Pod } from '@binnacle/kinds'\nimport 'node:fs'`,
    'packages/cache/src/reflector/step.ts': type('node:util'),
    'packages/cluster/src/a.ts': value('node:http'),
    'packages/cluster/src/a.test.ts': value('@binnacle/core'),
    [operatorFile('report/a')]: leaf,
    [operatorFile('declare/a')]: value('../report/a.ts'),
    [operatorFile('cause/detect')]: value('../declare/a.ts'),
    [operatorFile('run/a')]: `${value('../cause/detect.ts')}\nimport '@binnacle/core/public'`,
    [operatorFile('cycle')]: value('./run/a.ts'),
    [operatorFile('world/a')]: value('../cycle.ts'),
    [operatorFile('operator')]: `${value('./world/a.ts')}\nimport '@binnacle/client'\nimport '@binnacle/cache'`,
    [operatorFile('index')]: value('./operator.ts'),
    'packages/testing/src/a.ts': `${value('binnacle')}\nimport '@binnacle/client'\nimport '@binnacle/cluster'`,
    'packages/cli/src/a.ts': `${value('binnacle')}\nimport '@binnacle/cluster'\nimport '@binnacle/testing'`,
    'examples/a.ts': `${value('binnacle')}\nimport '@binnacle/core/public'`,
    'conformance/a.ts': `${value('@binnacle/cluster')}\nimport '@binnacle/cache'`,
  }
  expect(await broken(files)).toEqual([])
})

it('has a case for each rule', () => {
  const tried = new Set(cases.flatMap(([, , sentences]) => sentences))
  const grantsAll = '@binnacle/cli imports only core, client, cache, operator, cluster, testing'
  expect(forbidden.map(({ name }) => name).filter((name) => !tried.has(name) && name !== grantsAll)).toEqual([])
})
