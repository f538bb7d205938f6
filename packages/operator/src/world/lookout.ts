import { SharedInformer } from '@binnacle/cache'
import type { Client } from '@binnacle/client'
import {
  type Duration,
  ForbiddenError,
  type KubeObject,
  messageOf,
  type Resource,
  type Runtime,
  type Supervisor,
  seconds,
} from '@binnacle/core'
import type { ScanHealth } from '../report/health.ts'
import { Reading } from './reading.ts'
import { forbiddenScan } from './refusal.ts'

export interface LookoutOptions<T extends KubeObject> {
  readonly client: Client
  readonly runtime: Runtime
  readonly supervisor: Supervisor
  readonly inactivityTimeout: Duration
  readonly resource: Resource
  /** What is kept of an object. */
  readonly keep: (object: KubeObject) => T
  /** What it means that it may not be watched, to be read after a colon. */
  readonly consequence: string
  /** Something has come, changed or gone since the first list; also told once after that list. */
  readonly onChange: (change: { readonly now: T | undefined; readonly before: T | undefined } | undefined) => void
}

/**
 * Watches what the operator needs to know for its own sake: definitions, namespaces.
 * Guarantees: who may not watch is told once what is missing, and is served as soon as he may.
 */
export class Lookout<T extends KubeObject> {
  readonly #options: LookoutOptions<T>
  readonly #informer: SharedInformer<T>
  #started = false
  #refused = false
  #answer: () => void = () => {}
  readonly #answered = new Promise<void>((resolve) => {
    this.#answer = resolve
  })

  constructor(options: LookoutOptions<T>) {
    this.#options = options
    const { client, resource, runtime } = options
    const reading = new Reading<T>({ client, resource, scope: () => ({}), onHeard: () => this.#granted() })
    this.#informer = new SharedInformer<T>(reading, {
      ...runtime,
      name: resource.plural,
      transform: (object) => options.keep(object),
      reflector: { inactivityTimeout: seconds(options.inactivityTimeout) },
      onWatchError: (error) => this.#failed(error),
    })
  }

  get isStarted(): boolean {
    return this.#started
  }

  /** Whether it knows all that there is. */
  get isSynced(): boolean {
    return this.#informer.hasSynced()
  }

  get isListing(): boolean {
    return this.#started && this.#informer.state === 'listing'
  }

  get isRefused(): boolean {
    return this.#refused
  }

  get objects(): readonly T[] {
    return this.#informer.getStore().list()
  }

  get health(): ScanHealth {
    if (!this.#started) return { state: 'off' }
    const { state, lastError } = this.#informer
    return { state, ...(lastError !== undefined && { error: messageOf(lastError) }) }
  }

  start(): void {
    if (this.#started) return
    this.#started = true
    const { supervisor, resource, onChange } = this.#options
    this.#informer.subscribe((change) => {
      if (!this.#informer.hasSynced()) return
      const now = change.type === 'delete' ? undefined : change.object
      const before = change.type === 'delete' ? change.object : change.type === 'update' ? change.old : undefined
      onChange({ now, before })
    })
    void supervisor.start(`watch of ${resource.plural}`, (signal) => this.#informer.run(signal))
    this.#informer.whenSynced().then(
      () => {
        this.#answer()
        onChange(undefined)
      },
      () => {},
    )
  }

  /** Resolves when the first list is there, or refused. */
  whenAnswered(): Promise<void> {
    return this.#answered
  }

  #failed(error: unknown): void {
    const { runtime, resource, consequence } = this.#options
    if (!(error instanceof ForbiddenError)) {
      return runtime.logger.warn(`The watch of ${resource.plural} failed and goes on: ${String(error)}`)
    }
    if (!this.#refused) runtime.logger.warn(forbiddenScan(resource, consequence, error))
    this.#refused = true
    this.#answer()
  }

  #granted(): void {
    if (!this.#refused) return
    this.#refused = false
    this.#options.runtime.logger.info(`The operator may watch ${this.#options.resource.plural} now.`)
  }
}
