import type { Client } from '@binnacle/client'
import { type AnyObject, apiError, type JsonPatch, type KubeObject, NetworkError } from '@binnacle/core'
import { patched, TestFailed } from './json-patch.ts'

export interface PatchRequest {
  readonly to: 'object' | 'status'
  readonly operations: JsonPatch
}

type Fault = (request: PatchRequest) => Error | undefined

/** One object on a server, and a client that can patch and find it; faults are put in between. */
export class FakeServer {
  object: AnyObject | undefined
  readonly requests: PatchRequest[] = []
  reads = 0
  /** Asked before a patch is applied: what it returns is thrown instead. */
  before: Fault = () => undefined
  /** Asked after a patch was applied: the answer is lost. */
  after: Fault = () => undefined
  onRead: () => Error | undefined = () => undefined

  constructor(object: AnyObject | undefined) {
    this.object = object
  }

  get client(): Client {
    const patch = async (_: unknown, __: unknown, operations: JsonPatch, options?: { subresource?: string }) =>
      this.#patch({ to: options?.subresource === 'status' ? 'status' : 'object', operations })
    const find = async () => {
      this.reads++
      const error = this.onRead()
      if (error) throw error
      return structuredClone(this.object)
    }
    const client = { patch, find, with: () => client } as unknown as Client
    return client
  }

  /** Somebody else changes the object. */
  change(change: (object: AnyObject) => AnyObject): void {
    if (this.object) this.object = nextVersion(change(structuredClone(this.object)))
  }

  #patch(request: PatchRequest): KubeObject {
    this.requests.push(request)
    const refused = this.before(request)
    if (refused) throw refused
    if (!this.object) throw status(404, 'NotFound')
    this.object = nextVersion(this.#patched(this.object, request))
    const lost = this.after(request)
    if (lost) throw lost
    return structuredClone(this.object)
  }

  #patched(object: AnyObject, { to, operations }: PatchRequest): AnyObject {
    try {
      const result = patched(object, operations)
      if (to === 'status') return { ...object, status: result['status'] }
      return 'status' in object ? { ...result, status: object['status'] } : result
    } catch (error) {
      throw error instanceof TestFailed ? status(422, 'Invalid', error.message) : error
    }
  }
}

function nextVersion(object: AnyObject): AnyObject {
  const resourceVersion = String(Number(object.metadata.resourceVersion) + 1)
  return { ...object, metadata: { ...object.metadata, resourceVersion } }
}

export function status(
  code: number,
  reason: string,
  message = reason,
  causes: readonly { field: string }[] = [],
): Error {
  return apiError({ code, reason, message, details: { causes } }, { request: { method: 'PATCH', path: '/x' } })
}

export function lost(): Error {
  return new NetworkError({ message: 'The connection was lost', mayHaveCommitted: true })
}
