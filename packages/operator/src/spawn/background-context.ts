import type { Client } from '@binnacle/client'
import type { KubeObject } from '@binnacle/core'
import type { BackgroundHandler } from '../declare/daemon.ts'
import { type AdoptOptions, adopt, ownerReference } from '../declare/hierarchies.ts'
import type { Stopped } from '../declare/stopped.ts'
import type { AttemptInfo, Surroundings } from '../run/context.ts'
import { liveView } from './live-view.ts'

const EMPTY = Object.freeze({})

export interface BackgroundMeans {
  readonly stopped: Stopped
  readonly patch: object
  readonly client: () => Client
  readonly idempotencyKey: () => string
}

/**
 * The one argument of a daemon or a timer.
 * Guarantees: the object's parts are live; what a function does not ask for is not made, since there may be one context for each object.
 */
export function backgroundContext(
  handler: BackgroundHandler,
  object: { readonly body: KubeObject },
  { indices, ...surroundings }: Surroundings,
  attempt: AttemptInfo,
  means: BackgroundMeans,
): object {
  const { stopped, patch, client, idempotencyKey } = means
  const { uid, name, namespace } = object.body.metadata
  const context = { ...surroundings, uid, name, namespace, ...attempt, stopped, patch, param: handler.param }
  const stanzas = object as { readonly body: KubeObject & { readonly spec?: object; readonly status?: object } }
  lazily(context, 'body', () => liveView(() => stanzas.body))
  lazily(context, 'spec', () => liveView(() => stanzas.body.spec ?? EMPTY))
  lazily(context, 'status', () => liveView(() => stanzas.body.status ?? EMPTY))
  lazily(context, 'meta', () => liveView(() => stanzas.body.metadata))
  lazily(context, 'labels', () => liveView(() => stanzas.body.metadata.labels ?? EMPTY))
  lazily(context, 'annotations', () => liveView(() => stanzas.body.metadata.annotations ?? EMPTY))
  lazily(context, 'client', client)
  lazily(context, 'idempotencyKey', idempotencyKey)
  lazily(context, 'ownerReference', () => ownerReference(object.body))
  lazily(context, 'adopt', () => (child: object, options?: AdoptOptions) => adopt(child, object.body, options))
  for (const [index, value] of Object.entries(indices)) define(context, index, { value })
  return context
}

function lazily(context: object, name: string, make: () => unknown): void {
  define(context, name, {
    get() {
      const value = make()
      define(context, name, { value })
      return value
    },
  })
}

function define(context: object, name: string, descriptor: PropertyDescriptor): void {
  Object.defineProperty(context, name, { enumerable: true, configurable: true, ...descriptor })
}
