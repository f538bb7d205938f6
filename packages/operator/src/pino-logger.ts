import type { Logger } from '@binnacle/core'

/** The part of a pino logger that is used: fields come before the message there. Bunyan has the same. */
export interface PinoLike {
  debug(fields: object, message?: string): void
  info(fields: object, message?: string): void
  warn(fields: object, message?: string): void
  error(fields: object, message?: string): void
  child(fields: object): PinoLike
  isLevelEnabled?(level: string): boolean
  /** By which it is told from a logger that takes the message first. */
  readonly bindings?: () => object
}

/** Whether a logger takes fields before the message. pino's has `bindings` and a symbol or two; ours has neither. */
export function isPinoLike(logger: Logger | PinoLike): logger is PinoLike {
  return typeof (logger as PinoLike).bindings === 'function'
}

/**
 * A pino logger as Binnacle calls it.
 * Guarantees: an error goes to `err`, where pino's serializer expects it; children are pino's own children, so that its levels, redaction and
 * transports apply.
 */
export function fromPino(pino: PinoLike): Logger {
  const at =
    (level: 'debug' | 'info' | 'warn' | 'error') =>
    (message: string | Error, fields: object = {}) => {
      if (typeof message !== 'string') return pino[level]({ ...fields, err: message }, message.message)
      const { error, ...rest } = fields as { readonly error?: unknown }
      pino[level](error instanceof Error ? { ...rest, err: error } : fields, message)
    }
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: (fields) => fromPino(pino.child(fields)),
    isLevelEnabled: (level) => pino.isLevelEnabled?.(level) ?? true,
  }
}
