import { VirtualClock } from '@binnacle/core'
import { describe, expect, it } from 'vitest'
import type { PinoLike } from './pino-logger.ts'
import { runLogger } from './run-logger.ts'

/** As pino is seen from outside: fields first, children with bindings of their own. */
function pino(lines: object[], bound: object = {}): PinoLike {
  const at = (level: string) => (fields: object, message?: string) =>
    void lines.push({ level, ...bound, ...fields, message })
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: (fields) => pino(lines, { ...bound, ...fields }),
    bindings: () => bound,
  }
}

describe('a pino logger', () => {
  it('gets fields before the message, and the object by a child of its own', () => {
    const lines: object[] = []
    const logger = runLogger(pino(lines), new VirtualClock()).child({ object: { name: 'a' } })
    logger.info('hello', { a: 1 })
    logger.debug('plain')
    expect(lines).toEqual([
      { level: 'info', object: { name: 'a' }, a: 1, message: 'hello' },
      { level: 'debug', object: { name: 'a' }, message: 'plain' },
    ])
  })

  it('gets errors where its serializer looks for them', () => {
    const lines: object[] = []
    const logger = runLogger(pino(lines), new VirtualClock())
    const error = new TypeError('wrong')
    logger.error(error, { a: 1 })
    logger.warn('odd', { error })
    expect(lines).toEqual([
      { level: 'error', a: 1, err: error, message: 'wrong' },
      { level: 'warn', err: error, message: 'odd' },
    ])
  })
})

it('a logger that takes the message first is used as it is', () => {
  const logger = { debug() {}, info() {}, warn() {}, error() {}, child: () => logger }
  expect(runLogger(logger, new VirtualClock())).toBe(logger)
})
