import { type Client, type ConnectOptions, connect } from '@binnacle/client'
import { abortable, type Runtime, type Supervisor } from '@binnacle/core'
import type { OperatorActivities } from './run-activities.ts'
import type { RunOptions } from './run-options.ts'
import type { Settings } from './settings.ts'

/**
 * The client that a run makes for itself.
 * Guarantees: with login handlers, they are the only ones who are asked; credentials that nobody can get end the run, however long it has been
 * going on.
 */
export function connectRun(
  options: RunOptions,
  settings: () => Settings,
  runtime: Runtime,
  activities: OperatorActivities,
  supervisor: Supervisor,
): Promise<Client> {
  let fail: (error: unknown) => void = () => {}
  const failed = new Promise<never>((_, reject) => {
    fail = reject
  })
  failed.catch(() => {})
  const login = activities.login(settings, fail)
  if (login) void supervisor.start('login', (until) => abortable(failed, until))
  return connect({ ...options, ...connectOptionsOf(settings()), ...runtime, ...(login && { login }) })
}

/** What the settings say to the client. */
function connectOptionsOf({ networking, watching }: Settings): ConnectOptions {
  return { ...networking, managedFields: watching.managedFields ? 'keep' : 'drop' }
}
