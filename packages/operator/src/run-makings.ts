import { hostname } from 'node:os'
import type { Client } from '@binnacle/client'
import type { Runtime } from '@binnacle/core'
import type { Identity } from './declare/identity.ts'
import type { Storages } from './progress/storages.ts'
import { EventPoster } from './report/events.ts'
import type { Settings } from './settings.ts'
import type { AlarmClock } from './spawn/alarm-clock.ts'
import { WorkerThreads } from './worker/worker-threads.ts'

/** What posts the Kubernetes Events of a run, as its settings want it. */
export function posterOf({ posting }: Settings, { name }: Identity, runtime: Runtime, client: Client): EventPoster {
  return new EventPoster({
    runtime,
    client: client.with({ fieldManager: name }),
    enabled: posting.enabled,
    level: posting.level,
    namePrefix: posting.eventNamePrefix ?? undefined,
    reportingComponent: posting.reportingComponent ?? name,
    reportingInstance: posting.reportingInstance ?? hostname(),
  })
}

/** Where a run keeps its state on objects, under its own names. */
export function storagesOf({ persistence }: Settings, { name, prefix }: Identity): Storages {
  const { progressStorage, diffbaseStorage, sizeLimits } = persistence
  const owner = { name, prefix, sizeLimits }
  return {
    progress: progressStorage.bind?.(owner) ?? progressStorage,
    diffBase: diffbaseStorage.bind?.(owner) ?? diffbaseStorage,
  }
}

/** The worker threads of a run; none is started before it is needed. */
export function threadsOf(
  { execution }: Settings,
  runtime: Runtime,
  alarms: AlarmClock,
  stopping: AbortSignal,
): WorkerThreads {
  const { versions, features } = process
  const typescript = Boolean((features as { readonly typescript?: unknown }).typescript)
  const abilities = { version: versions.node, typescript }
  return new WorkerThreads({ runtime, alarms, stopping, limit: execution.maxWorkers, abilities })
}
