import { type Deployment, type Index, type IndexValues, index, operator } from 'binnacle'
import { expect, expectTypeOf, it } from 'vitest'
import { Kex } from './kex.ts'

// Specification 000, in-memory indexing: the examples of it, section by section, as they are written.

// 000 "Index declaration": the key in `indices` is the index's name; all filters are accepted.
const myIdx = index('pods', { labels: { app: 'web' } }, () => 'anything')

// 000 "Index structure": plain objects are merged by key, values gather under the key; a nested object is a value.
const structured = index('pods', ({ name }) => {
  if (name === 'first') return { key1: 'valueA' }
  if (name === 'second') return { key1: 'valueB' }
  return { key2: { key3: 'valueC' } }
})

// 000 "Index content": string keys; keys of several parts; several keys at once.
const stringKeys = index('pods', ({ namespace, name }) => ({ [namespace]: name }))
const tupleKeys = index('pods', ({ namespace, name }) => new Map([[[namespace, name], 'hello']]))
const byLabel = index(
  'pods',
  ({ labels, name }) => new Map(Object.entries(labels).map(([label, value]) => [[label, value], name])),
)

// 000 "Unindexed collections": what is not a mapping goes under the key null.
const podNames = index('pods', ({ name }) => name)
const containerNames = index('pods', ({ spec }) => new Set(spec.containers.map((container) => container.name)))

// 000 "Enumerating resources": as a flat collection, and by key.
const podsList = index('pods', ({ namespace, name }) => [namespace, name])
const podsDict = index('pods', ({ namespace, name }) => new Map([[[namespace, name], null]]))

// 000 "Mirroring resources".
const wholeDeployments = index('deployments', ({ namespace, name, body }) => new Map([[[namespace, name], body]]))

// 000 "Indices of indices".
const primary = index(
  'pods',
  ({ namespace, name, spec }) =>
    new Map([[[namespace, name], new Set(spec.containers.map((container) => container.name))]]),
)
const secondary = index('pods', ({ namespace, name }) => ({ [namespace]: name }))

// 000 "Conditional indexing": nothing returned, nothing indexed; null inside of a mapping is a value.
const emptyIndex = index('pods', () => {})
const indexOfNulls = index('pods', () => ({ key: null }))

const op = operator('indexing', {
  indices: {
    myIdx,
    structured,
    stringKeys,
    tupleKeys,
    byLabel,
    podNames,
    containerNames,
    podsList,
    podsDict,
    wholeDeployments,
    primary,
    secondary,
    emptyIndex,
    indexOfNulls,
  },
})

it('types an index by what its function returns', () => {
  expectTypeOf(op.indices.stringKeys).toEqualTypeOf<Index<string, string>>()
  expectTypeOf(op.indices.tupleKeys.get).parameter(0).toEqualTypeOf<readonly [string, string]>()
  expectTypeOf(op.indices.byLabel.first(['a', 'b'])).toEqualTypeOf<string | undefined>()
  expectTypeOf(op.indices.podNames).toEqualTypeOf<Index<null, string>>()
  expectTypeOf(op.indices.containerNames.first(null)).toEqualTypeOf<Set<string> | undefined>()
  expectTypeOf(op.indices.wholeDeployments).toExtend<Index<readonly [string, string], Deployment>>()
  expectTypeOf(op.indices.indexOfNulls.get('key')).toEqualTypeOf<IndexValues<null>>()
})

it('hands indices to handlers by name, typed', () => {
  op.on.create(Kex, { id: 'labels' }, ({ byLabel, logger }) => {
    logger.info(byLabel.get(['label2', 'value2b']).toArray().join(', '))
    for (const podName of byLabel.get(['label2', 'value2b'])) logger.info(`==> ${podName}`)
  })
  op.on.create(Kex, { id: 'list' }, ({ podsList, logger }) => {
    for (const [namespace, name] of podsList.get(null)) logger.info(`${namespace}::${name}`)
  })
  op.on.create(Kex, { id: 'dict' }, ({ podsDict, spec, namespace, logger }) => {
    const monitored = spec.monitoredNamespace ?? namespace
    for (const [podNamespace, podName] of podsDict.keys()) {
      if (podNamespace === monitored) logger.info(`in ${podNamespace}: ${podName}`)
    }
  })
  op.on.create(Kex, { id: 'mirror' }, ({ wholeDeployments, logger }) => {
    const deployment = wholeDeployments.first(['kube-system', 'coredns'])
    if (!deployment) return
    logger.info(`${deployment.metadata.name}: ${deployment.status?.replicas}/${deployment.spec.replicas}`)
  })
  op.on.create(Kex, { id: 'nested' }, ({ primary, secondary, spec, logger }) => {
    const monitored = spec.monitoredNamespace ?? 'default'
    const containers = new Set<string>()
    for (const podName of secondary.get(monitored)) {
      for (const container of primary.first([monitored, podName]) ?? []) containers.add(container)
    }
    logger.info(`containers in ${monitored}: ${[...containers].join(', ')}`)
  })
  expect(op.describe().handlers.map(({ id }) => id)).toEqual(['labels', 'list', 'dict', 'mirror', 'nested'])
})

it('lets an index win over a framework name, in types as well', () => {
  const colliding = operator('colliding', { indices: { labels: index('pods', ({ name }) => name) } })
  colliding.on.create(Kex, ({ labels, name }) => {
    const mine: Index<null, string> = labels
    return { known: mine.get(null).has(name) }
  })
})

it('has every index at once, also outside of handlers', () => {
  const count: number = op.indices.podNames.size
  const deployments: Index<readonly [string, string], Deployment> = op.indices.wholeDeployments
  expect([count, deployments.size]).toEqual([0, 0])
})
