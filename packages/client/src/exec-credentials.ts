import { abortable, type Clock, LoginError, linkedController, messageOf, type Runtime } from '@binnacle/core'
import type { ExecPlugin } from './connection.ts'
import type { Credentials, Identity } from './credentials.ts'
import type { ExecCredential } from './exec-plugin.ts'

/**
 * Credentials that a program prints, kept until shortly before they expire.
 * Guarantees: one run for all who ask at the same time; one who gives up does not end it for the others; a run ends at its timeout, or when the client is
 * closed; as long as the last credentials are valid, a failing program harms nobody.
 */
export interface ExecSettings {
  /** Seconds after which a run is given up. */
  readonly timeout: number
  /** Aborts when the client is closed. */
  readonly lifetime: AbortSignal
  readonly run: (signal: AbortSignal) => Promise<ExecCredential>
}

/** Seconds before the expiry at which new credentials are fetched; of short lives a fifth, so that they are used at all. */
const MARGIN = 30
const MARGIN_SHARE = 0.2

export class ExecCredentials implements Credentials {
  readonly #plugin: ExecPlugin
  readonly #runtime: Runtime
  readonly #settings: ExecSettings
  #identity: Identity | undefined
  /** Milliseconds since 1970. */
  #expires = Number.POSITIVE_INFINITY
  #renewAt = Number.POSITIVE_INFINITY
  #running: Promise<Identity> | undefined

  constructor(plugin: ExecPlugin, runtime: Runtime, settings: ExecSettings) {
    this.#plugin = plugin
    this.#runtime = runtime
    this.#settings = settings
  }

  async identity(signal: AbortSignal): Promise<Identity> {
    const now = this.#now()
    if (this.#identity && now < this.#renewAt) return this.#identity
    try {
      return await this.#renewal(signal)
    } catch (error) {
      signal.throwIfAborted()
      if (!this.#identity || this.#now() >= this.#expires) throw error
      this.#runtime.logger.warn('Signing in anew failed; the last credentials stay in use until they expire', {
        error: messageOf(error),
      })
      return this.#identity
    }
  }

  /** What others have fetched in the meantime counts too. */
  async renewed(used: Identity, signal: AbortSignal): Promise<boolean> {
    if (this.#identity !== used && this.#identity) return true
    return (await this.#renewal(signal)).authorization !== used.authorization || this.#identity?.cert !== undefined
  }

  #renewal(signal: AbortSignal): Promise<Identity> {
    this.#running ??= this.#renew().finally(() => {
      this.#running = undefined
    })
    return abortable(this.#running, signal)
  }

  async #renew(): Promise<Identity> {
    const credential = await this.#run()
    const now = this.#now()
    const { token, certificate: cert, key, expires = Number.POSITIVE_INFINITY } = credential
    this.#expires = expires
    this.#renewAt = renewalTime(now, expires)
    this.#identity = {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(cert && key && { cert, key }),
    }
    return this.#identity
  }

  async #run(): Promise<ExecCredential> {
    const { timeout, lifetime, run } = this.#settings
    const controller = linkedController(lifetime)
    const giveUp = () => controller.abort(tooSlow(this.#plugin, timeout))
    this.#runtime.clock.sleep(timeout, controller.signal).then(giveUp, () => {})
    try {
      return await run(controller.signal)
    } finally {
      controller.abort()
    }
  }

  #now(): number {
    return timeOf(this.#runtime.clock)
  }
}

/** When to fetch new credentials, in milliseconds since 1970. Pure. */
export function renewalTime(now: number, expires: number): number {
  if (!Number.isFinite(expires)) return expires
  return expires - Math.min(MARGIN * 1000, Math.max(0, expires - now) * MARGIN_SHARE)
}

function timeOf(clock: Clock): number {
  return clock.now().getTime()
}

function tooSlow({ command }: ExecPlugin, timeout: number): LoginError {
  return new LoginError({
    message: `The program ${JSON.stringify(command)}, which signs in, did not end within ${timeout} s and was ended`,
    hint: 'Run it by hand to see what it waits for; loginTimeout of connect allows more.',
  })
}
