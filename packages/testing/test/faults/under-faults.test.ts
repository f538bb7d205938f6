import { operator } from 'binnacle'
import { describe, expect, it } from 'vitest'
import { type Harness, underFaults } from '../../src/index.ts'
import { Kex } from '../kex.ts'

const resources = [Kex]

async function birth(t: Harness) {
  await t.cluster.create(Kex, { metadata: { name: 'a' }, spec: { field: 'x' } })
  await t.advance('30s')
  t.expect.called('make', 1)
}

async function life(t: Harness) {
  await birth(t)
  await t.cluster.delete(Kex, 'a')
  await t.until(Kex, 'a', (object) => object === undefined)
}

/** Makes a child under a name that follows from its owner, so that a second run finds the first one's. */
function careful() {
  const op = operator('careful')
  op.on.create(Kex, { id: 'make' }, async ({ name, client, adopt }) => {
    await client.apply('configmaps', adopt({ metadata: { name: `${name}-child` }, data: { of: name } }))
  })
  op.on.delete(Kex, { id: 'end' }, () => {})
  return op
}

/** Makes a child under a name that the server makes up: one more with each run. */
function careless() {
  const op = operator('careless')
  op.on.create(Kex, { id: 'make' }, async ({ client, name }) => {
    await client.create('configmaps', { metadata: { generateName: `${name}-` }, data: { of: name } })
  })
  return op
}

/** Takes what it remembers in the process for what is so. */
function forgetful() {
  const made = new Set<string>()
  const op = operator('forgetful')
  op.on.create(Kex, { id: 'make' }, ({ uid, patch }) => {
    patch.status.turn = made.has(uid) ? 'again' : 'first'
    made.add(uid)
  })
  return op
}

const crashes = ['crash-after-write', 'lose-response']

describe('an operator under faults', () => {
  it('survives if what it does may be done twice', async () => {
    const { runs, faults } = await underFaults(careful, life, { resources, only: crashes })
    expect(runs).toBeGreaterThan(5)
    expect(faults).toBe(runs)
  }, 60_000)

  it('is caught if a repetition leaves something behind, with the plan that shows it', async () => {
    const trying = underFaults(careless, birth, { resources, only: ['crash-after-handler'] })
    await expect(trying).rejects.toMatchObject({
      code: 'BIN_EXPECTATION',
      message: expect.stringMatching(
        /^The operator does not survive crash-after-handler@1\nThe end is another one:\n {2}ConfigMap default\/a-\(2\): expected nothing, found /,
      ),
      hint: expect.stringContaining('the operator was killed'),
      fix: "underFaults(…, { replay: '1:crash-after-handler@1' })",
    })
  })

  it('is caught if it trusts its memory, also when the plan is repeated alone', async () => {
    const message = 'KopfExample default/a.status.turn: expected "first", found "again"'
    const options = { resources, replay: '1:lose-response@1' }
    await underFaults(careful, birth, options)
    const op = forgetful()
    await expect(underFaults(() => op, birth, { resources, replay: '1:crash-after-handler@1' })).rejects.toThrow(
      message,
    )
  })

  it('meets several faults at once, drawn from the seed', async () => {
    const { runs } = await underFaults(careful, birth, { resources, only: ['refused', 'watch-ends'], random: 5 })
    expect(runs).toBeGreaterThan(5)
  })
})

describe('a plan', () => {
  it('that cannot be read is refused', async () => {
    const trying = underFaults(careful, birth, { resources, replay: 'lose-response' })
    await expect(trying).rejects.toThrow('Not a plan of faults: "lose-response"')
  })

  it('with a fault that nobody knows tells those that there are', async () => {
    const trying = underFaults(careful, birth, { resources, replay: '1:meteor@1' })
    await expect(trying).rejects.toMatchObject({
      message: expect.stringContaining('No fault is called "meteor"'),
      hint: expect.stringContaining('crash-after-write'),
    })
  })
})
