import { delay } from '@binnacle/cluster'
import { type Harness, harness } from '@binnacle/testing'
import { type Env, type Index, index, type Operator, operator, PermanentError, TemporaryError } from 'binnacle'
import { describe, expect, it } from 'vitest'
import { Kex } from './kinds.ts'

/** Document 000, section by section: each snippet as an operator, over pods of an embedded cluster. The titles are those of its sections. */

const pod = (
  name: string,
  namespace = 'default',
  labels: { readonly [label: string]: string } = {},
  containers = ['main'],
) => ({
  metadata: { name, namespace, labels },
  spec: { containers: containers.map((container) => ({ name: container, image: 'x' })) },
})
type NewPod = ReturnType<typeof pod>

/** The contents of an index, as lists, in a stable order. */
const contents = <K, V>(subject: Index<K, V>) =>
  [...subject]
    .map(([key, values]) => [key, values.toArray()] as const)
    .sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))

async function over<E extends Env>(
  pods: readonly NewPod[],
  op: Operator<E>,
  tell: (indices: E['indices'], t: Harness<E>) => Promise<void> | void,
): Promise<void> {
  await using t = await harness(op, { resources: [Kex], start: false })
  for (const namespace of new Set(pods.map(({ metadata }) => metadata.namespace)))
    if (namespace !== 'default') await t.cluster.create('namespaces', { metadata: { name: namespace }, spec: {} })
  for (const each of pods) await t.cluster.create('pods', each)
  await t.start()
  await t.settled()
  await tell(t.indices, t)
}

describe('In-memory indexing', () => {
  it('all that is said about a kind comes by one stream, however many indices and handlers there are', async () => {
    const op = operator('indexing', {
      indices: {
        names: index('pods', ({ name }) => name),
        labelled: index('pods', ({ labels, name }) => ({ [name]: labels })),
      },
    })
    op.on.event('pods', { id: 'one' }, () => {})
    op.on.event('pods', { id: 'two' }, () => {})
    await over([pod('a')], op, async (_, t) => {
      await t.cluster.create('pods', pod('b'))
      await t.settled()
      const asked = t.cluster.requests.filter(
        ({ verb, path, user }) => path.includes('/pods') && verb !== 'create' && user !== 'test',
      )
      expect(asked.map(({ verb }) => verb).filter((verb) => verb === 'watch')).toHaveLength(1)
      expect(asked.filter(({ verb }) => verb === 'get')).toEqual([])
    })
  })
})

describe('Index declaration', () => {
  it('takes all filters; an object that starts or stops matching comes and goes', async () => {
    const op = operator('indexing', {
      indices: { myIdx: index('pods', { labels: { app: 'web' } }, ({ name }) => name) },
    })
    await over([pod('a', 'default', { app: 'web' }), pod('b')], op, async ({ myIdx }, t) => {
      expect(contents(myIdx)).toEqual([[null, ['a']]])
      await t.cluster.patch('pods', 'default/b', { metadata: { labels: { app: 'web' } } })
      await t.cluster.patch('pods', 'default/a', { metadata: { labels: { app: 'db' } } })
      await t.settled()
      expect(contents(myIdx)).toEqual([[null, ['b']]])
      await t.cluster.delete('pods', 'default/b')
      await t.settled()
      expect(contents(myIdx)).toEqual([])
    })
  })

  it('the index is in the context of every handler, under its name', async () => {
    const seen: number[] = []
    const op = operator('indexing', { indices: { myIdx: index('pods', ({ name }) => ({ [name]: 1 })) } })
    op.timer(Kex, { id: 'tick', interval: 5 }, ({ myIdx }) => void seen.push(myIdx.size))
    await over([pod('a'), pod('b')], op, async (_, t) => {
      await t.cluster.create(Kex, { metadata: { namespace: 'default', name: 'k' }, spec: {} })
      await t.advance(6)
      expect(seen).toEqual([2, 2])
    })
  })
})

describe('Index declaration, in operator-level handlers', () => {
  it('timers and probes have the index in their context', async () => {
    const op = operator('indexing', { indices: { myIdx: index('pods', ({ name }) => ({ [name]: 1 })) } })
    op.on.probe(function metric({ myIdx }) {
      return myIdx.size
    })
    await using t = await harness(op, { start: false, health: 0 })
    await t.cluster.create('pods', pod('a'))
    await t.cluster.create('pods', pod('b'))
    await t.start()
    await t.settled()
    await fetch(`${t.operator.healthUrl}/healthz`)
    expect(t.health().probes).toEqual({ metric: 2 })
  })
})

describe('Index structure', () => {
  it('is a mapping of keys to collections, read-only, which is empty at first and never has an empty collection', async () => {
    const op = operator('indexing', {
      indices: {
        structured: index('pods', ({ name }) => {
          if (name === 'first') return { key1: 'valueA' }
          if (name === 'second') return { key1: 'valueB' }
          return { key2: 'valueC' }
        }),
      },
    })
    expect([...op.indices.structured]).toEqual([])
    await over([pod('first'), pod('second'), pod('third')], op, async ({ structured }, t) => {
      expect(contents(structured)).toEqual([
        ['key1', ['valueA', 'valueB']],
        ['key2', ['valueC']],
      ])
      for (const name of ['set', 'add', 'delete', 'clear', 'put', 'drop']) expect(name in structured).toBe(false)
      await t.cluster.delete('pods', 'default/third')
      await t.settled()
      expect([...structured.keys()]).toEqual(['key1'])
      expect(structured.has('key2')).toBe(false)
    })
  })

  it('keys lead to collections; a nested mapping is a value', async () => {
    const op = operator('indexing', {
      indices: {
        structured: index('pods', ({ name }) => {
          if (name === 'first') return { key1: 'valueA' }
          if (name === 'second') return { key1: 'valueB' }
          return { key2: { key3: 'valueC' } }
        }),
      },
    })
    await over([pod('first'), pod('second'), pod('third')], op, ({ structured }) => {
      expect(contents(structured)).toEqual([
        ['key1', ['valueA', 'valueB']],
        ['key2', [{ key3: 'valueC' }]],
      ])
    })
  })
})

describe('Index content', () => {
  const pods = [
    pod('pod1', 'ns1', { label1: 'value1a', label2: 'value2b' }),
    pod('pod2', 'ns1', { label1: 'value1a' }),
    pod('pod3', 'ns2', { label1: 'value1b', label2: 'value2b' }),
  ]

  it('string keys, tuple keys compared by value, several keys at once', async () => {
    const op = operator('indexing', {
      indices: {
        stringKeys: index('pods', ({ namespace, name }) => ({ [namespace]: name })),
        tupleKeys: index('pods', ({ namespace, name }) => new Map([[[namespace, name], 'hello']])),
        byLabel: index(
          'pods',
          ({ labels, name }) => new Map(Object.entries(labels).map(([label, value]) => [[label, value], name])),
        ),
      },
    })
    await over(pods, op, ({ stringKeys, tupleKeys, byLabel }) => {
      expect(contents(stringKeys)).toEqual([
        ['ns1', ['pod1', 'pod2']],
        ['ns2', ['pod3']],
      ])
      expect(tupleKeys.get(['ns1', 'pod2']).toArray()).toEqual(['hello'])
      expect(tupleKeys.has(['ns2', 'pod2'])).toBe(false)
      expect(byLabel.get(['label2', 'value2b']).toArray()).toEqual(['pod1', 'pod3'])
      expect([...byLabel.get(['label1', 'value1a'])]).toEqual(['pod1', 'pod2'])
      expect([...byLabel.get(['label3', 'x'])]).toEqual([])
    })
  })
})

describe('Index content, read by a timer', () => {
  it('an object is found under each of its labels, and never twice under one', async () => {
    const printed: string[] = []
    const op = operator('indexing', {
      indices: {
        byLabel: index(
          'pods',
          ({ labels, name }) => new Map(Object.entries(labels).map(([label, value]) => [[label, value], name])),
        ),
      },
    })
    op.timer(Kex, { id: 'tick', interval: 5 }, ({ byLabel }) => {
      printed.push(JSON.stringify(byLabel.get(['label2', 'value2b']).toArray()))
      for (const podName of byLabel.get(['label2', 'value2b'])) printed.push(`==> ${podName}`)
    })
    const pods = [
      pod('pod1', 'default', { label1: 'value1a', label2: 'value2b' }),
      pod('pod2', 'default', { label1: 'value1a' }),
      pod('pod3', 'default', { label1: 'value1b', label2: 'value2b' }),
    ]
    await over(pods, op, async (_, t) => {
      await t.cluster.create(Kex, { metadata: { namespace: 'default', name: 'k' }, spec: {} })
      await t.settled()
      expect(printed).toEqual(['["pod1","pod3"]', '==> pod1', '==> pod3'])
    })
  })
})

describe('Recipes', () => {
  it('Enumerating resources: timers walk along them, and look keys up', async () => {
    const printed: string[] = []
    const op = operator('indexing', {
      indices: {
        podsList: index('pods', ({ namespace, name }) => [namespace, name]),
        podsDict: index('pods', ({ namespace, name }) => new Map([[[namespace, name], null]])),
      },
    })
    op.timer(Kex, { id: 'tickList', interval: 5 }, ({ podsList }) => {
      for (const [ns, name] of podsList.get(null)) printed.push(`${ns}::${name}`)
    })
    op.timer(Kex, { id: 'tickDict', interval: 5 }, ({ podsDict, spec, namespace }) => {
      const monitored = spec.monitoredNamespace ?? namespace
      for (const [ns, name] of podsDict.keys()) if (ns === monitored) printed.push(`in ${ns}: ${name}`)
    })
    await over([pod('a', 'ns1'), pod('b', 'ns2')], op, async (_, t) => {
      await t.cluster.create(Kex, {
        metadata: { namespace: 'default', name: 'k' },
        spec: { monitoredNamespace: 'ns2' },
      })
      await t.settled()
      expect(printed.sort()).toEqual(['in ns2: b', 'ns1::a', 'ns2::b'])
    })
  })

  it('Mirroring resources: a timer compares the status of a deployment with its spec', async () => {
    const printed: string[] = []
    const op = operator('indexing', {
      indices: {
        wholeDeployments: index(
          'deployments.apps',
          ({ namespace, name, body }) => new Map([[[namespace, name], body]]),
        ),
      },
    })
    op.timer(Kex, { id: 'tick', interval: 5 }, ({ wholeDeployments }) => {
      const [deployment] = wholeDeployments.get(['default', 'coredns'])
      printed.push(`${deployment?.metadata.name}: ${deployment?.status?.replicas}/${deployment?.spec.replicas}`)
    })
    await over([], op, async (_, t) => {
      const labels = { app: 'dns' }
      const template = { metadata: { labels }, spec: { containers: [{ name: 'dns', image: 'x' }] } }
      await t.cluster.create('deployments.apps', {
        metadata: { namespace: 'default', name: 'coredns' },
        spec: { replicas: 3, selector: { matchLabels: labels }, template },
      })
      const status = { status: { replicas: 2 } }
      await t.cluster.patch('deployments.apps', 'default/coredns', status, { subresource: 'status' })
      await t.cluster.create(Kex, { metadata: { namespace: 'default', name: 'k' }, spec: {} })
      await t.settled()
      expect(printed).toEqual(['coredns: 2/3'])
    })
  })

  it('Unindexed collections: what is not a mapping goes under the key null', async () => {
    const op = operator('indexing', {
      indices: {
        podNames: index('pods', ({ name }) => name),
        containerNames: index('pods', ({ spec }) => new Set(spec.containers.map(({ name }: { name: string }) => name))),
      },
    })
    await over(
      [pod('pod1', 'default', {}, ['main1', 'sidecar2']), pod('pod2', 'default', {}, ['main2'])],
      op,
      (indices) => {
        expect(contents(indices.podNames)).toEqual([[null, ['pod1', 'pod2']]])
        expect(indices.containerNames.get(null).toArray()).toEqual([new Set(['main1', 'sidecar2']), new Set(['main2'])])
      },
    )
  })

  it('Enumerating resources: as a flat collection, and by key', async () => {
    const op = operator('indexing', {
      indices: {
        podsList: index('pods', ({ namespace, name }) => [namespace, name]),
        podsDict: index('pods', ({ namespace, name }) => new Map([[[namespace, name], null]])),
      },
    })
    await over([pod('a', 'ns1'), pod('b', 'ns2')], op, ({ podsList, podsDict }) => {
      expect(podsList.get(null).map(([namespace, name]) => `${namespace}::${name}`)).toEqual(['ns1::a', 'ns2::b'])
      expect([...podsDict.keys()]).toEqual([
        ['ns1', 'a'],
        ['ns2', 'b'],
      ])
      expect(podsDict.get(['ns1', 'a']).toArray()).toEqual([null])
    })
  })

  it('Mirroring resources: whole bodies, and a bare body is one value', async () => {
    const op = operator('indexing', {
      indices: {
        wholePods: index('pods', ({ namespace, name, body }) => new Map([[[namespace, name], body]])),
        bodies: index('pods', ({ body }) => body),
      },
    })
    await over([pod('a')], op, async ({ wholePods, bodies }, t) => {
      expect(wholePods.first(['default', 'a'])?.spec.containers[0]?.name).toBe('main')
      expect(bodies.get(null).map(({ metadata }) => metadata.name)).toEqual(['a'])
      await t.cluster.patch('pods', 'default/a', { metadata: { labels: { fresh: 'yes' } } })
      await t.settled()
      expect(wholePods.first(['default', 'a'])?.metadata.labels?.['fresh']).toBe('yes')
    })
  })

  it('Indices of indices: keys of one are found through another', async () => {
    const op = operator('indexing', {
      indices: {
        primary: index(
          'pods',
          ({ namespace, name, spec }) =>
            new Map([[[namespace, name], new Set<string>(spec.containers.map(({ name }: { name: string }) => name))]]),
        ),
        secondary: index('pods', ({ namespace, name }) => ({ [namespace]: name })),
      },
    })
    const found: string[] = []
    op.timer(Kex, { id: 'tick', interval: 5 }, ({ primary, secondary, spec }) => {
      const monitored: string = spec.monitoredNamespace ?? 'default'
      const containers = new Set<string>()
      for (const podName of secondary.get(monitored))
        for (const container of primary.first([monitored, podName]) ?? []) containers.add(container)
      found.push(`containers in ${monitored}: ${[...containers].sort().join(', ')}`)
    })
    const pods = [
      pod('pod1a', 'ns1'),
      pod('pod1b', 'ns1', {}, ['main', 'sidecar']),
      pod('pod2a', 'ns2', {}, ['the-only-one']),
    ]
    await over(pods, op, async (_, t) => {
      await t.cluster.create(Kex, {
        metadata: { namespace: 'default', name: 'k' },
        spec: { monitoredNamespace: 'ns1' },
      })
      await t.settled()
      expect(found).toEqual(['containers in ns1: main, sidecar'])
    })
  })
})

describe('Conditional indexing', () => {
  it('nothing returned keeps what is there; null inside of a mapping is a value', async () => {
    const op = operator('indexing', {
      indices: {
        emptyIndex: index('pods', () => {}),
        indexOfNulls: index('pods', () => ({ key: null })),
        once: index('pods', ({ labels, name }) => (labels['later'] ? undefined : { [name]: 'kept' })),
      },
    })
    await over([pod('a'), pod('b')], op, async ({ emptyIndex, indexOfNulls, once }, t) => {
      expect(emptyIndex.size).toBe(0)
      expect(contents(indexOfNulls)).toEqual([['key', [null, null]]])
      await t.cluster.patch('pods', 'default/a', { metadata: { labels: { later: 'yes' } } })
      await t.settled()
      expect(contents(once)).toEqual([
        ['a', ['kept']],
        ['b', ['kept']],
      ])
    })
  })
})

describe('Errors in indexing', () => {
  it('the three modes, and the two errors that choose one by themselves', async () => {
    const broken = ({ labels }: { readonly labels: { readonly [label: string]: string } }) => labels['broken'] === 'yes'
    const failing =
      (error: () => Error) =>
      (ctx: { readonly labels: { readonly [label: string]: string }; readonly name: string }) => {
        if (broken(ctx)) throw error()
        return { [ctx.name]: ctx.labels['n'] }
      }
    const op = operator('indexing', {
      indices: {
        staleOnError: index(
          'pods',
          { errors: 'ignored' },
          failing(() => new Error('Keep the stale values, if any.')),
        ),
        excludedForever: index(
          'pods',
          { errors: 'permanent' },
          failing(() => new Error('Excluded forever.')),
        ),
        excludedByError: index(
          'pods',
          failing(() => new PermanentError('Excluded forever.')),
        ),
        excludedForAMinute: index(
          'pods',
          { errors: 'temporary' },
          failing(() => new Error('Excluded for 60s.')),
        ),
        excludedForHalfAMinute: index(
          'pods',
          failing(() => new TemporaryError('Excluded for 30s.', { delay: 30 })),
        ),
      },
    })
    await over([pod('a', 'default', { n: '1' })], op, async (indices, t) => {
      const table = () =>
        Object.fromEntries(Object.entries(indices).map(([name, each]) => [name, each.get('a').toArray()]))
      const edit = async (labels: object) => {
        await t.cluster.patch('pods', 'default/a', { metadata: { labels } })
        await t.settled()
      }
      await edit({ broken: 'yes', n: '2' })
      expect(table()).toEqual({
        staleOnError: ['1'],
        excludedForever: [],
        excludedByError: [],
        excludedForAMinute: [],
        excludedForHalfAMinute: [],
      })
      await edit({ broken: 'no', n: '3' })
      expect(table()).toMatchObject({ staleOnError: ['3'], excludedForHalfAMinute: [] })
      await t.advance(30)
      expect(table()).toMatchObject({ excludedForAMinute: [], excludedForHalfAMinute: ['3'] })
      await t.advance(30)
      expect(table()).toEqual({
        staleOnError: ['3'],
        excludedForever: [],
        excludedByError: [],
        excludedForAMinute: ['3'],
        excludedForHalfAMinute: ['3'],
      })
    })
  })
})

describe('Kwargs safety', () => {
  it('an index wins over a name of the framework, in changes, daemons and timers', async () => {
    const op = operator('colliding', { indices: { labels: index('pods', ({ name }) => name) } })
    const seen: unknown[] = []
    op.on.create(Kex, ({ labels }) => void seen.push(labels.get(null).toArray()))
    op.daemon(Kex, ({ labels }) => void seen.push(labels.get(null).toArray()))
    op.timer(Kex, {}, ({ labels }) => void seen.push(labels.get(null).toArray()))
    await over([pod('a')], op, async (_, t) => {
      await t.cluster.create(Kex, { metadata: { namespace: 'default', name: 'k', labels: { x: 'y' } }, spec: {} })
      await t.settled()
      expect(seen).toEqual([['a'], ['a'], ['a']])
    })
  })
})

describe('Errors in indexing, as they are told', () => {
  it('expected errors take one line, others their stack too, and retries are limited', async () => {
    const attempts: number[] = []
    const op = operator('indexing', {
      indices: {
        expected: index('pods', () => {
          throw new TemporaryError('Excluded for 30s.', { delay: 30 })
        }),
        limited: index('pods', { errors: 'temporary', backoff: 10, retries: 3 }, ({ retry }) => {
          attempts.push(retry)
          throw new Error('Excluded for good after the third attempt.')
        }),
      },
    })
    await over([pod('a')], op, async (_, t) => {
      await t.advance('10m')
      expect(attempts).toEqual([0, 1, 2])
      const lines = t.logs.filter(({ message }) => message.startsWith('Index "'))
      expect(
        lines
          .filter(({ message }) => message.includes('30s'))
          .every(({ fields }) => !(fields as { readonly error?: unknown } | undefined)?.error),
      ).toBe(true)
      expect(
        lines.some(
          ({ message, fields }) =>
            message.includes('for good') && (fields as { readonly error?: unknown } | undefined)?.error !== undefined,
        ),
      ).toBe(true)
    })
  })
})

describe('Guarantees', () => {
  it('handlers of the operator have indices too, empty at the start, and may pass them on to what works later', async () => {
    const sizes: number[] = []
    let later: (() => number) | undefined
    const op = operator('indexing', { indices: { podNames: index('pods', ({ name }) => name) } })
    op.on.startup(({ podNames }) => {
      sizes.push(podNames.size)
      later = () => podNames.get(null).size
    })
    op.on.cleanup(({ podNames }) => void sizes.push(podNames.get(null).size))
    await over([pod('a'), pod('b')], op, async (_, t) => {
      expect(later?.()).toBe(2)
      await t.stop()
      expect(sizes).toEqual([0, 2])
    })
  })

  it('raw event handlers have the complete overview as well', async () => {
    const seen: number[] = []
    const op = operator('indexing', { indices: { podNames: index('pods', ({ name }) => name) } })
    op.on.event('pods', ({ podNames }) => void seen.push(podNames.get(null).size))
    await over(
      Array.from({ length: 12 }, (_, i) => pod(`p${i}`)),
      op,
      () => {
        expect(seen).toEqual(Array(12).fill(12))
      },
    )
  })

  it('an index exists before anything is listed, and is complete before any handler of any kind runs', async () => {
    const op = operator('indexing', { indices: { podNames: index('pods', ({ name }) => name) } })
    const seen: number[] = []
    op.on.create(Kex, ({ podNames }) => void seen.push(podNames.get(null).size))
    op.daemon(Kex, ({ podNames }) => void seen.push(podNames.get(null).size))
    op.timer(Kex, {}, ({ podNames }) => void seen.push(podNames.get(null).size))
    expect(op.indices.podNames.size).toBe(0)
    await using t = await harness(op, { resources: [Kex], start: false })
    for (let i = 0; i < 30; i++) await t.cluster.create('pods', pod(`p${i}`))
    await t.cluster.create(Kex, { metadata: { namespace: 'default', name: 'k' }, spec: {} })
    await t.start()
    await t.settled()
    expect(seen).toEqual([30, 30, 30])
  })
})

describe('Limitations', () => {
  it('nothing is kept over a restart: indices are calculated anew from the list', async () => {
    let calls = 0
    const op = operator('indexing', {
      indices: {
        podNames: index('pods', ({ name }) => {
          calls++
          return name
        }),
      },
    })
    await over([pod('a'), pod('b')], op, async (_, t) => {
      expect(calls).toBe(2)
      await t.stop()
      await t.cluster.delete('pods', 'default/a')
      await t.start()
      expect(calls).toBe(3)
      expect(t.indices.podNames.get(null).toArray()).toEqual(['b'])
    })
  })

  it('handlers wait for the indices whether or not they use them', async () => {
    const op = operator('indexing', { indices: { podNames: index('pods', ({ name }) => name) } })
    const called: number[] = []
    let clock: Harness['clock'] | undefined
    op.on.create(Kex, () => void called.push(clock?.monotonic() ?? 0))
    await using t = await harness(op, { resources: [Kex], start: false })
    clock = t.clock
    await t.cluster.create(Kex, { metadata: { namespace: 'default', name: 'k' }, spec: {} })
    t.cluster.faults.once({ verb: ['list', 'watch'], resource: 'pods' }, delay('8s'))
    const begun = t.clock.monotonic()
    await t.start()
    await t.settled()
    expect(called.map((at) => at - begun)).toEqual([8])
    expect(t.logs.map(({ message }) => message)).toContain(
      'Handlers wait for the indices: 0 of 1 lists are complete, awaited: pods (0 objects so far).',
    )
  })
})
