import {
  ABSENT,
  all,
  type Client,
  type Duration,
  handlers,
  type Index,
  index,
  operator,
  PermanentError,
  resource,
  TemporaryError,
  typed,
} from 'binnacle'
import { expect, it } from 'vitest'
import { Kex } from './kex.ts'

// Each line that is marked must not compile; the comment on it is what the compiler says, in short. None of it runs: where a mistake is
// also refused at run time, the test beside the code says so.

interface Tree {
  readonly size: number
  readonly left?: Tree
}
const Forest = resource({ group: 'trees.example.com', version: 'v1', kind: 'Forest', schema: { spec: typed<Tree>() } })
const podsByNode = index('pods', ({ spec, name }) => ({ [spec.nodeName ?? '']: name }))
const podsByKey = index('pods', ({ namespace, name }) => new Map([[[namespace, name], name]]))
const made = () => operator('mistakes', { indices: { podsByNode, podsByKey } })
type Made = ReturnType<typeof made>

const mistakes = {
  fields(op: Made) {
    // @ts-expect-error Type '"spec.feild"' is not assignable. Did you mean '"spec.field"'?
    op.on.update(Kex, { field: 'spec.feild' }, () => {})
    // @ts-expect-error Type 'string' is not assignable to type 'number | Marker | …'
    op.on.update(Kex, { field: 'spec.replicas', value: 'three' }, () => {})
    // @ts-expect-error the same in an old/new filter
    op.on.update(Kex, { field: 'spec.replicas', old: 'three' }, () => {})
    // @ts-expect-error not one of the values of the enumeration
    op.on.create('pods', { field: 'status.phase', value: 'Runing' }, () => {})
    // @ts-expect-error Mistake<"give either `value`, or `old` and `new`">
    op.on.update(Kex, { field: 'spec.field', value: 'x', old: 'y' }, () => {})
    // @ts-expect-error Mistake<"`old` exists on update and field handlers only: here there is one state, use `value`">
    op.on.create(Kex, { field: 'spec.field', old: 'y' }, () => {})
    // @ts-expect-error the same for deletions
    op.on.delete(Kex, { field: 'spec.field', new: 'y' }, () => {})
    // @ts-expect-error the same for daemons
    op.daemon(Kex, { field: 'spec.field', new: 'y' }, () => {})
    // @ts-expect-error Property 'field' is missing
    op.on.field(Kex, { id: 'x' }, () => {})
    // @ts-expect-error Mistake<"`value`, `old` and `new` need a `field` to look at">
    op.on.create(Kex, { value: 'y' }, () => {})
    // @ts-expect-error a value callback returns a boolean
    op.on.create(Kex, { field: 'spec.field', value: () => 'yes' }, () => {})
    // @ts-expect-error the value in the callback is a number or undefined
    op.on.update(Kex, { field: 'spec.replicas', value: (replicas) => replicas.length > 3 }, () => {})
    op.on.update(Kex, { field: 'spec.replicas' }, ({ old }) => {
      // @ts-expect-error This comparison appears to be unintentional: number and string
      if (old === 'x') return
    })
    // @ts-expect-error the value type is known also where the path is open, inside of a recursive type
    op.on.update(Forest, { field: 'spec.left.left.left.size', new: 'big' }, () => {})
    // @ts-expect-error above that point a misspelt field is caught as anywhere
    op.on.update(Forest, { field: 'spec.sise' }, () => {})
  },

  filters(op: Made) {
    // @ts-expect-error null is no criterion; ABSENT is
    op.on.create(Kex, { labels: { app: null } }, () => {})
    // @ts-expect-error 'lables' does not exist … Did you mean to write 'labels'?
    op.on.create(Kex, { lables: { app: ABSENT } }, () => {})
    // @ts-expect-error 'optional' belongs to delete handlers
    op.on.create(Kex, { optional: true }, () => {})
    // @ts-expect-error no such mode
    op.on.create(Kex, { errors: 'IGNORED' }, () => {})
    // @ts-expect-error 'interval' belongs to timers
    op.daemon(Kex, { interval: '5s' }, () => {})
    // @ts-expect-error 'retries' means nothing for event handlers
    op.on.event('pods', { retries: 3 }, () => {})
    // @ts-expect-error Property 'spce' does not exist
    op.on.create(Kex, { when: all(({ spce }) => spce) }, () => {})
    // @ts-expect-error a filter is synchronous
    op.on.create(Kex, { when: async ({ name }) => name === 'x' }, () => {})
    // @ts-expect-error results go to the status
    op.on.create(Kex, { result: 'spec.field' }, () => {})
  },

  durations(op: Made) {
    // @ts-expect-error no such unit
    op.on.create(Kex, { timeout: '5 sec' }, () => {})
    // @ts-expect-error a string needs a unit
    op.on.create(Kex, { backoff: '5' }, () => {})
    // @ts-expect-error the same for timers
    op.timer(Kex, { interval: '5 sec' }, () => {})
    // @ts-expect-error the same in errors
    void new TemporaryError('later', { delay: '10 minutes' })
    // @ts-expect-error a permanent error has no delay
    void new PermanentError('never', { delay: 5 })
    const durations: Duration[] = [5, 2.5, '500ms', '10s', '2m', '1h', '7d', '1h30m', '2m30s', '1h30m15s']
    return durations
  },

  contexts(op: Made) {
    // @ts-expect-error Property 'feild' does not exist … Did you mean 'field'?
    op.on.create(Kex, ({ spec }) => void spec.feild)
    op.on.create(Kex, ({ spec }) => {
      // @ts-expect-error Cannot assign to 'replicas' because it is a read-only property
      spec.replicas = 3
    })
    op.on.create(Kex, ({ patch }) => {
      // @ts-expect-error in a patch the type counts as well
      patch.status.phase = 'Redy'
      // @ts-expect-error nor is there such a field
      patch.spec.replica = 3
    })
    // @ts-expect-error only daemons and timers are stopped
    op.on.create(Kex, ({ stopped }) => void stopped)
    // @ts-expect-error at creation there is nothing old
    op.on.create(Kex, ({ old }) => void old.spec)
    // @ts-expect-error `old` may be missing on updates, too: it can have been too large to be kept
    op.on.update(Kex, ({ old }) => void old.spec)
    // @ts-expect-error a whole Pod is hardly what should go to the status; return what matters
    op.on.create(Kex, ({ client }) => client.get('pods', 'x'))
    // @ts-expect-error results are JSON
    op.on.create(Kex, () => ({ at: new Map() }))
    op.on.create(Kex, async ({ step }) => {
      // @ts-expect-error sub-handlers have `old` only in update and field handlers
      await step('x', { field: 'spec.field', old: 'a' }, () => {})
    })
    // @ts-expect-error startup handlers have no object
    op.on.startup(({ spec }) => void spec)
    // @ts-expect-error a login comes before the client
    op.on.login(({ client }) => void client)
    // @ts-expect-error a login gives a connection, or undefined
    op.on.login(() => 'token')
    // @ts-expect-error what a probe says is JSON
    op.on.probe(() => new Map())
    // @ts-expect-error no such lifecycle
    void operator('x', { settings: { execution: { lifecycle: 'one-by-one' } } })
    op.on.cleanup(({ settings }) => {
      // @ts-expect-error settings are read-only after the startup
      settings.posting.enabled = false
    })
  },

  sets(op: Made) {
    const needsPool = handlers('pool', { shared: typed<{ readonly pool: { query(sql: string): void } }>() })
    needsPool.on.create(Kex, ({ shared }) => shared.pool.query('select 1'))
    // @ts-expect-error this operator shares nothing
    op.use(needsPool)
    operator('with-pool', { shared: () => ({ pool: { query: (_: string) => {} }, more: 1 }) }).use(needsPool)
    // @ts-expect-error a set has its own indices, not those of the operator
    needsPool.on.create(Kex, ({ podsByNode }) => void podsByNode)
  },

  resources() {
    // @ts-expect-error 'grop' does not exist … Did you mean to write 'group'?
    resource({ grop: 'a.example.com', version: 'v1', kind: 'A' })
    // @ts-expect-error no such scope
    resource({ group: 'a.example.com', version: 'v1', kind: 'A', scope: 'Namespace' })
  },

  async client(client: Client) {
    // @ts-expect-error a deployment needs a selector and a template
    await client.create('deployments', { metadata: { name: 'x' }, spec: { replicas: 1 } })
    // @ts-expect-error no such field in the patch
    await client.patch(Kex, 'default/x', { spec: { replica: 3 } })
    // @ts-expect-error a pod has no such field
    void (await client.get('pods', 'x')).spec.replicas
  },

  indices(op: Made) {
    // @ts-expect-error Property 'podsByNod' does not exist
    op.on.create(Kex, ({ podsByNod }) => void podsByNod)
    // @ts-expect-error a string is not a pair
    op.on.create(Kex, ({ podsByKey }) => void podsByKey.get('default/x'))
    // @ts-expect-error a pair has two parts
    op.on.create(Kex, ({ podsByKey }) => void podsByKey.get(['default']))
    // @ts-expect-error the values are strings
    op.on.create(Kex, ({ podsByNode }) => void podsByNode.first('n1')?.metadata)
    // @ts-expect-error an index is read-only
    op.on.create(Kex, ({ podsByNode }) => podsByNode.set('n1', 'x'))
    // @ts-expect-error Mistake<"an indexing function is synchronous: …">
    operator('x', { indices: { slow: index('pods', async ({ name }) => name) } })
    // @ts-expect-error indices are declared with `index`
    operator('x', { indices: { wrong: ({ name }: { name: string }) => name } })
    // @ts-expect-error Property 'labls' does not exist on a pod's context
    index('pods', ({ labls }) => labls)
    const typedIndex: Index<readonly [string, string], string> = op.indices.podsByKey
    return typedIndex
  },
}

it('catches likely mistakes while they are typed', () => {
  // What is checked here is checked by the compiler (tsconfig.tests.json).
  expect(Object.keys(mistakes)).toEqual([
    'fields',
    'filters',
    'durations',
    'contexts',
    'sets',
    'resources',
    'client',
    'indices',
  ])
})
