import { abortable, deepEqual, LoginError, messageOf, type Runtime } from '@binnacle/core'
import type { ConnectionInfo } from './connection.ts'
import { renewalTime } from './exec-credentials.ts'
import type { Transport, TransportAnswer, TransportRequest } from './transport.ts'

/** Why a login is asked for: nobody has asked yet; what it gave expires soon; the server has refused it. */
export type LoginReason = 'first' | 'expiry' | 'refused'

export interface LoginRequest {
  readonly why: LoginReason
  /** What it gave last. */
  readonly previous: ConnectionInfo | undefined
  /** Aborts when the client is closed. */
  readonly signal: AbortSignal
}

/** Says where the server is and who we are. Throws, best a LoginError, when it cannot. */
export type Login = (request: LoginRequest) => Promise<ConnectionInfo>

/** Where a login has led to. */
interface Session {
  readonly info: ConnectionInfo
  readonly transport: Transport
  /** Milliseconds since 1970. */
  expires: number
  renewAt: number
  /** Requests and streams under way. */
  users: number
  left: boolean
}

export interface LoginDeps {
  readonly runtime: Runtime
  readonly login: Login
  readonly transportOf: (info: ConnectionInfo) => Promise<Transport>
  /** Aborts when the client is closed. */
  readonly lifetime: AbortSignal
}

/**
 * A transport whose server and credentials come from a function.
 * Guarantees: one login at a time for all who ask; a request that the server refuses is sent once more if the login has something new; while what
 * it gave is valid, a login that fails harms nobody; what goes on under former credentials ends by itself, and its connections with it.
 */
export class LoginTransport implements Transport {
  readonly #deps: LoginDeps
  #session: Session | undefined
  #asking: Promise<Session> | undefined
  readonly #leaving = new Set<Session>()

  constructor(deps: LoginDeps) {
    this.#deps = deps
  }

  /** Of the present connection; 'default' before the first login. */
  get namespace(): string {
    return this.#session?.info.defaultNamespace ?? 'default'
  }

  request(request: TransportRequest): Promise<TransportAnswer<Uint8Array>> {
    return this.#send(request, async (session) => {
      session.users++
      try {
        return await session.transport.request(request)
      } finally {
        this.#release(session)
      }
    })
  }

  stream(request: TransportRequest): Promise<TransportAnswer<AsyncIterable<Uint8Array>>> {
    return this.#send(request, async (session) => {
      session.users++
      try {
        const answer = await session.transport.stream(request)
        return { ...answer, body: this.#reading(session, answer.body) }
      } catch (error) {
        this.#release(session)
        throw error
      }
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const sessions = [...this.#leaving, ...(this.#session ? [this.#session] : [])]
    await Promise.all(sessions.map(({ transport }) => transport[Symbol.asyncDispose]()))
  }

  async #send<B extends Uint8Array | AsyncIterable<Uint8Array>>(
    { signal }: TransportRequest,
    by: (session: Session) => Promise<TransportAnswer<B>>,
  ): Promise<TransportAnswer<B>> {
    const session = await this.#current(signal)
    const answer = await by(session)
    if (answer.status !== 401) return answer
    const next = this.#session === session ? await this.#ask('refused', signal) : await this.#current(signal)
    if (next === session) return answer
    if (!(answer.body instanceof Uint8Array)) await answer.body[Symbol.asyncIterator]().return?.()
    return by(next)
  }

  async #current(signal: AbortSignal): Promise<Session> {
    const session = this.#session
    if (!session) return this.#ask('first', signal)
    if (this.#now() < session.renewAt) return session
    try {
      return await this.#ask('expiry', signal)
    } catch (error) {
      signal.throwIfAborted()
      if (this.#now() >= session.expires) throw error
      this.#deps.runtime.logger.warn('Signing in anew failed; the last credentials stay in use until they expire', {
        error: messageOf(error),
      })
      return session
    }
  }

  #ask(why: LoginReason, signal: AbortSignal): Promise<Session> {
    this.#asking ??= this.#signIn(why).finally(() => {
      this.#asking = undefined
    })
    return abortable(this.#asking, signal)
  }

  async #signIn(why: LoginReason): Promise<Session> {
    const { login, transportOf, lifetime } = this.#deps
    const former = this.#session
    const info = await login({ why, previous: former?.info, signal: lifetime }).catch((error: unknown) => {
      throw lifetime.aborted || error instanceof LoginError ? error : failed(error)
    })
    const expires = info.expiration === undefined ? Number.POSITIVE_INFINITY : new Date(info.expiration).getTime()
    const times = { expires, renewAt: renewalTime(this.#now(), expires) }
    if (former && isSame(former.info, info)) return Object.assign(former, times)
    const session: Session = { info, transport: await transportOf(info), ...times, users: 0, left: false }
    this.#session = session
    if (former) this.#leave(former)
    return session
  }

  async *#reading(session: Session, body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    try {
      yield* body
    } finally {
      this.#release(session)
    }
  }

  #leave(session: Session): void {
    session.left = true
    this.#leaving.add(session)
    this.#closeIfUnused(session)
  }

  #release(session: Session): void {
    session.users--
    this.#closeIfUnused(session)
  }

  #closeIfUnused(session: Session): void {
    if (!session.left || session.users > 0) return
    this.#leaving.delete(session)
    void session.transport[Symbol.asyncDispose]()
  }

  #now(): number {
    return this.#deps.runtime.clock.now().getTime()
  }
}

/** Whether both are the same server and the same user. Field by field, since a connection may hide its secrets from whoever prints it. */
function isSame(one: ConnectionInfo, other: ConnectionInfo): boolean {
  const names = new Set([...Object.keys(one), ...Object.keys(other)] as (keyof ConnectionInfo)[])
  names.delete('expiration')
  return [...names].every((name) => deepEqual(one[name], other[name]))
}

function failed(cause: unknown): LoginError {
  return new LoginError({
    message: `Signing in failed: ${messageOf(cause)}`,
    hint: 'The function that was given as `login` has thrown this.',
    cause,
  })
}
