import type { Client } from '@binnacle/client'
import { type Runtime, seconds } from '@binnacle/core'
import type { CycleDeps } from './cycle.ts'
import type { Identity } from './declare/identity.ts'
import type { Scope } from './declare/scope.ts'
import { servesStatus } from './declare/served-kind.ts'
import type { IndexedGate } from './gate/indexed.ts'
import type { Intake } from './intake/intake.ts'
import { memoOf, type ObjectMemory } from './object-memory.ts'
import type { ApplyDeps } from './outcome/apply.ts'
import type { EventPoster } from './report/events.ts'
import type { Observer } from './report/observer.ts'
import { postingLogger, type Remark, recorderOf, saidIn } from './report/recorder.ts'
import type { SurroundingsOf } from './run/look.ts'
import { storagesOf } from './run-makings.ts'
import type { RunSignals } from './run-signals.ts'
import { type Settings, WRITE_BACKOFF, WRITE_TRIES } from './settings.ts'
import type { AlarmClock } from './spawn/alarm-clock.ts'
import { Spawner } from './spawn/spawner.ts'
import type { Threads } from './worker/job.ts'

/** What the cycles of a run are made of. */
export interface RunSurroundings {
  readonly runtime: Runtime
  readonly client: Client
  readonly identity: Identity
  readonly settings: Settings
  readonly signals: RunSignals
  readonly observer: Observer
  readonly threads: Threads
  readonly gate: IndexedGate
  readonly alarms: AlarmClock
  readonly events: EventPoster
  readonly shared: unknown
  readonly viewsFor: (scope: Scope | undefined) => { readonly [name: string]: unknown }
  readonly intake: Pick<Intake, 'wake' | 'wrote'>
}

/** What each cycle of a run needs, with the spawner of its daemons and timers. */
export function cycleDepsOf(run: RunSurroundings): CycleDeps {
  const { runtime, client, identity, settings, signals, observer, threads, gate, intake } = run
  const writer = client.with({ fieldManager: identity.name })
  const common: Omit<CycleDeps, 'spawner'> = {
    runtime,
    client,
    operatorName: identity.name,
    identity,
    incarnation: Math.floor(runtime.random() * 2 ** 32).toString(36),
    defaultBackoff: settings.execution.defaultBackoff,
    lifecycle: settings.execution.lifecycle,
    consistencyTimeout: seconds(settings.persistence.consistencyTimeout),
    storages: storagesOf(settings, identity),
    observer,
    wrote: (uid, version) => intake.wrote(uid, version),
    threads,
    gate,
    stopping: signals.stopping,
    exit: signals.exit,
    lastCall: signals.lastCall,
    surroundings: (memory) => surroundingsOf(run, memory),
    apply: (memory) => applyDepsOf(run, writer, memory),
  }
  const spawner = new Spawner({
    ...common,
    alarms: run.alarms,
    surroundings: (memory, scope) => common.surroundings(memory)(scope),
    cancellationPolling: seconds(settings.background.cancellationPolling),
    wake: (uid) => intake.wake(uid),
    condition: ({ kind }) => (kind.conditions ? `${identity.prefix}/Running` : undefined),
  })
  return { ...common, spawner }
}

function applyDepsOf(
  { runtime, identity, observer }: RunSurroundings,
  client: Client,
  { kind }: ObjectMemory,
): ApplyDeps {
  return {
    client,
    runtime,
    resource: kind.resource,
    options: { finalizerName: identity.finalizer, statusSubresource: servesStatus(kind) },
    observer,
    backoff: WRITE_BACKOFF,
    tries: WRITE_TRIES,
  }
}

function surroundingsOf(
  { runtime, shared, events, settings, observer, viewsFor }: RunSurroundings,
  memory: ObjectMemory,
): SurroundingsOf {
  const { kind, body } = memory
  const common = () => {
    const { apiVersion, metadata } = body
    const { name, namespace, uid } = metadata
    const object = { apiVersion, kind: body.kind, name, ...(namespace !== undefined && { namespace }), uid }
    const post = (remark: Remark) => {
      observer.event?.(saidIn(remark, runtime.clock.now()))
      events.post(remark)
    }
    const logger = runtime.logger.child({ object })
    return {
      resource: kind.info,
      shared,
      logger: settings.posting.loggers ? postingLogger(logger, body, post) : logger,
      events: recorderOf(body, post),
    }
  }
  // Made for whoever asks: most looks at an object find nothing to do, and nobody to tell.
  let made: ReturnType<typeof common> | undefined
  return (scope) => {
    made ??= common()
    return { ...made, memo: memoOf(memory, scope), indices: viewsFor(scope) }
  }
}
