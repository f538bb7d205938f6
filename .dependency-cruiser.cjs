/**
 * Who may import whom: the layers of ARCHITECTURE.md as rules. A rule's name is the sentence that its failure prints.
 * scripts/layering.test.ts shows for each that it bites.
 */

/** What each package may import of the others, at run time and as types. `kinds` holds types only and is dealt with below. */
const MAY_IMPORT = {
  core: [],
  client: ['core'],
  cache: ['core'],
  operator: ['cache', 'client', 'core'],
  testing: ['client', 'operator', 'cluster', 'core'],
  cli: ['core', 'client', 'cache', 'operator', 'cluster', 'testing'],
}
const PACKAGES = ['core', 'client', 'cache', 'operator', 'kinds', 'cluster', 'testing', 'cli']

/** The folders of packages/operator/src. Each level may be imported by those after it, never by those before it. */
const OPERATOR_LEVELS = [
  ['declare'],
  ['select', 'cause', 'progress', 'index', 'gate'],
  ['run', 'outcome', 'spawn', 'worker'],
  ['cycle'],
  ['intake'],
  ['world'],
  ['operator'],
]

/** Entry points besides index: what a package offers under its name and a path. */
const OTHER_FACES = ['core/public', 'testing/vitest']

const TESTS = '\\.test\\.ts$|^packages/[^/]+/test/'
const SHIPPED = { path: '^packages/', pathNot: TESTS }
const PURE_FILES = '^packages/.+/(step|detect|match|progress|essence)\\.ts$'
const INPUT_OUTPUT =
  '^(node:)?(fs|net|tls|http|https|http2|dgram|dns|child_process|cluster|worker_threads|readline|inspector)(/|$)|(^|/)undici(/|$)'

/** @param {string} folder */
const npmName = (folder) => (folder === 'operator' ? 'binnacle' : `@binnacle/${folder}`)

/** However a package is reached: by its name, by what the name leads to, or by a path. @param {readonly string[]} folders */
function inPackages(folders) {
  const names = folders.map((folder) => `(^|/)${npmName(folder)}(/|$)`)
  return folders.length === 0 ? '^$' : `${names.join('|')}|^packages/(${folders.join('|')})/`
}

/** @param {string} folder @param {readonly string[]} allowed */
function packageRule(folder, allowed) {
  const others = PACKAGES.filter((name) => name !== folder && name !== 'kinds' && !allowed.includes(name))
  const granted = allowed.length === 0 ? 'no other package' : `only ${allowed.join(', ')}`
  return {
    name: `${npmName(folder)} imports ${granted}`,
    comment: 'Nothing on the left of the picture in ARCHITECTURE.md knows what is on its right.',
    severity: 'error',
    from: { path: `^packages/${folder}/`, pathNot: TESTS },
    to: { path: inPackages(others) },
  }
}

/** Folders, or files of the same name; except index.ts, which is the face of the package and not the folder of indices. */
const inOperator = (/** @type {readonly string[]} */ names) =>
  `^packages/operator/src/((${names.join('|')})/|(${names.filter((name) => name !== 'index').join('|')})\\.ts$)`

/** @param {readonly string[]} level @param {number} at */
function operatorRule(level, at) {
  const right = OPERATOR_LEVELS.slice(at + 1).flat()
  return {
    name: `In binnacle, ${level.join(', ')} may not import what stands to the right: ${right.join(', ')}`,
    comment: OPERATOR_LEVELS.map((names) => names.join('/')).join(' → '),
    severity: 'error',
    from: { path: inOperator(level), pathNot: TESTS },
    to: { path: inOperator(right) },
  }
}

module.exports = {
  forbidden: [
    ...Object.entries(MAY_IMPORT).map(([folder, allowed]) => packageRule(folder, allowed)),
    {
      name: '@binnacle/cluster imports no package of this workspace, so that neither hides the mistakes of the other',
      severity: 'error',
      from: { path: '^packages/cluster/', pathNot: TESTS },
      to: { path: inPackages(PACKAGES.filter((name) => name !== 'cluster')) },
    },
    {
      name: '@binnacle/kinds is types only: import it with "import type"',
      severity: 'error',
      from: { pathNot: '^packages/kinds/' },
      to: { path: inPackages(['kinds']), dependencyTypesNot: ['type-only'] },
    },
    {
      name: '@binnacle/kinds imports nothing',
      severity: 'error',
      from: { path: '^packages/kinds/src/', pathNot: TESTS },
      to: { pathNot: '^packages/kinds/src/' },
    },
    {
      name: 'A package is entered through its index, never through its inside',
      comment: 'Import it by name. What you need and the index does not offer is a question to its owner.',
      severity: 'error',
      from: { path: '^packages/([^/]+)/' },
      to: {
        path: '^packages/[^/]+/src/|^(@binnacle/[^/]+|binnacle)/.',
        pathNot: `^packages/$1/|^@binnacle/(${OTHER_FACES.join('|')})$`,
      },
    },
    {
      name: 'Examples and conformance suites use packages as users do: through their index',
      severity: 'error',
      from: { path: '^(examples|conformance)/' },
      to: {
        path: '^packages/[^/]+/src/|^(@binnacle/[^/]+|binnacle)/.',
        pathNot: `^@binnacle/(${OTHER_FACES.join('|')})$`,
      },
    },
    {
      name: 'Packages import nothing from examples, conformance, scripts or bench',
      severity: 'error',
      from: { path: '^packages/' },
      to: { path: '^(examples|conformance|scripts|bench)/' },
    },
    ...OPERATOR_LEVELS.slice(0, -1).map(operatorRule),
    {
      name: 'In binnacle, report is a leaf: everyone may use it, it uses no other folder',
      severity: 'error',
      from: { path: '^packages/operator/src/report/', pathNot: TESTS },
      to: { path: inOperator(OPERATOR_LEVELS.flat()) },
    },
    {
      name: '@binnacle/core is pure: it imports nothing of Node and no other module',
      severity: 'error',
      from: { path: '^packages/core/', pathNot: TESTS },
      to: { pathNot: '^packages/core/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'A pure file imports nothing of Node: it takes what it needs as arguments',
      severity: 'error',
      from: { path: PURE_FILES },
      to: { dependencyTypes: ['core'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'A pure file reaches no input or output, not even through others',
      severity: 'error',
      from: { path: PURE_FILES },
      to: { path: INPUT_OUTPUT, reachable: true },
    },
    {
      name: 'No file imports itself, not even in a circle',
      comment: 'Circles of types alone are harmless; circles of code decide by accident who is loaded first.',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'What is shipped imports only what its package.json names under dependencies',
      severity: 'error',
      from: SHIPPED,
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'] },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    preserveSymlinks: false,
    doNotFollow: { path: '(^|/)(node_modules|dist)/' },
    exclude: { path: '/dist/.*\\.test\\.' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['types', 'import', 'default'],
      extensions: ['.ts', '.mjs', '.js'],
    },
  },
}
