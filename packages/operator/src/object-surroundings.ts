import type { KubeObject, Logger, ResourceInfo, Runtime } from '@binnacle/core'
import type { Scope } from './declare/scope.ts'
import { memoOf, type ObjectMemory } from './object-memory.ts'
import type { EventPoster } from './report/events.ts'
import { type EventRecorder, postingLogger, type Remark, recorderOf, saidIn } from './report/recorder.ts'
import type { Reporter } from './report/reporter.ts'
import type { Surroundings } from './run/context.ts'
import type { Settings } from './settings.ts'

/** What all objects of a run share. */
export interface SharedSurroundings {
  readonly runtime: Runtime
  readonly settings: Settings
  readonly reporter: Reporter
  readonly events: EventPoster
  readonly shared: unknown
  readonly viewsFor: (scope: Scope | undefined) => { readonly [name: string]: unknown }
}

/**
 * What surrounds an object for a set of handlers, or for the operator itself.
 * Guarantees: of the state that the object had when it was made; each part is made when somebody asks for it, since most looks at an object find nothing
 * to do and nobody to tell, and most calls of a timer say nothing.
 */
export class ObjectSurroundings implements Surroundings {
  readonly #run: SharedSurroundings
  readonly #memory: ObjectMemory
  readonly #scope: Scope | undefined
  readonly #body: KubeObject
  #logger: Logger | undefined

  constructor(run: SharedSurroundings, memory: ObjectMemory, scope: Scope | undefined) {
    this.#run = run
    this.#memory = memory
    this.#scope = scope
    this.#body = memory.body
  }

  get resource(): ResourceInfo {
    return this.#memory.kind.info
  }

  get shared(): unknown {
    return this.#run.shared
  }

  get memo(): object {
    return memoOf(this.#memory, this.#scope)
  }

  get indices(): { readonly [name: string]: unknown } {
    return this.#run.viewsFor(this.#scope)
  }

  get logger(): Logger {
    this.#logger ??= this.#makeLogger()
    return this.#logger
  }

  get events(): EventRecorder {
    return recorderOf(this.#body, (remark) => this.#post(remark))
  }

  #makeLogger(): Logger {
    const { runtime, settings } = this.#run
    const { apiVersion, kind, metadata } = this.#body
    const { name, namespace, uid } = metadata
    const object = { apiVersion, kind, name, ...(namespace !== undefined && { namespace }), uid }
    const logger = runtime.logger.child({ object })
    return settings.posting.loggers ? postingLogger(logger, this.#body, (remark) => this.#post(remark)) : logger
  }

  #post(remark: Remark): void {
    const { reporter, runtime, events } = this.#run
    reporter.event?.(saidIn(remark, runtime.clock.now()))
    events.post(remark)
  }
}
