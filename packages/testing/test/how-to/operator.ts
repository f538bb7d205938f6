import { operator, resource, TemporaryError } from 'binnacle'

export const App = resource({ group: 'example.com', version: 'v1', kind: 'App' })

/** An operator as one writes it at first. */
export function untested() {
  const op = operator('shop')
  op.on.create(App, async function deploy({ name, spec, retry, client, patch }) {
    if (retry === 0) throw new TemporaryError('the registry is busy', { delay: '30s' })
    const child = { metadata: { generateName: `${name}-` }, data: { image: spec.image } }
    const { metadata } = await client.create('configmaps', child)
    patch.status.child = metadata.name
  })
  op.on.delete(App, async function cleanup({ status, client }) {
    await client.delete('configmaps', status.child)
  })
  return op
}

/** The same, after what the tests have told. */
export function shop() {
  const op = operator('shop')
  op.on.create(App, async function deploy({ name, spec, retry, client, patch }) {
    if (retry === 0) throw new TemporaryError('the registry is busy', { delay: '30s' })
    await client.apply('configmaps', { metadata: { name: `${name}-child` }, data: { image: spec.image } })
    patch.status.child = `${name}-child`
  })
  op.on.delete(App, async function cleanup({ name, client }) {
    const child = await client.find('configmaps', `${name}-child`)
    if (child) await client.delete('configmaps', child)
  })
  return op
}
