import type { Client, ConnectionInfo, LoginRequest } from '@binnacle/client'
import { messageOf, type Runtime } from '@binnacle/core'
import type { Activity, ActivityHandler } from './declare/activity.ts'
import type { Registry } from './declare/registry.ts'
import type { Scope } from './declare/scope.ts'
import { untilTooLong } from './patience.ts'
import { performActivity, runActivity } from './run/activities.ts'
import type { AttemptInfo } from './run/context.ts'
import { LoginPool } from './run/login-pool.ts'
import { Probes } from './run/probes.ts'
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

  /** Signs in by the login handlers; undefined where there are none. A login that cannot be had is also told to `failed`. */
  login(
    settings: () => Settings,
    failed: (error: unknown) => void,
  ): ((request: LoginRequest) => Promise<ConnectionInfo>) | undefined {
    const { registry, runtime } = this.#deps
    const handlers = registry.activities('login')
    if (handlers.length === 0) return undefined
    const pool = new LoginPool(
      (signal) =>
        performActivity('login', handlers, this.#contexts('login', settings()), this.#limits(settings(), signal)),
      runtime.clock,
    )
    return (request) =>
      pool.connection(request).catch((error: unknown) => {
        if (!request.signal.aborted) failed(error)
        throw error
      })
  }

  probes(settings: Settings, signal: AbortSignal): Probes {
    const contextOf = this.#contexts('probe', settings)
    return new Probes(this.#deps.registry.activities('probe'), { ...this.#limits(settings, signal), contextOf })
  }

  async #perform(activity: Activity, shown: Settings, settings: Settings, signal: AbortSignal): Promise<void> {
    const handlers = this.#deps.registry.activities(activity)
    if (handlers.length === 0) return
    await runActivity(activity, handlers, this.#contexts(activity, shown), this.#limits(settings, signal))
  }

  #limits({ execution }: Settings, signal: AbortSignal) {
    const { clock, random, logger } = this.#deps.runtime
    return { clock, random, logger, defaultBackoff: execution.defaultBackoff, signal }
  }

  #contexts(activity: Activity, settings: Settings): (handler: ActivityHandler, attempt: AttemptInfo) => object {
    const { name, runtime, client, shared, viewsFor } = this.#deps
    return ({ param, scope }, attempt) => ({
      ...attempt,
      param,
      activity,
      settings,
      shared: shared(),
      logger: runtime.logger,
      // A login that asked the server would wait for itself.
      ...(activity !== 'login' && { client: client().with({ fieldManager: name, signal: attempt.signal }) }),
      ...viewsFor(scope),
    })
  }
}
