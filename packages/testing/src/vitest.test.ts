import { operator } from 'binnacle'
import { describe, expect, it } from 'vitest'
import { Kex } from '../test/kex.ts'
import { harness } from './harness.ts'
import './vitest.ts'

const a = { metadata: { name: 'a', namespace: 'default' }, spec: {} }

async function greeted() {
  const op = operator('hello')
  op.on.create(Kex, { id: 'greet' }, ({ name, patch }) => {
    patch.status.greeting = `Hello, ${name}!`
  })
  op.on.delete(Kex, { id: 'part' }, () => {})
  const t = await harness(op, { resources: [Kex] })
  await t.cluster.create(Kex, a)
  await t.settled()
  return t
}

/** What vitest prints of a failure, without the timeline. */
async function told(expecting: () => unknown): Promise<string> {
  const message = await Promise.resolve()
    .then(expecting)
    .then(
      () => 'It held',
      (error: Error) => error.message,
    )
  const [finding = '', timeline = ''] = message.split('\n\n')
  expect(timeline).toMatch(/^What happened:\n {2}2026-01-01T00:00:00.000Z {2}the operator is ready\n/)
  return finding
}

describe('matchers hold', () => {
  it('for what is so, and with not for what is not', async () => {
    await using t = await greeted()
    expect(t).toHaveCalled('greet', 1)
    expect(t).toHaveCalled('greet', 1, 'default/a')
    expect(t).not.toHaveCalled('greet', 2)
    expect(t).toHaveOutcome('greet', 'success')
    expect(t).not.toHaveOutcome('greet', 'permanent')
    expect(t).not.toBeQuiet()
    expect(t).toBeQuiet(t.writes.length)
    expect(t).toHaveNoLeaks()
    await expect(t).toHaveObject(Kex, 'default/a', { status: { greeting: 'Hello, a!' } })
    await expect(t).toHaveObject(Kex, 'default/b')
    await expect(t).not.toHaveObject(Kex, 'default/a', { status: { greeting: 'Bye' } })
  })
})

describe('matchers fail with what was found, and the timeline', () => {
  it('of each expectation', async () => {
    await using t = await greeted()
    expect(await told(() => expect(t).toHaveCalled('greet', 3))).toMatchInlineSnapshot(
      `"Handler "greet" was called once, expected 3 times"`,
    )
    expect(await told(() => expect(t).toHaveOutcome('greet', 'temporary'))).toMatchInlineSnapshot(
      `"The last call of handler "greet" should have come to "temporary", found "success""`,
    )
    expect(await told(() => expect(t).toBeQuiet())).toMatchInlineSnapshot(`
      "The operator wrote 3 times, expected none:
        KopfExample default/a, its object: add /metadata/finalizers
        KopfExample default/a, its status: add /status
        KopfExample default/a, its object: add /metadata/annotations"
    `)
    expect(
      await told(() => expect(t).toHaveObject(Kex, 'default/a', { status: { greeting: 'Bye' } })),
    ).toMatchInlineSnapshot(`
      "KopfExample default/a is not as expected:
        status.greeting: expected "Bye", found "Hello, a!""
    `)
  })

  it('of each expectation that was turned round', async () => {
    await using t = await greeted()
    expect(await told(() => expect(t).not.toHaveCalled('greet', 1))).toMatchInlineSnapshot(
      `"Handler "greet" was called once, expected any other number of calls"`,
    )
    expect(await told(() => expect(t).not.toHaveOutcome('greet', 'success'))).toMatchInlineSnapshot(
      `"The last call of handler "greet" came to "success", expected anything else"`,
    )
    expect(await told(() => expect(t).not.toBeQuiet(t.writes.length))).toMatchInlineSnapshot(
      `"The operator wrote nothing, expected that it does"`,
    )
    expect(await told(() => expect(t).not.toHaveNoLeaks())).toMatchInlineSnapshot(
      `"The operator has left nothing behind, expected that it does"`,
    )
    expect(await told(() => expect(t).not.toHaveObject(Kex, 'default/a', { spec: {} }))).toMatchInlineSnapshot(
      `"KopfExample default/a contains {"spec":{}}, expected that it does not"`,
    )
    expect(await told(() => expect(t).not.toHaveObject(Kex, 'default/b'))).toMatchInlineSnapshot(
      `"KopfExample default/b does not exist, expected that it does"`,
    )
  })

  it('of leaks', async () => {
    await using t = await greeted()
    t.link.sever()
    await t.cluster.delete(Kex, 'default/a')
    expect(await told(() => expect(t).toHaveNoLeaks())).toMatchInlineSnapshot(`
      "The operator has left something behind:
        finalizer: KopfExample default/a is being deleted, and the operator still holds it"
    `)
    t.link.restore()
    await t.advance('5m')
    expect(t).toHaveNoLeaks()
  })

  it('of what is no harness', () => {
    expect(() => expect({}).toBeQuiet()).toThrow('This matcher is for harnesses: expect(await harness(op))')
    expect(() => expect(undefined).toBeQuiet()).toThrow('This matcher is for harnesses')
  })
})
