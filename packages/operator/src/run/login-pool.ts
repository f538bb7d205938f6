import type { ConnectionInfo, LoginRequest } from '@binnacle/client'
import { type Clock, LoginError, messageOf } from '@binnacle/core'
import type { Performed } from './activities.ts'

/** Refused credentials that are remembered; Kopf remembers three of each handler. */
const MOST_REFUSED = 30

/**
 * The credentials that login handlers have given, until they are used up.
 * Guarantees: of what is left the highest priority goes first, then the order of declaration; what the server has refused is not given again;
 * when nothing is left, all handlers are asked anew, once for all who wait.
 */
export class LoginPool {
  readonly #perform: (signal: AbortSignal) => Promise<Performed>
  readonly #clock: Clock
  #left: readonly ConnectionInfo[] = []
  #refused: readonly string[] = []

  constructor(perform: (signal: AbortSignal) => Promise<Performed>, clock: Clock) {
    this.#perform = perform
    this.#clock = clock
  }

  async connection({ why, previous, signal }: LoginRequest): Promise<ConnectionInfo> {
    if (previous && why === 'refused') this.#refused = [...this.#refused, markOf(previous)].slice(-MOST_REFUSED)
    if (previous) this.#left = this.#left.filter((info) => markOf(info) !== markOf(previous))
    this.#left = this.#usable(this.#left)
    if (this.#left.length === 0) await this.#ask(signal)
    const [best] = [...this.#left].sort((one, other) => (other.priority ?? 0) - (one.priority ?? 0))
    if (!best) throw nothingNew(why)
    return best
  }

  async #ask(signal: AbortSignal): Promise<void> {
    const { results, failures } = await this.#perform(signal)
    const given = [...results.values()].filter(isConnection)
    this.#left = this.#usable(given)
    if (given.length === 0 && failures.size > 0) throw allFailed(failures)
  }

  #usable(connections: readonly ConnectionInfo[]): readonly ConnectionInfo[] {
    const now = this.#clock.now().getTime()
    return connections
      .filter((info) => !this.#refused.includes(markOf(info)))
      .filter(({ expiration }) => expiration === undefined || new Date(expiration).getTime() > now)
  }
}

function isConnection(value: unknown): value is ConnectionInfo {
  return typeof value === 'object' && value !== null && typeof (value as { server?: unknown }).server === 'string'
}

/** What makes it another one. Read field by field, since a connection may hide its secrets from whoever prints it. */
function markOf(info: ConnectionInfo): string {
  const { server, token, tokenPath, username, password, certificateData, certificatePath, privateKeyData } = info
  return JSON.stringify([
    ...[server, token, tokenPath, username, password],
    ...[certificateData, certificatePath, privateKeyData, info.exec],
  ])
}

function allFailed(failures: ReadonlyMap<string, unknown>): LoginError {
  const lines = [...failures].map(([id, error]) => `"${id}": ${messageOf(error)}`)
  return new LoginError({
    message: `No login handler could sign in: ${lines.join('; ')}`,
    hint: 'Let the handler throw a TemporaryError where another attempt may help.',
    cause: [...failures.values()][0],
  })
}

function nothingNew(why: LoginRequest['why']): LoginError {
  return new LoginError({
    message:
      why === 'refused'
        ? 'The API server refuses the credentials, and the login handlers give no others'
        : 'No login handler has given credentials that are valid',
    hint: 'Return a connection with a token or a certificate that the server accepts: { server, token, expiration }.',
  })
}
