import { type AnyObject, VirtualClock } from '@binnacle/core'
import { describe, expect, it } from 'vitest'
import { cycleDeps } from '../../test/cycle-deps.ts'
import { FakeServer, lost, status } from '../../test/fake-server.ts'
import { handler, kex, logbook, runtime, served } from '../../test/sample.ts'
import type { ChangeHandler } from '../declare/handler.ts'
import { Indexing } from '../index/indexing.ts'
import type { Run } from '../report/observer.ts'
import { TemporaryError } from '../run/errors.ts'
import { indexJudge } from '../run/judge-index.ts'
import { type CacheChange, Intake } from './intake.ts'

/** One object, its server, and an intake that is told of each change as an informer would tell it. */
class Story implements AsyncDisposable {
  readonly clock = new VirtualClock()
  readonly book = logbook()
  readonly runs: Run[] = []
  readonly server: FakeServer
  readonly intake: Intake
  readonly kind
  readonly #stop = new AbortController()
  readonly #running: Promise<void>
  #cached: AnyObject | undefined

  constructor(handlers: readonly ChangeHandler[], object: AnyObject | undefined = kex({}, { spec: { a: 1 } })) {
    this.kind = served(handlers)
    this.server = new FakeServer(object)
    const given = runtime(this.clock, this.book.logger)
    this.intake = new Intake({
      runtime: given,
      indexing: new Indexing(new Map(), { runtime: given, judge: indexJudge(given), after: () => () => {} }),
      makeMemo: () => ({}),
      workerLimit: 10,
      errorDelays: [1, 5, 10],
    })
    const deps = cycleDeps(this.server, this.clock, {
      runs: this.runs,
      logger: this.book.logger,
      stopping: this.#stop.signal,
    })
    this.#running = this.intake.run(deps, this.#stop.signal)
  }

  /** Tells the intake what the server has, until nothing is new. */
  async sync(initial = false): Promise<void> {
    for (let told = true; told; ) {
      told = this.#tell(initial)
      await this.clock.advance(0)
    }
  }

  async pass(seconds: number): Promise<void> {
    await this.clock.advance(seconds)
    await this.sync()
  }

  calls(outcome = 'success'): readonly string[] {
    return this.runs.filter((run) => run.outcome === outcome).map(({ handler: id }) => id)
  }

  #tell(initial: boolean): boolean {
    const [old, object] = [this.#cached, structuredClone(this.server.object)]
    this.#cached = object
    const change = changeOf(old, object, initial)
    if (change) this.intake.notice(this.kind, change)
    return change !== undefined
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    await this.#running
  }
}

function changeOf(
  old: AnyObject | undefined,
  object: AnyObject | undefined,
  initial: boolean,
): CacheChange | undefined {
  if (old && object)
    return old.metadata.resourceVersion === object.metadata.resourceVersion
      ? undefined
      : { type: 'update', old, object }
  if (object) return { type: 'add', object, isInInitialList: initial }
  return old && { type: 'delete', object: old }
}

const deleted = (object: AnyObject) => ({
  ...object,
  metadata: { ...object.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
})
const OURS = 'hello.binnacle.dev/finalizer'

describe('a change becomes a cycle', () => {
  it('of creation, once', async () => {
    await using story = new Story([handler('create', { id: 'made' })])
    await story.sync()
    await story.pass(1000)
    expect(story.calls()).toEqual(['made'])
    expect(story.server.requests).toHaveLength(1)
  })

  it('of an update, with what has changed', async () => {
    const seen: unknown[] = []
    await using story = new Story([
      handler(
        'update',
        { id: 'changed', field: 'spec.a' },
        ({ old, current }: { old: unknown; current: unknown }) => void seen.push([old, current]),
      ),
    ])
    await story.sync()
    story.server.change((object) => ({ ...object, spec: { a: 2 } }))
    await story.sync()
    expect(seen).toEqual([[1, 2]])
  })

  it('of deletion: held before anything else, let go after its handler', async () => {
    await using story = new Story([handler('create', { id: 'made' }), handler('delete', { id: 'gone' })])
    await story.sync()
    expect(story.server.object?.metadata.finalizers).toEqual([OURS])
    expect(story.calls()).toEqual(['made'])
    story.server.change(deleted)
    await story.sync()
    expect(story.calls()).toEqual(['made', 'gone'])
    expect(story.server.object?.metadata.finalizers).toBeUndefined()
    story.server.object = undefined
    await story.pass(1000)
    expect(story.calls()).toEqual(['made', 'gone'])
  })

  it('of creation, in which no handler runs before the object is held', async () => {
    const held: unknown[] = []
    await using story = new Story([
      handler(
        'create',
        { id: 'made' },
        ({ meta }: { meta: { finalizers?: unknown } }) => void held.push(meta.finalizers),
      ),
      handler('delete', { id: 'gone' }),
    ])
    await story.sync()
    expect(held).toEqual([[OURS]])
  })

  it('and no cycle where the kind has no handlers', async () => {
    await using story = new Story([])
    await story.sync()
    expect(story.intake.busy).toEqual([])
    expect(story.server.requests).toEqual([])
  })

  it('and no request where no handler cares for the object', async () => {
    await using story = new Story([handler('create', { id: 'made', labels: { app: 'web' } })])
    await story.sync()
    expect(story.server.requests).toEqual([])
    story.server.change((object) => ({ ...object, metadata: { ...object.metadata, labels: { app: 'web' } } }))
    await story.sync()
    expect(story.calls()).toEqual(['made'])
  })
})

describe('an object that is gone without having waited for us', () => {
  it('is mourned with its last state, and retried from memory', async () => {
    let failures = 2
    const gone = handler('delete', { id: 'gone' }, () => {
      if (failures-- > 0) throw new TemporaryError('not yet', { delay: 10 })
    })
    await using story = new Story([gone])
    await story.sync()
    story.server.object = undefined
    await story.sync()
    await story.pass(100)
    expect(story.runs.filter(({ outcome }) => outcome !== 'running').map(({ outcome }) => outcome)).toEqual([
      'temporary',
      'temporary',
      'success',
    ])
  })

  it('does not concern a handler that it never waited for, if it was never handled', async () => {
    await using story = new Story([
      handler('delete', { id: 'gone' }),
      handler('delete', { id: 'seen', optional: true }, () => {}),
    ])
    story.server.change(deleted)
    await story.sync()
    story.server.object = undefined
    await story.sync()
    expect(story.calls()).toEqual(['seen'])
  })

  it('is not mourned twice because the record of the first time could not be written', async () => {
    await using story = new Story([
      handler('delete', { id: 'seen', optional: true }, () => {
        story.server.object = undefined
      }),
    ])
    story.server.change((object) => ({
      ...deleted(object),
      metadata: { ...deleted(object).metadata, finalizers: ['x'] },
    }))
    await story.sync()
    await story.sync()
    await story.pass(100)
    expect(story.calls()).toEqual(['seen'])
  })

  it('and made anew under its name is two objects', async () => {
    await using story = new Story([
      handler('create', { id: 'made' }),
      handler('delete', { id: 'gone', optional: true }, () => {}),
    ])
    await story.sync()
    story.server.object = kex({ uid: 'uid-b', resourceVersion: '50' })
    await story.sync()
    await story.pass(10)
    expect([...story.calls()].sort()).toEqual(['gone', 'made', 'made'])
    expect(story.runs.map(({ uid }) => uid)).toContain('uid-b')
  })
})

describe('whatever goes wrong outside of handlers', () => {
  it('is logged, and the object is looked at again with growing pauses, without another change of it', async () => {
    let broken = 4
    const when = () => {
      if (broken-- > 0) throw new Error('a broken filter')
      return true
    }
    await using story = new Story([handler('create', { id: 'made', when })])
    await story.sync()
    await story.pass(100)
    expect(story.calls()).toEqual(['made'])
    const lines = story.book.lines.filter((line) => line.startsWith('error'))
    expect(lines).toEqual(
      [1, 5, 10, 10].map(
        (delay) => `error KopfExample default/a could not be handled and is tried again in ${delay} s: a broken filter`,
      ),
    )
  })

  it('begins with short pauses again after a success', async () => {
    const refuse = () => status(400, 'BadRequest', 'cannot be patched')
    await using story = new Story([handler('create', { id: 'made' }), handler('update', { id: 'changed' })])
    story.server.before = refuse
    await story.sync()
    story.server.before = () => undefined
    await story.pass(2)
    story.server.before = refuse
    story.server.change((object) => ({ ...object, spec: { a: 2 } }))
    await story.sync()
    expect(
      story.book.lines.filter((line) => line.startsWith('error')).map((line) => line.match(/in (\d+) s/)?.[1]),
    ).toEqual(['1', '1'])
  })

  it('does not run a handler twice if only an answer was lost', async () => {
    await using story = new Story([handler('create', { id: 'made' })])
    let losses = 1
    story.server.after = () => (losses-- > 0 ? lost() : undefined)
    await story.sync()
    await story.pass(100)
    expect(story.calls()).toEqual(['made'])
  })
})

describe('a handler that fails for now', () => {
  it('is tried again when it is due, also if nothing happens to the object', async () => {
    let failures = 2
    const made = handler('create', { id: 'made' }, () => {
      if (failures-- > 0) throw new TemporaryError('not yet', { delay: 30 })
    })
    await using story = new Story([made])
    await story.sync()
    await story.pass(29)
    expect(story.runs.filter(({ outcome }) => outcome === 'temporary')).toHaveLength(1)
    await story.pass(100)
    expect(story.calls()).toEqual(['made'])
    expect(Object.keys(story.server.object?.metadata.annotations ?? {})).toEqual([
      'hello.binnacle.dev/last-handled-configuration',
    ])
  })

  it('does not keep a change from the handlers that have finished', async () => {
    const seen: string[] = []
    let failing = true
    const fine = handler(
      'update',
      { id: 'fine' },
      ({ spec }: { spec: { a: number } }) => void seen.push(`fine ${spec.a}`),
    )
    const slow = handler('update', { id: 'slow' }, ({ spec }: { spec: { a: number } }) => {
      if (failing) throw new TemporaryError('not yet', { delay: 60 })
      seen.push(`slow ${spec.a}`)
    })
    await using story = new Story([fine, slow])
    await story.sync()
    for (const a of [2, 3]) {
      story.server.change((object) => ({ ...object, spec: { a } }))
      await story.sync()
    }
    failing = false
    await story.pass(100)
    expect(seen).toEqual(['fine 2', 'fine 3', 'slow 3'])
  })
})

it('says what is busy as people write it', async () => {
  await using story = new Story([handler('create')])
  const syncing = story.sync()
  expect(story.intake.busy).toEqual(['KopfExample default/a'])
  await syncing
})
