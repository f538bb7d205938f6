import { operator } from 'binnacle'
import { describe, expect, it } from 'vitest'
import { type Harness, underFaults } from '../../src/index.ts'
import { Kex } from '../kex.ts'

/**
 * Mistakes that authors make, each of which passes every test in which nothing goes wrong, or nearly so. What is shown of each is who catches it: that is what
 * `underFaults` is for.
 */

const resources = [Kex]

async function life(t: Harness) {
  await t.cluster.create(Kex, { metadata: { name: 'a' }, spec: { field: 'x' } })
  await t.advance('30s')
  await t.cluster.delete(Kex, 'a')
  await t.advance('30s')
}

async function birth(t: Harness) {
  await t.cluster.create(Kex, { metadata: { name: 'a' }, spec: { field: 'x' } })
  await t.advance('30s')
}

/** One more child with each run. */
function careless() {
  const op = operator('careless')
  op.on.create(Kex, { id: 'make' }, async ({ client, name }) => {
    await client.create('configmaps', { metadata: { generateName: `${name}-` }, data: {} })
  })
  return op
}

/** Fails where it finds its own child, so that a creation whose answer was lost is never done. */
function surprised() {
  const op = operator('surprised')
  op.on.create(Kex, { id: 'make', errors: 'permanent' }, async ({ client, name, patch }) => {
    await client.create('configmaps', { metadata: { name: `${name}-child` }, data: {} })
    patch.status.made = true
  })
  return op
}

/** Remembers in the process whom it has to clean up after. */
function absentMinded() {
  const made = new Map<string, string>()
  const op = operator('absent-minded')
  op.on.create(Kex, { id: 'make' }, async ({ client, name, uid }) => {
    const child = `${name}-child`
    await client.apply('configmaps', { metadata: { name: child }, data: {} })
    made.set(uid, child)
  })
  op.on.delete(Kex, { id: 'clean' }, async ({ client, uid }) => {
    const child = made.get(uid)
    if (child !== undefined) await client.delete('configmaps', child)
  })
  return op
}

/** Does not listen when it is asked to stop. */
function deaf() {
  const op = operator('deaf')
  op.daemon(Kex, { id: 'ping' }, async () => {
    await new Promise(() => {})
  })
  return op
}

/** Never content with what it has written. */
function fidgety() {
  const op = operator('fidgety')
  let round = 0
  op.on.event(Kex, { id: 'touch' }, ({ patch }) => {
    patch.status.round = ++round
  })
  return op
}

describe('an operator that', () => {
  it.each([
    [
      'makes one more child with each run',
      careless,
      birth,
      ['crash-after-handler'],
      /The end is another one:\n.*ConfigMap default\/a-\(2\)/,
    ],
    [
      'does not expect its own child',
      surprised,
      birth,
      ['crash-after-handler'],
      /status: expected {"made":true}, found nothing/,
    ],
    [
      'remembers in the process what it has to clean up',
      absentMinded,
      life,
      ['crash-after-write'],
      /ConfigMap default\/a-child: expected nothing/,
    ],
    [
      'does not listen when it is asked to stop',
      deaf,
      life,
      ['watch-ends'],
      /nothing goes wrong\nFinalizers that were left behind:\n {2}KopfExample default\/a/,
    ],
    ['writes again whatever it has written', fidgety, birth, ['watch-ends'], /never comes to rest/],
  ])('%s is caught', async (_, op, story, only, words) => {
    await expect(underFaults(op, story, { resources, only })).rejects.toThrow(words)
  })
})
