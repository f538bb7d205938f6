import { resource } from '@binnacle/core'
import { operator } from 'binnacle'
import { expect, it } from 'vitest'
import { harness } from './harness.ts'

const Kex = resource({ group: 'kopf.dev', version: 'v1', kind: 'KopfExample', plural: 'kopfexamples' })

it('tells a story of create, update and delete on virtual time', async () => {
  const op = operator('hello')
  const seen: string[] = []
  op.on.create(Kex, ({ name, patch }) => {
    seen.push(`create ${name}`)
    patch.status.greeting = `Hello, ${name}!`
  })
  op.on.update(Kex, ({ old, current, diff }) => {
    seen.push(`update ${old?.spec.field} ${current.spec.field} ${diff.length}`)
  })
  op.on.delete(Kex, ({ name }) => {
    seen.push(`delete ${name}`)
  })
  await using t = await harness(op, { resources: [Kex] })
  await t.cluster.create(Kex, { metadata: { name: 'a', namespace: 'default' }, spec: { field: 'x' } })
  await t.settled()
  console.log(JSON.stringify(await t.cluster.get(Kex, 'default/a'), undefined, 1))
  await t.cluster.patch(Kex, 'default/a', { spec: { field: 'y' } })
  await t.settled()
  await t.cluster.delete(Kex, 'default/a')
  await t.settled()
  expect(await t.cluster.find(Kex, 'default/a')).toBeUndefined()
  expect(seen).toEqual(['create a', 'update x y 1', 'delete a'])
  console.log(t.logs.map((l) => l.message).join('\n'))
})
