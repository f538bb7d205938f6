import { VirtualClock } from '@binnacle/core'
import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import { runLogger } from './run-logger.ts'

/** A real pino logger, and what it has written. */
function recorded(options: object = {}) {
  const lines: Record<string, unknown>[] = []
  const logger = pino(
    { base: null, timestamp: false, ...options },
    { write: (line) => void lines.push(JSON.parse(line)) },
  )
  return { lines, logger: runLogger(logger, new VirtualClock()) }
}

describe('a pino logger', () => {
  it('gets fields before the message, and the object by a child of its own', () => {
    const { lines, logger } = recorded({ level: 'debug' })
    const ofObject = logger.child({ object: { name: 'a' } })
    ofObject.info('hello', { a: 1 })
    ofObject.debug('plain')
    expect(lines).toEqual([
      { level: 30, object: { name: 'a' }, a: 1, msg: 'hello' },
      { level: 20, object: { name: 'a' }, msg: 'plain' },
    ])
  })

  it('gets errors where its serializer looks for them', () => {
    const { lines, logger } = recorded()
    const error = new TypeError('wrong')
    logger.error(error, { a: 1 })
    logger.warn('odd', { error })
    expect(lines).toMatchObject([
      { level: 50, a: 1, err: { type: 'TypeError', message: 'wrong' }, msg: 'wrong' },
      { level: 40, err: { type: 'TypeError', message: 'wrong' }, msg: 'odd' },
    ])
  })

  it('keeps its level and its redaction', () => {
    const { lines, logger } = recorded({ level: 'warn', redact: ['token'] })
    expect([logger.isLevelEnabled?.('info'), logger.isLevelEnabled?.('warn')]).toEqual([false, true])
    logger.info('unheard')
    logger.warn('heard', { token: 'secret' })
    expect(lines).toEqual([{ level: 40, token: '[Redacted]', msg: 'heard' }])
  })
})

it('a logger that takes the message first is used as it is', () => {
  const logger = { debug() {}, info() {}, warn() {}, error() {}, child: () => logger }
  expect(runLogger(logger, new VirtualClock())).toBe(logger)
})
