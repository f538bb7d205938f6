import { type Clock, type Operator, operator, PermanentError, TemporaryError } from 'binnacle'
import { describe, expect, it } from 'vitest'
import { Kex } from '../test/kex.ts'
import { ExpectationError } from './expectation-error.ts'
import { type Harness, harness } from './harness.ts'

const a = { metadata: { name: 'a', namespace: 'default' }, spec: { field: 'x' } }

async function greeted(): Promise<Harness> {
  const op = operator('hello')
  op.on.create(Kex, { id: 'greet' }, ({ name, patch }) => {
    patch.status.greeting = `Hello, ${name}!`
  })
  const t = await harness(op, { resources: [Kex] })
  await t.cluster.create(Kex, a)
  await t.settled()
  return t
}

/** What a person reads when an expectation fails. */
async function told(expecting: () => unknown): Promise<string> {
  try {
    await expecting()
  } catch (error) {
    expect(error).toBeInstanceOf(ExpectationError)
    expect(error).toMatchObject({ code: 'BIN_EXPECTATION' })
    return (error as Error).message
  }
  throw new Error('It held')
}

describe('a failed expectation tells what was expected, what was found, and what happened', () => {
  it('of calls', async () => {
    await using t = await greeted()
    t.expect.called('greet', 1)
    t.expect.called('greet', 1, 'default/a')
    t.expect.called('greet', 0, 'default/b')
    expect(await told(() => t.expect.called('greet', 2))).toMatchInlineSnapshot(`
      "Handler "greet" was called once, expected twice

      What happened:
        2026-01-01T00:00:00.000Z  the operator is ready
        2026-01-01T00:00:00.000Z  KopfExample default/a: create handler "greet" running
        2026-01-01T00:00:00.000Z  KopfExample default/a: create handler "greet" success
        2026-01-01T00:00:00.000Z  KopfExample default/a: wrote to its status: add /status
        2026-01-01T00:00:00.000Z  KopfExample default/a: wrote to its object: add /metadata/annotations"
    `)
    expect(await told(() => t.expect.called('geret', 1, 'default/a'))).toMatchInlineSnapshot(`
      "Handler "geret" was never called for default/a, expected once; called were: "greet"

      What happened:
        2026-01-01T00:00:00.000Z  the operator is ready
        2026-01-01T00:00:00.000Z  KopfExample default/a: create handler "greet" running
        2026-01-01T00:00:00.000Z  KopfExample default/a: create handler "greet" success
        2026-01-01T00:00:00.000Z  KopfExample default/a: wrote to its status: add /status
        2026-01-01T00:00:00.000Z  KopfExample default/a: wrote to its object: add /metadata/annotations"
    `)
  })

  it('of the outcome of calls', async () => {
    const op = operator('hello')
    op.on.create(Kex, { id: 'make' }, ({ name }) => {
      throw name === 'a' ? new PermanentError('the image is missing') : new TemporaryError('not yet', { delay: 30 })
    })
    await using t = await harness(op, { resources: [Kex] })
    await t.cluster.create(Kex, a)
    await t.settled()
    t.expect.outcome('make', 'permanent')
    expect(await told(() => t.expect.outcome('make', 'success', 'a'))).toMatchInlineSnapshot(`
      "The last call of handler "make" for a should have come to "success", found "permanent" (PermanentError: the image is missing)

      What happened:
        2026-01-01T00:00:00.000Z  the operator is ready
        2026-01-01T00:00:00.000Z  KopfExample default/a: create handler "make" running
        2026-01-01T00:00:00.000Z  KopfExample default/a: create handler "make" permanent: PermanentError: the image is missing
        2026-01-01T00:00:00.000Z  KopfExample default/a: event Warning HandlerFailed: Handler "make" (create) failed for good: the image is missing
        2026-01-01T00:00:00.000Z  KopfExample default/a: wrote to its object: add /metadata/annotations"
    `)
    expect(await told(() => t.expect.outcome('make', 'success', { name: 'b' }))).toMatchInlineSnapshot(`
      "The last call of handler "make" for b should have come to "success", found no call of it

      What happened:
        2026-01-01T00:00:00.000Z  the operator is ready
        2026-01-01T00:00:00.000Z  KopfExample default/a: create handler "make" running
        2026-01-01T00:00:00.000Z  KopfExample default/a: create handler "make" permanent: PermanentError: the image is missing
        2026-01-01T00:00:00.000Z  KopfExample default/a: event Warning HandlerFailed: Handler "make" (create) failed for good: the image is missing
        2026-01-01T00:00:00.000Z  KopfExample default/a: wrote to its object: add /metadata/annotations"
    `)
  })

  it('of silence', async () => {
    await using t = await greeted()
    t.expect.quiet(t.writes.length)
    expect(await told(() => t.expect.quiet())).toMatchInlineSnapshot(`
      "The operator wrote twice, expected none:
        KopfExample default/a, its status: add /status
        KopfExample default/a, its object: add /metadata/annotations

      What happened:
        2026-01-01T00:00:00.000Z  the operator is ready
        2026-01-01T00:00:00.000Z  KopfExample default/a: create handler "greet" running
        2026-01-01T00:00:00.000Z  KopfExample default/a: create handler "greet" success
        2026-01-01T00:00:00.000Z  KopfExample default/a: wrote to its status: add /status
        2026-01-01T00:00:00.000Z  KopfExample default/a: wrote to its object: add /metadata/annotations"
    `)
  })

  it('of an object', async () => {
    await using t = await greeted()
    await t.expect.object(Kex, 'default/a', { status: { greeting: 'Hello, a!' } })
    await t.expect.object(Kex, 'default/b', undefined)
    const other = { spec: { field: 'z' }, status: { greeting: 'Hello!', ready: true } }
    expect(await told(() => t.expect.object(Kex, 'default/a', other))).toMatchInlineSnapshot(`
      "KopfExample default/a is not as expected:
        spec.field: expected "z", found "x"
        status.greeting: expected "Hello!", found "Hello, a!"
        status.ready: expected true, found nothing

      What happened:
        2026-01-01T00:00:00.000Z  the operator is ready
        2026-01-01T00:00:00.000Z  KopfExample default/a: create handler "greet" running
        2026-01-01T00:00:00.000Z  KopfExample default/a: create handler "greet" success
        2026-01-01T00:00:00.000Z  KopfExample default/a: wrote to its status: add /status
        2026-01-01T00:00:00.000Z  KopfExample default/a: wrote to its object: add /metadata/annotations"
    `)
    const finding = async (ref: string, shape: object | undefined) =>
      (await told(() => t.expect.object(Kex, ref, shape))).split('\n\n')[0]
    expect(await finding('default/b', { spec: {} })).toMatchInlineSnapshot(`
      "KopfExample default/b does not exist:
        it: expected {"spec":{}}, found nothing"
    `)
    const gone = await finding('default/a', undefined)
    expect(gone?.slice(0, 90)).toMatchInlineSnapshot(`
      "KopfExample default/a should be gone, and is there:
        it: expected nothing, found {"kind":"
    `)
  })

  it('of an object that is waited for', async () => {
    await using t = await greeted()
    const waiting = () => t.until(Kex, 'default/b', (object) => object?.status?.ready === true, { within: '10s' })
    expect(await told(waiting)).toMatchInlineSnapshot(`
      "KopfExample "default/b" did not come to be as expected; it does not exist

      What happened:
        2026-01-01T00:00:00.000Z  the operator is ready
        2026-01-01T00:00:00.000Z  KopfExample default/a: create handler "greet" running
        2026-01-01T00:00:00.000Z  KopfExample default/a: create handler "greet" success
        2026-01-01T00:00:00.000Z  KopfExample default/a: wrote to its status: add /status
        2026-01-01T00:00:00.000Z  KopfExample default/a: wrote to its object: add /metadata/annotations"
    `)
  })

  it('of a crash that is waited for', async () => {
    await using t = await greeted()
    expect(await told(() => t.crash({ after: { verb: 'delete' }, within: '1m' }))).toMatchInlineSnapshot(`
      "Operator "hello" never made a request that matches {"verb":"delete"}, so it did not crash

      What happened:
        2026-01-01T00:00:00.000Z  the operator is ready
        2026-01-01T00:00:00.000Z  KopfExample default/a: create handler "greet" running
        2026-01-01T00:00:00.000Z  KopfExample default/a: create handler "greet" success
        2026-01-01T00:00:00.000Z  KopfExample default/a: wrote to its status: add /status
        2026-01-01T00:00:00.000Z  KopfExample default/a: wrote to its object: add /metadata/annotations"
    `)
  })
})

describe('what is left behind is told', () => {
  it('when a handler goes on, or an object that is being deleted is held', async () => {
    const op = operator('hello')
    let stuck = true
    op.on.delete(Kex, { id: 'clean' }, () => {
      if (stuck) throw new TemporaryError('the bucket is not empty', { delay: 60 })
    })
    await using t = await harness(op, { resources: [Kex] })
    await t.cluster.create(Kex, a)
    await t.settled()
    t.expect.noLeaks()
    await t.cluster.delete(Kex, 'default/a')
    await t.settled()
    expect(await told(() => t.expect.noLeaks())).toMatchInlineSnapshot(`
      "The operator has left something behind:
        finalizer: KopfExample default/a is being deleted, and the operator still holds it

      What happened:
        2026-01-01T00:00:00.000Z  the operator is ready
        2026-01-01T00:00:00.000Z  KopfExample default/a: wrote to its object: add /metadata/finalizers, which holds it
        2026-01-01T00:00:00.000Z  KopfExample default/a: wrote to its object: add /metadata/annotations
        2026-01-01T00:00:00.000Z  KopfExample default/a: delete handler "clean" running
        2026-01-01T00:00:00.000Z  KopfExample default/a: delete handler "clean" temporary: TemporaryError: the bucket is not empty
        2026-01-01T00:00:00.000Z  KopfExample default/a: wrote to its object: add /metadata/annotations/hello.binnacle.dev~1progress.clean"
    `)
    stuck = false
    await t.advance('2m')
    t.expect.noLeaks()
    expect(t.finalizers.map(({ object, did }) => `${did} ${object}`)).toEqual([
      'hold KopfExample default/a',
      'release KopfExample default/a',
    ])
    expect(t.finalizers.held).toEqual([])
  })

  it('when work goes on that does not end', async () => {
    const op = operator('hello')
    let end: () => void = () => {}
    op.on.create(
      Kex,
      { id: 'endless' },
      () =>
        new Promise<void>((resolve) => {
          end = resolve
        }),
    )
    await using t = await harness(op, { resources: [Kex] })
    await t.cluster.create(Kex, a)
    await t.advance('1s')
    expect((await told(() => t.expect.noLeaks())).split('\n\n')[0]).toMatchInlineSnapshot(`
      "The operator has left something behind:
        work goes on: KopfExample default/a"
    `)
    end()
    await t.settled()
    t.expect.noLeaks()
  })

  it('when a daemon outlives its object', async () => {
    const op = operator('hello')
    let end: () => void = () => {}
    op.daemon(
      Kex,
      { id: 'deaf', finalizer: false },
      () =>
        new Promise<void>((resolve) => {
          end = resolve
        }),
    )
    await using t = await harness(op, { resources: [Kex] })
    await t.cluster.create(Kex, a)
    await t.advance('1s')
    await t.cluster.delete(Kex, 'default/a')
    await t.advance('1s')
    expect((await told(() => t.expect.noLeaks())).split('\n\n')[0]).toMatchInlineSnapshot(`
      "The operator has left something behind:
        daemon: "deaf" still runs for KopfExample default/a, which is gone"
    `)
    end()
    await t.settled()
    t.expect.noLeaks()
  })

  it('at the end of the story, when something of the operator still waits for time', async () => {
    const running = { activity: () => [], stop: async () => {} }
    const start = async ({ clock }: { readonly clock: Clock }) => {
      void clock.sleep('1h')
      return running
    }
    const leaky = { name: 'leaky', start } as unknown as Operator
    const t = await harness(leaky, { resources: [Kex] })
    expect(await told(() => t[Symbol.asyncDispose]())).toMatchInlineSnapshot(`
      "The operator has left something behind:
        tasks: operator "leaky" has been stopped, and 1 of its waits for time go on

      What happened:
        2026-01-01T00:00:00.000Z  the operator is ready
        2026-01-01T00:00:00.000Z  the operator was stopped"
    `)
  })
})
