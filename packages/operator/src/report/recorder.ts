import { formatObjectName, type KubeObject, type Logger, messageOf, objectName } from '@binnacle/core'
import type { Said } from './observer.ts'

export interface EventOptions {
  /** Another object than that of the handler, or several. */
  readonly about?: KubeObject | readonly KubeObject[]
  readonly related?: KubeObject
  readonly action?: string
}

/** Posts Kubernetes events: equal ones are counted, floods are damped, and failures never reach the handler. */
export interface EventRecorder {
  event(type: string, reason: string, message: string, options?: EventOptions): void
  info(reason: string, message: string, options?: EventOptions): void
  warn(reason: string, message: string, options?: EventOptions): void
  /** A warning with the name and the message of an error; the reason defaults to the error's name. */
  exception(error: unknown, options?: EventOptions & { readonly reason?: string; readonly message?: string }): void
}

/** Something that was said about an object. */
export interface Remark {
  readonly object: KubeObject
  readonly related: KubeObject | undefined
  readonly type: string
  readonly reason: string
  readonly message: string
  readonly action: string | undefined
  /** How much it matters; undefined for what is always posted. */
  readonly level: 'debug' | 'info' | 'warn' | 'error' | undefined
}

/** A remark in the words of an observer. */
export function saidIn({ type, reason, message, object }: Remark, at: Date): Said {
  return { type, reason, message, about: `${object.kind} ${formatObjectName(objectName(object))}`, at }
}

/** Kubernetes' limit for the message of an event. */
const LONGEST = 1024

/** What handlers of one object hold: turns words into remarks. */
export function recorderOf(object: KubeObject, remark: (remark: Remark) => void): EventRecorder {
  const at =
    (level: Remark['level']) =>
    (type: string, reason: string, message: string, options: EventOptions = {}) => {
      const { about = object, related, action } = options
      for (const each of Array.isArray(about) ? (about as readonly KubeObject[]) : [about as KubeObject]) {
        remark({ object: each, related, type, reason, message: shortened(message), action, level })
      }
    }
  return {
    event: at(undefined),
    info: (reason, message, options) => at('info')('Normal', reason, message, options),
    warn: (reason, message, options) => at('warn')('Warning', reason, message, options),
    exception: (error, { reason, message, ...options } = {}) => {
      const { name, message: said } = error instanceof Error ? error : new Error(String(error))
      at('error')('Warning', reason ?? name, message ?? said, options)
    },
  }
}

/** A logger whose lines are also said about the object, as Kopf can do. */
export function postingLogger(logger: Logger, object: KubeObject, remark: (remark: Remark) => void): Logger {
  const at = (level: 'debug' | 'info' | 'warn' | 'error') => (message: string | Error, fields?: object) => {
    logger[level](message as string, fields)
    const type = level === 'warn' || level === 'error' ? 'Warning' : 'Normal'
    const said = shortened(messageOf(message))
    remark({ object, related: undefined, type, reason: 'Logging', message: said, action: undefined, level })
  }
  const child = (fields: object) => postingLogger(logger.child(fields), object, remark)
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error'), child }
}

/** The beginning and the end say most. */
function shortened(message: string): string {
  if (message.length <= LONGEST) return message
  const half = Math.floor((LONGEST - 3) / 2)
  return `${message.slice(0, half)}...${message.slice(-half)}`
}
