import type { AnyObject, Clock, Logger, ResourceInfo, ResourceLikes, Runtime } from '@binnacle/core'
import { noMetrics, resource, silentLogger } from '@binnacle/core'
import { type ChangeHandler, type ChangeVerb, changeHandler, type DeclaredOptions } from '../src/declare/handler.ts'
import type { ServedKind } from '../src/declare/served-kind.ts'
import { recorderOf } from '../src/report/recorder.ts'

/** The kind that most tests are about. */
export const Kex = resource({ group: 'kopf.dev', version: 'v1', kind: 'KopfExample', plural: 'kopfexamples' })

type Meta = Partial<AnyObject['metadata']>

/** An object as a server would send it. */
export function kex(meta: Meta = {}, stanzas: { readonly [stanza: string]: unknown } = {}): AnyObject {
  const { name = 'a', namespace = 'default', uid = 'uid-a', resourceVersion = '1', ...rest } = meta
  const metadata = { name, namespace, uid, resourceVersion, ...rest }
  return { apiVersion: 'kopf.dev/v1', kind: 'KopfExample', metadata, ...stanzas }
}

/** A handler as declared, of a function that does nothing unless one is given. */
export function handler(
  reason: ChangeVerb,
  options: DeclaredOptions = {},
  fn: (context: never) => unknown = function act() {},
  of: ResourceLikes = Kex,
): ChangeHandler {
  return changeHandler(reason, of, [options, fn])
}

/** The kind as the server has it, with handlers on it. */
export function served(
  handlers: readonly ChangeHandler[] = [],
  subresources: readonly string[] = ['status'],
): ServedKind {
  const info = {
    ...Kex,
    namespaced: true,
    preferred: true,
    verbs: ['get', 'list', 'watch', 'patch'],
    subresources,
  } as ResourceInfo
  const tracked = handlers.flatMap(({ filters }) => (filters.field ? [filters.field] : []))
  return { info, resource: Kex, handlers, conditions: false, events: [], background: [], indices: new Set(), tracked }
}

export function runtime(clock: Clock, logger: Logger = silentLogger): Runtime {
  return { clock, logger, random: () => 0.5, metrics: noMetrics }
}

/** A logger that keeps its lines. */
export function logbook(): { readonly lines: string[]; readonly logger: Logger } {
  const lines: string[] = []
  const write = (level: string) => (message: string | Error) => void lines.push(`${level} ${String(message)}`)
  const logger: Logger = {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    child: () => logger,
  }
  return { lines, logger }
}

/** Whoever posts events here is not heard. */
export const noEvents = recorderOf(kex(), () => {})
