import type { Client } from '@binnacle/client'
import { messageOf, type Runtime } from '@binnacle/core'
import type { Activity, ActivityHandler } from './declare/activity.ts'
import type { Registry } from './declare/registry.ts'
import type { Scope } from './declare/scope.ts'
import { untilTooLong } from './patience.ts'
import { runActivity } from './run/activities.ts'
import type { AttemptInfo } from './run/context.ts'
import { openCopy, type Settings, settingsOf } from './settings.ts'

export interface ActivitiesDeps {
  readonly name: string
  readonly runtime: Runtime
  readonly registry: Registry
  readonly client: () => Client
  readonly shared: () => unknown
  readonly viewsFor: (scope: Scope | undefined) => { readonly [name: string]: unknown }
}

/** Runs what an operator does about itself, and not about an object. */
export class OperatorActivities {
  readonly #deps: ActivitiesDeps

  constructor(deps: ActivitiesDeps) {
    this.#deps = deps
  }

  /** Runs the startup handlers, which may change the settings; what comes back is checked once more, and stays. */
  async startup(settings: Settings, signal: AbortSignal): Promise<Settings> {
    const open = openCopy(settings)
    await this.#perform('startup', open, settings, signal)
    return settingsOf(open)
  }

  /** What fails here is logged, and the operator ends all the same. */
  async cleanup(settings: Settings): Promise<void> {
    const { clock, logger } = this.#deps.runtime
    try {
      await untilTooLong(clock, settings.process.ultimateExitingTimeout, (signal) =>
        this.#perform('cleanup', settings, settings, signal),
      )
    } catch (error) {
      logger.error(`The operator could not clean up: ${messageOf(error)}`, { error })
    }
  }

  async #perform(activity: Activity, shown: Settings, { execution }: Settings, signal: AbortSignal): Promise<void> {
    const handlers = this.#deps.registry.activities(activity)
    if (handlers.length === 0) return
    const { clock, random, logger } = this.#deps.runtime
    const { defaultBackoff } = execution
    const contextOf = (handler: ActivityHandler, attempt: AttemptInfo) =>
      this.#contextOf(activity, shown, handler, attempt)
    await runActivity(activity, handlers, contextOf, { clock, random, logger, defaultBackoff, signal })
  }

  #contextOf(activity: Activity, settings: Settings, { param, scope }: ActivityHandler, attempt: AttemptInfo): object {
    const { name, runtime, client, shared, viewsFor } = this.#deps
    return {
      ...attempt,
      param,
      activity,
      settings,
      shared: shared(),
      logger: runtime.logger,
      client: client().with({ fieldManager: name, signal: attempt.signal }),
      ...viewsFor(scope),
    }
  }
}
