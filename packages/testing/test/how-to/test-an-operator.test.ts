import { type Harness, harness, loseResponse, simulate, underFaults } from '@binnacle/testing'
import '@binnacle/testing/vitest'
import { expect, it } from 'vitest'
import { App, shop, untested } from './operator.ts'

const app = { metadata: { name: 'web' }, spec: { image: 'web:1' } }

it('waits for the registry, as a unit', async () => {
  const object = { apiVersion: 'example.com/v1', kind: 'App', ...app } as never
  const { outcome, error } = await simulate(shop(), 'deploy', object)
  expect(outcome).toBe('temporary')
  expect(String(error)).toContain('the registry is busy')
})

it('deploys an app, and cleans up after it', async () => {
  await using t = await harness(shop(), { resources: [App] })
  await t.cluster.create(App, app)
  await t.advance('1m')
  await expect(t).toHaveObject('configmaps', 'web-child', { data: { image: 'web:1' } })
  await expect(t).toHaveObject(App, 'web', { status: { child: 'web-child' } })
  expect(t).toHaveCalled('deploy', 2)

  await t.cluster.delete(App, 'web')
  await t.until(App, 'web', (object) => object === undefined)
  await expect(t).toHaveObject('configmaps', 'web-child')
  expect(t).toHaveNoLeaks()
})

it('survives a lost answer and a crash at the worst moment', async () => {
  await using t = await harness(shop(), { resources: [App] })
  t.cluster.faults.once({ verb: 'apply', resource: 'configmaps' }, loseResponse())
  const crashed = t.crash({ after: { verb: 'patch', resource: App, subresource: 'status' }, within: '10m' })
  await t.cluster.create(App, app)
  await crashed
  await t.advance('10m')
  await expect(t).toHaveObject(App, 'web', { status: { child: 'web-child' } })
})

async function life(t: Harness) {
  await t.cluster.create(App, app)
  await t.advance('2m')
  await t.cluster.delete(App, 'web')
  await t.until(App, 'web', (object) => object === undefined)
}

it('survives whatever happens to it', async () => {
  const { runs, faults } = await underFaults(shop, life, { resources: [App], only: ['crash-after', 'lose-response'] })
  expect(runs).toBeGreaterThan(10)
  expect(faults).toBe(runs)
}, 120_000)

/** What is printed, without what is made up in each run. */
async function printed(failing: () => Promise<unknown>): Promise<string> {
  const error = await failing().then(
    () => new Error('It held'),
    (thrown: Error) => thrown,
  )
  return `${error.message.replace(/"managedFields":.*?\]\}?,/g, '').replaceAll(/ +$/gm, '')}\n`
}

it('tells what happened when an expectation fails', async () => {
  await using t = await harness(shop(), { resources: [App] })
  await t.cluster.create(App, app)
  await t.advance('10s')
  const message = await printed(async () => expect(t).toHaveCalled('deploy', 2))
  await expect(message).toMatchFileSnapshot('expectation.txt')
})

it('tells what the untested one does not survive', async () => {
  const message = await printed(() => underFaults(untested, life, { resources: [App], only: ['crash-after-handler'] }))
  await expect(message).toMatchFileSnapshot('fault.txt')
}, 120_000)
