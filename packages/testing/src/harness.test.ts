import { resource } from '@binnacle/core'
import { index, operator, TemporaryError } from 'binnacle'
import { describe, expect, it } from 'vitest'
import { harness } from './harness.ts'
import { World } from './world.ts'

const Kex = resource({ group: 'kopf.dev', version: 'v1', kind: 'KopfExample', plural: 'kopfexamples' })
const a = { metadata: { name: 'a', namespace: 'default' }, spec: { field: 'x' } }

it('tells a story of create, update and delete in under twenty lines', async () => {
  const op = operator('hello')
  op.on.create(Kex, ({ name, patch }) => {
    patch.status.greeting = `Hello, ${name}!`
  })
  op.on.update(Kex, ({ old, current, diff }) => `${old?.spec.field} → ${current.spec.field}, ${diff.length} change`)
  op.on.delete(Kex, () => {})
  await using t = await harness(op, { resources: [Kex] })
  await t.cluster.create(Kex, a)
  await t.settled()
  await t.expect.object(Kex, 'default/a', { status: { greeting: 'Hello, a!' } })
  await t.cluster.patch(Kex, 'default/a', { spec: { field: 'y' } })
  await t.settled()
  await t.expect.object(Kex, 'default/a', { status: { update: 'x → y, 1 change' } })
  await t.cluster.delete(Kex, 'default/a')
  await t.until(Kex, 'default/a', (object) => object === undefined)
  expect(t.runs.map(({ handler, outcome }) => `${handler} ${outcome}`)).toEqual([
    'create success',
    'update success',
    'delete success',
  ])
})

describe('time', () => {
  it('passes as the test says: an hour of retries in a moment', async () => {
    const op = operator('hello')
    op.on.create(Kex, ({ retry }) => {
      if (retry < 6) throw new TemporaryError('not yet', { delay: '10m' })
    })
    await using t = await harness(op, { resources: [Kex] })
    await t.cluster.create(Kex, a)
    await t.advance('59m')
    t.expect.called('create', 6)
    await t.advance('2m')
    t.expect.called('create', 7)
    expect(t.runs.at(-1)?.outcome).toBe('success')
  })

  it('may run out on a handler', async () => {
    const op = operator('hello')
    op.on.create(Kex, { timeout: '10s' }, () => new Promise(() => {}))
    await using t = await harness(op, { resources: [Kex] })
    await t.cluster.create(Kex, a)
    await t.advance('11s')
    expect(t.runs.map(({ outcome }) => outcome)).toEqual(['permanent'])
  })
})

describe('trouble', () => {
  it('of a crash: what was finished is not run again, what was not is', async () => {
    const op = operator('hello')
    const calls: string[] = []
    let broken = true
    op.on.create(Kex, function first() {
      calls.push('first')
    })
    op.on.create(Kex, function second() {
      calls.push('second')
      if (broken) throw new TemporaryError('not yet', { delay: 30 })
    })
    await using t = await harness(op, { resources: [Kex] })
    await t.cluster.create(Kex, a)
    await t.settled()
    broken = false
    await t.crash()
    await t.advance('1m')
    expect(calls).toEqual(['first', 'second', 'second'])
  })

  it('of a crash in the middle of a handler: it runs again, and what it wrote before never arrives', async () => {
    const op = operator('hello')
    let crashing = true
    op.on.create(Kex, async ({ patch, signal }) => {
      patch.status.lives = crashing ? 1 : 2
      if (crashing) await new Promise((resolve) => signal.addEventListener('abort', resolve))
    })
    await using t = await harness(op, { resources: [Kex] })
    await t.cluster.create(Kex, a)
    await t.advance(0)
    crashing = false
    await t.crash()
    await t.settled()
    await t.expect.object(Kex, 'default/a', { status: { lives: 2 } })
  })

  it('of a restart: nothing is run again', async () => {
    const op = operator('hello')
    op.on.create(Kex, () => {})
    await using t = await harness(op, { resources: [Kex] })
    await t.cluster.create(Kex, a)
    await t.settled()
    const writes = t.cluster.requests.length
    await t.restart()
    await t.settled()
    t.expect.called('create', 1)
    expect(t.cluster.requests.slice(writes).filter(({ verb }) => verb === 'patch')).toEqual([])
  })

  it('of a cut line: what happened meanwhile is noticed', async () => {
    const op = operator('hello')
    op.on.create(Kex, () => {})
    await using t = await harness(op, { resources: [Kex] })
    t.link.sever()
    await t.cluster.create(Kex, a)
    await t.advance('1m')
    t.expect.called('create', 0)
    t.link.restore()
    await t.advance('2m')
    t.expect.called('create', 1)
  })
})

it('has room for several operators: none takes the marks of another for a change', async () => {
  await using world = await World.virtual({ resources: [Kex] })
  const seen: string[] = []
  for (const name of ['one', 'two.example.com', 'three.example.com']) {
    const op = operator(name)
    op.on.create(Kex, () => void seen.push(`${name} create`))
    op.on.update(Kex, ({ current }) => void seen.push(`${name} ${current.spec.field}`))
    op.on.delete(Kex, () => void seen.push(`${name} delete`))
    await world.start(op)
  }
  const story = async (step: () => Promise<unknown>) => {
    await step()
    await world.advance('10m')
    return seen.splice(0).sort()
  }
  const each = (what: string) => [`one ${what}`, `three.example.com ${what}`, `two.example.com ${what}`]
  expect(await story(() => world.client.create(Kex, a))).toEqual(each('create'))
  expect(await story(() => world.client.patch(Kex, 'default/a', { spec: { field: 'y' } }))).toEqual(each('y'))
  expect(await story(() => world.client.delete(Kex, 'default/a'))).toEqual(each('delete'))
  expect(await world.client.find(Kex, 'default/a')).toBeUndefined()
})

describe('what is told when it goes wrong', () => {
  it('says that an operator is not running', async () => {
    const op = operator('hello')
    op.on.create(Kex, () => {})
    await using t = await harness(op, { resources: [Kex], start: false })
    expect(() => t.operator).toThrow('Operator "hello" is not running: start it first')
    await t.start()
    expect(t.health()).toMatchObject({ live: true, ready: true })
    await t.stop()
    expect(() => t.link).toThrow('has no connection')
  })

  it('is why an operator did not start, and nothing is left of it', async () => {
    const op = operator('hello')
    op.on.create('nosuchthings.example.com', function made() {})
    const settings = { scanning: { disabled: true } }
    await expect(harness(op, { settings })).rejects.toThrow(
      'The API server does not serve what is declared: nosuchthings.example.com (handler "made"): not served',
    )
  })
})

it('shows the indices of the operator as handlers see them', async () => {
  const op = operator('hello', { indices: { byField: index(Kex, ({ spec, name }) => ({ [spec.field]: name })) } })
  await using t = await harness(op, { resources: [Kex] })
  await t.cluster.create(Kex, a)
  await t.settled()
  expect(t.indices.byField.get('x').toArray()).toEqual(['a'])
  t.expect.quiet()
})

it('tells the same story again with the same seed', async () => {
  const story = async () => {
    const op = operator('hello')
    op.on.create(Kex, ({ uid, patch }) => {
      patch.status.uid = uid
    })
    await using t = await harness(op, { resources: [Kex], seed: 7 })
    let cuts = 2
    await t.cluster.create(Kex, a)
    while (cuts-- > 0) {
      t.link.cut()
      await t.advance('10s')
    }
    return [t.logs.map(({ message }) => message), await t.cluster.get(Kex, 'default/a')]
  }
  expect(await story()).toEqual(await story())
})
