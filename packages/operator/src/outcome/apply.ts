import type { Client } from '@binnacle/client'
import {
  APIError,
  type BackoffPolicy,
  ConflictError,
  ForbiddenError,
  InvalidError,
  type JsonPatch,
  type KubeObject,
  messageOf,
  NetworkError,
  NotFoundError,
  objectName,
  type Resource,
  type Runtime,
  ServerError,
  TooManyRequestsError,
  UnauthorizedError,
} from '@binnacle/core'
import type { Reporter } from '../report/reporter.ts'
import { type Intention, type PlanOptions, plan } from './plan.ts'

export interface ApplyDeps {
  readonly client: Client
  readonly runtime: Runtime
  readonly resource: Resource
  readonly options: PlanOptions
  readonly reporter: Pick<Reporter, 'write'>
  /** Between two tries at the same write. */
  readonly backoff: BackoffPolicy
  /** Tries that the server may answer with a refusal. Those that it does not answer are not counted: there is nothing to be learnt from them. */
  readonly tries: number
}

/** What came of it: the object as the server has it now, whether anything was sent; undefined when the object is gone. */
export type Applied = { readonly body: KubeObject; readonly written: boolean } | undefined

/**
 * Writes what a cycle wants.
 * Guarantees: the status goes first, so that a handler counts as done only after what it wrote has arrived; a write that may or may not
 * have happened is made anew against the freshest body, so a lost answer is neither lost nor repeated; while the server does not answer,
 * the intention is kept, so that handlers need not run again because a line was away; an object that is gone, or has been replaced by
 * another of the same name, is left alone.
 * Assumes: the caller reports what is thrown, and comes back later.
 */
export async function applyIntention(
  deps: ApplyDeps,
  body: KubeObject,
  intention: Intention,
  signal: AbortSignal,
): Promise<Applied> {
  const arrived: Arrived = { status: false, any: false }
  let refusals = 0
  for (let attempt = 0; ; attempt++) {
    try {
      const current = attempt === 0 ? body : await freshBody(deps, body, signal)
      if (!current) return undefined
      return { body: await send(deps, current, intention, arrived, signal), written: arrived.any }
    } catch (error) {
      if (error instanceof NotFoundError) return undefined
      if (error instanceof APIError) refusals++
      else arrived.any = true
      if (refusals >= deps.tries || !isWorthAnotherTry(error)) throw error
      if ((attempt + 1) % deps.tries === 0) tellOfWaiting(deps, body, error)
      if (!isStale(error)) await deps.runtime.clock.sleep(deps.backoff.delay(attempt, deps.runtime.random), signal)
    }
  }
}

function tellOfWaiting({ runtime }: ApplyDeps, body: KubeObject, error: unknown): void {
  runtime.logger.warn(
    `What is to be written to ${body.kind} ${describe(body)} does not get through, and is kept until it does: ${messageOf(error)}`,
  )
}

/** What the server has taken so far, over all tries. */
interface Arrived {
  /** What an edit does to the status is not done twice because the rest was refused. */
  status: boolean
  /** Anything, for certain or perhaps. */
  any: boolean
}

async function send(
  deps: ApplyDeps,
  body: KubeObject,
  intention: Intention,
  arrived: Arrived,
  signal: AbortSignal,
): Promise<KubeObject> {
  const { status, object } = plan(body, intention, deps.options)
  let latest = body
  if (status.length > 0 && !arrived.status) {
    latest = await request(deps, body, status, 'status', signal)
    arrived.status = true
    arrived.any = true
  }
  if (object.length > 0) {
    latest = await request(deps, body, atVersionOf(latest, object), 'object', signal, intention.finalizer)
    arrived.any = true
  }
  return latest
}

/** The first of two requests has made a new version, which the guard of the second must expect. */
function atVersionOf({ metadata }: KubeObject, operations: JsonPatch): JsonPatch {
  return operations.map((operation) =>
    operation.op === 'test' && operation.path === '/metadata/resourceVersion'
      ? { ...operation, value: metadata.resourceVersion }
      : operation,
  )
}

async function request(
  deps: ApplyDeps,
  body: KubeObject,
  operations: JsonPatch,
  to: 'object' | 'status',
  signal: AbortSignal,
  finalizer: Intention['finalizer'] = 'leave',
): Promise<KubeObject> {
  const subresource = to === 'status' ? { subresource: 'status' } : {}
  const answer = await deps.client.patch(deps.resource, refOf(body), operations, { signal, ...subresource })
  deps.reporter.write?.({
    object: `${body.kind} ${describe(body)}`,
    uid: body.metadata.uid,
    at: deps.runtime.clock.now(),
    to,
    operations: operations.filter(({ op }) => op !== 'test'),
    ...(finalizer !== 'leave' && { finalizer }),
  })
  return answer
}

/** The object as it is now; undefined when it is gone or another one has its name. */
export async function freshBody(
  deps: ApplyDeps,
  body: KubeObject,
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  const fresh = await deps.client.find(deps.resource, refOf(body), { signal })
  return fresh?.metadata.uid === body.metadata.uid ? fresh : undefined
}

/** The body that the write was made for is not what the server has: nothing to wait for. */
function isStale(error: unknown): boolean {
  return error instanceof ConflictError || isFailedTest(error)
}

/** A 422 without causes is a `test` of a JSON patch that did not hold; one with causes is a body that the server refuses. */
function isFailedTest(error: unknown): boolean {
  return error instanceof InvalidError && (error.status.details?.causes ?? []).length === 0
}

function isWorthAnotherTry(error: unknown): boolean {
  return (
    isStale(error) ||
    error instanceof NetworkError ||
    error instanceof ServerError ||
    error instanceof TooManyRequestsError ||
    // Permissions and tokens come and go: a role that is bound anew, a token that has just rotated.
    error instanceof UnauthorizedError ||
    error instanceof ForbiddenError
  )
}

function refOf(body: KubeObject): { readonly name: string; readonly namespace?: string } {
  const { name, namespace } = objectName(body)
  return namespace === '' ? { name } : { name, namespace }
}

function describe(body: KubeObject): string {
  const { name, namespace } = objectName(body)
  return namespace === '' ? name : `${namespace}/${name}`
}
