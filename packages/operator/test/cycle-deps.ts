import { exponential, type Logger, silentLogger, type VirtualClock } from '@binnacle/core'
import type { CycleDeps } from '../src/cycle.ts'
import { identityOf } from '../src/declare/identity.ts'
import { IndexedGate } from '../src/gate/indexed.ts'
import { annotationsDiffBase } from '../src/progress/last-handled.ts'
import type { DiffBaseStorage } from '../src/progress/storage.ts'
import type { Storages } from '../src/progress/storages.ts'
import { annotationsProgress } from '../src/progress/store.ts'
import type { Run } from '../src/report/observer.ts'
import { reportingTo } from '../src/report/reporter.ts'
import type { Spawner } from '../src/spawn/spawner.ts'
import type { FakeServer } from './fake-server.ts'
import { noEvents, runtime, served } from './sample.ts'

/** All that a cycle needs, against one object on a fake server. */
export function cycleDeps(
  server: FakeServer,
  clock: VirtualClock,
  more: {
    readonly runs?: Run[]
    readonly logger?: Logger
    readonly stopping?: AbortSignal
    readonly exit?: AbortSignal
  } = {},
): CycleDeps {
  const identity = identityOf('hello')
  const never = new AbortController().signal
  const given = runtime(clock, more.logger ?? silentLogger)
  const reporter = reportingTo({ run: (run) => void more.runs?.push(run) })
  return {
    runtime: given,
    client: server.client,
    operatorName: 'hello',
    defaultBackoff: '60s',
    lifecycle: 'allAtOnce',
    reporter,
    wrote: () => {},
    threads: { run: () => Promise.reject(new TypeError('There are no threads here')) },
    stopping: more.stopping ?? never,
    exit: more.exit ?? never,
    lastCall: never,
    identity,
    incarnation: 'test',
    spawner: NOBODY,
    storages: storagesOf(identity.prefix),
    gate: new IndexedGate(),
    consistencyTimeout: 5,
    surroundings:
      ({ memo }) =>
      () => ({ resource: served().info, memo, shared: undefined, logger: given.logger, events: noEvents, indices: {} }),
    apply: ({ kind }) => ({
      client: server.client,
      runtime: given,
      resource: kind.resource,
      options: { finalizerName: identity.finalizer, statusSubresource: true },
      reporter,
      backoff: exponential({ initial: 1, jitter: 0 }),
      tries: 3,
    }),
  }
}

/** No daemons, no timers. */
const NOBODY = {
  look: () => ({ needed: false, blocking: false, carryOut: () => {} }),
  notice: () => {},
} as unknown as Spawner

function storagesOf(prefix: string): Storages {
  const owner = { name: 'hello', prefix, sizeLimits: { compress: 10_000, digest: 10_000 } }
  return { progress: annotationsProgress({ prefix }), diffBase: annotationsDiffBase().bind?.(owner) as DiffBaseStorage }
}
