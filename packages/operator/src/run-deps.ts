import type { Client } from '@binnacle/client'
import { seconds } from '@binnacle/core'
import type { CycleDeps } from './cycle.ts'
import type { Identity } from './declare/identity.ts'
import { servesStatus } from './declare/served-kind.ts'
import type { IndexedGate } from './gate/indexed.ts'
import type { Intake } from './intake/intake.ts'
import type { ObjectMemory } from './object-memory.ts'
import { ObjectSurroundings, type SharedSurroundings } from './object-surroundings.ts'
import type { ApplyDeps } from './outcome/apply.ts'
import { storagesOf } from './run-makings.ts'
import type { RunSignals } from './run-signals.ts'
import { WRITE_BACKOFF, WRITE_TRIES } from './settings.ts'
import type { AlarmClock } from './spawn/alarm-clock.ts'
import { Spawner } from './spawn/spawner.ts'
import type { Threads } from './worker/job.ts'

/** What the cycles of a run are made of. */
export interface RunSurroundings extends SharedSurroundings {
  readonly client: Client
  readonly identity: Identity
  readonly signals: RunSignals
  readonly threads: Threads
  readonly gate: IndexedGate
  readonly alarms: AlarmClock
  readonly intake: Pick<Intake, 'wake' | 'wrote'>
}

/** What each cycle of a run needs, with the spawner of its daemons and timers. */
export function cycleDepsOf(run: RunSurroundings): CycleDeps {
  const { runtime, client, identity, settings, signals, reporter, threads, gate, intake } = run
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
    reporter,
    wrote: (uid, version) => intake.wrote(uid, version),
    threads,
    gate,
    stopping: signals.stopping,
    exit: signals.exit,
    lastCall: signals.lastCall,
    surroundings: (memory) => (scope) => new ObjectSurroundings(run, memory, scope),
    apply: (memory) => applyDepsOf(run, writer, memory),
  }
  const running = `${identity.prefix}/Running`
  const spawner = new Spawner({
    ...common,
    alarms: run.alarms,
    surroundings: (memory, scope) => new ObjectSurroundings(run, memory, scope),
    loggerAt: (level, memory, scope) =>
      isHeard(run, level) ? new ObjectSurroundings(run, memory, scope).logger : undefined,
    cancellationPolling: seconds(settings.background.cancellationPolling),
    wake: (uid) => intake.wake(uid),
    condition: ({ kind }) => (kind.conditions ? running : undefined),
  })
  return { ...common, spawner }
}

/** Whether anybody sees lines of this level: in the log, or as events. */
function isHeard({ runtime: { logger }, settings }: RunSurroundings, level: 'debug' | 'warn' | 'error'): boolean {
  return settings.posting.loggers || (logger.isLevelEnabled?.(level) ?? true)
}

function applyDepsOf(
  { runtime, identity, reporter }: RunSurroundings,
  client: Client,
  { kind }: ObjectMemory,
): ApplyDeps {
  return {
    client,
    runtime,
    resource: kind.resource,
    options: { finalizerName: identity.finalizer, statusSubresource: servesStatus(kind) },
    reporter,
    backoff: WRITE_BACKOFF,
    tries: WRITE_TRIES,
  }
}
