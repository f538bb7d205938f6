import { ListWatch, SharedInformer } from '@binnacle/cache'
import type { Client } from '@binnacle/client'
import {
  deepFreeze,
  ForbiddenError,
  type KubeObject,
  messageOf,
  type Runtime,
  type Supervisor,
  UnauthorizedError,
} from '@binnacle/core'
import { isHandled, kindName, type ServedKind } from '../declare/served-kind.ts'
import type { IndexedGate } from '../gate/indexed.ts'
import type { Intake } from '../intake/intake.ts'
import type { StreamHealth } from '../report/health.ts'
import type { Settings } from '../settings.ts'
import { IndexOnly } from './index-only.ts'
import { type PauseSwitch, pausable } from './pausable.ts'
import { reflectorOptionsOf } from './reflector-options.ts'

export interface OrchestratorDeps {
  readonly client: Client
  readonly runtime: Runtime
  readonly supervisor: Supervisor
  readonly settings: Settings
  readonly intake: Intake
  readonly gate: IndexedGate
  /** Exact names; `'*'` is the whole cluster. */
  readonly namespaces: readonly string[]
  readonly pause: PauseSwitch
  /** Freeze objects, so that whoever writes to one hears of it. */
  readonly freeze: boolean
}

interface Stream {
  readonly kind: ServedKind
  readonly namespace: string
  readonly informer: SharedInformer<KubeObject>
}

/**
 * Which informers run: one for each kind and namespace.
 * Guarantees: an informer's changes reach the intake in the step in which its cache changes; the gate hears of a kind when all of its
 * namespaces are listed; a kind that may not be listed at the start ends the start, with the rule that is missing.
 */
export class Orchestrator {
  readonly #deps: OrchestratorDeps
  readonly #streams: Stream[] = []

  constructor(deps: OrchestratorDeps) {
    this.#deps = deps
  }

  get streams(): readonly StreamHealth[] {
    return this.#streams.map(({ kind, namespace, informer }) => ({
      resource: kindName(kind),
      ...(namespace !== '*' && { namespace }),
      state: informer.state,
      staleSeconds: informer.staleness,
      objects: informer.getStore().listKeys().length,
      cache: isHandled(kind) ? ('mirrored' as const) : ('indexed only' as const),
      ...(informer.lastError !== undefined && { error: messageOf(informer.lastError) }),
    }))
  }

  /** Starts watching, and resolves when everything is listed. */
  async start(kinds: readonly ServedKind[], signal: AbortSignal): Promise<void> {
    const refused = new AbortController()
    await Promise.race([
      Promise.all(kinds.map((kind) => this.#startKind(kind, signal, refused))),
      new Promise<never>((_, reject) => refused.signal.addEventListener('abort', () => reject(refused.signal.reason))),
    ])
  }

  async #startKind(kind: ServedKind, signal: AbortSignal, refused: AbortController): Promise<void> {
    const namespaces = kind.info.scope === 'Cluster' ? ['*'] : this.#deps.namespaces
    const informers = namespaces.map((namespace) => this.#startStream(kind, namespace, refused))
    await Promise.all(informers.map((informer) => informer.whenSynced(signal)))
    this.#deps.gate.listed(kindName(kind))
  }

  #startStream(kind: ServedKind, namespace: string, refused: AbortController): SharedInformer<KubeObject> {
    const { client, runtime, supervisor, settings, intake } = this.#deps
    const listWatch = pausable<KubeObject>(new ListWatch(client, kind.resource, { namespace }), this.#deps.pause)
    const informer = new SharedInformer<KubeObject>(listWatch, {
      ...runtime,
      name: kindName(kind),
      reflector: reflectorOptionsOf(settings),
      onWatchError: (error) => {
        const forbidden = error instanceof ForbiddenError || error instanceof UnauthorizedError
        if (forbidden && !informer.hasSynced()) refused.abort(error)
        else runtime.logger.warn(`The watch of ${kindName(kind)} failed and goes on: ${String(error)}`)
      },
    })
    const taken = this.#deps.freeze ? deepFreeze<KubeObject> : (body: KubeObject) => body
    if (isHandled(kind)) {
      informer.setTransform(taken)
      informer.subscribe((change) => intake.notice(kind, change))
    } else {
      const indexed = new IndexOnly((body) => informer.getStore().get(body))
      informer.setTransform((body) => indexed.transform(taken(body)))
      informer.subscribe((change) => intake.notice(kind, indexed.whole(change)))
    }
    this.#streams.push({ kind, namespace, informer })
    void supervisor.start(`watch of ${kindName(kind)}`, (signal) => informer.run(signal))
    return informer
  }
}
