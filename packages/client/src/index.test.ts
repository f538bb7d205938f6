import { describe, expect, expectTypeOf, it } from 'vitest'
import { memoryTransport } from '../test/memory-transport.ts'
import {
  type AnyObject,
  type Client,
  type ConfigMap,
  connect,
  type Deployment,
  type KubeObject,
  type List,
  type ObjectOf,
  type Pod,
  resource,
  typed,
  type WatchEvent,
} from './index.ts'

const Widget = resource({
  group: 'example.com',
  version: 'v1',
  kind: 'Widget',
  schema: { spec: typed<{ size: number }>() },
})

interface Gadget extends KubeObject {
  readonly spec: { readonly color: string }
}
declare module './index.ts' {
  interface ResourceMap {
    'gadgets.example.com': Gadget
  }
}

describe('the types', () => {
  it('can be told of more kinds by declaration merging', () => {
    expectTypeOf<ObjectOf<'gadgets.example.com'>>().toEqualTypeOf<Gadget>()
    expectTypeOf<ObjectOf<'example.com/v1/gadgets'>>().toEqualTypeOf<Gadget>()
  })

  it('know the built-in kinds by name', () => {
    expectTypeOf<ObjectOf<'pods'>>().toEqualTypeOf<Pod>()
    expectTypeOf<ObjectOf<'deployments.apps'>>().toEqualTypeOf<Deployment>()
    expectTypeOf<ObjectOf<'apps/v1/deployments'>>().toEqualTypeOf<Deployment>()
    expectTypeOf<ObjectOf<'v1/configmaps'>>().toEqualTypeOf<ConfigMap>()
    expectTypeOf<ObjectOf<'kopfexamples.kopf.dev'>>().toEqualTypeOf<AnyObject>()
  })

  it('follow the resource through every verb', () => {
    const use = async (client: Client) => {
      expectTypeOf(await client.get('pods', 'a')).toEqualTypeOf<Pod>()
      expectTypeOf(await client.find('pods', 'a')).toEqualTypeOf<Pod | undefined>()
      expectTypeOf(await client.list('deployments')).toEqualTypeOf<List<Deployment>>()
      expectTypeOf((await client.get(Widget, 'a')).spec.size).toEqualTypeOf<number>()
      for await (const event of client.watch('pods')) expectTypeOf(event).toEqualTypeOf<WatchEvent<Pod>>()
      for await (const item of client.items(Widget)) expectTypeOf(item.spec.size).toEqualTypeOf<number>()
      await client.create(Widget, { metadata: { name: 'a' }, spec: { size: 1 } })
      await client.patch(Widget, 'a', { spec: { size: null } })
      await client.edit(Widget, 'a', (draft) => {
        draft.spec.size = 2
      })
      // @ts-expect-error: a size is a number
      await client.create(Widget, { metadata: { name: 'a' }, spec: { size: 'large' } })
      // @ts-expect-error: pods have no such field
      await client.patch('pods', 'a', { spce: {} })
    }
    expect(use).toBeTypeOf('function')
  })
})

describe('the package', () => {
  it('brings the words of core with it', async () => {
    await using client = await connect({ transport: memoryTransport(() => ({ body: { items: [] } })) })
    expect(await client.list(Widget)).toMatchObject({ kind: 'WidgetList', items: [] })
  })
})
