import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { apiError } from './api-error.ts'
import { BinnacleError } from './errors.ts'
import { createLogger, formatLogLine, type LogEntry, type LoggerOptions } from './log-line.ts'

const time = new Date('2026-01-01T00:00:00.250Z')
const object = { apiVersion: 'v1', kind: 'Pod', namespace: 'shop', name: 'web', uid: 'u-1' }
const entry = (given: Partial<LogEntry> = {}): LogEntry => ({
  time,
  level: 'info',
  message: 'done',
  fields: {},
  ...given,
})

function written(options: Partial<LoggerOptions> = {}) {
  const lines: string[] = []
  return {
    lines,
    logger: createLogger({ format: 'plain', now: () => time, write: (line) => lines.push(line), ...options }),
  }
}

describe('a line of text', () => {
  it('shows time, level, object, message and fields', () => {
    expect(formatLogLine(entry({ fields: { object, took: 3, phase: 'Ready now' } }), 'text')).toBe(
      '2026-01-01T00:00:00.250Z INFO  [shop/web] done took=3 phase="Ready now"',
    )
  })

  it('leaves out time and level in the plain format', () => {
    expect(formatLogLine(entry({ fields: { object, node: 'n1' } }), 'plain')).toBe('[shop/web] done node=n1')
  })

  it('names an object at cluster scope by its name alone', () => {
    expect(formatLogLine(entry({ fields: { object: { kind: 'Node', name: 'n1' } } }), 'plain')).toBe('[n1] done')
  })

  it('does not name the object when the prefix is switched off', () => {
    expect(formatLogLine(entry({ fields: { object } }), 'plain', { prefix: false })).toBe('done')
  })

  it('prints a field called object that is no reference like any other field', () => {
    expect(formatLogLine(entry({ fields: { object: 'chair' } }), 'plain')).toBe('done object=chair')
  })

  it('leaves out fields without a value', () => {
    expect(formatLogLine(entry({ fields: { a: undefined, b: null } }), 'plain')).toBe('done b=null')
  })

  it('colours the level, and ends each colour', () => {
    const line = formatLogLine(entry({ level: 'error', fields: { object } }), 'text', { color: true })
    expect(line).toContain('\u001b[31mERROR\u001b[39m')
    const ends = line.split('\u001b[39m').length - 1
    expect(line.split('\u001b[').length - 1).toBe(2 * ends)
  })

  it('lets no message forge an entry or steer a terminal', () => {
    const message = 'fine\n2026-01-01T00:00:00.000Z ERROR forged\u001b[2J\r'
    const fields = { 'a\nb': 'c\u001b[2Jd', object: { name: 'x\ny' } }
    const line = formatLogLine(entry({ message, fields }), 'text')
    expect(
      line
        .split('\n')
        .slice(1)
        .every((following) => following.startsWith('  ')),
    ).toBe(true)
    expect(line).not.toContain('\u001b')
    expect(line).not.toContain('\r')
    expect(line).toContain('\\u001b[2J')
  })
})

describe('a line of JSON', () => {
  it('carries time, severity, message, the object and the fields', () => {
    const line = formatLogLine(entry({ fields: { object, took: 3 } }), 'json')
    expect(JSON.parse(line)).toEqual({
      timestamp: '2026-01-01T00:00:00.250Z',
      severity: 'info',
      message: 'done',
      object,
      took: 3,
    })
  })

  it('keeps the object under the key that was asked for, and of it the reference only', () => {
    const line = formatLogLine(entry({ fields: { object: { ...object, spec: { secret: 1 } } } }), 'json', {
      refkey: 'k8s',
    })
    expect(JSON.parse(line)).toMatchObject({ k8s: object })
    expect(line).not.toContain('secret')
  })

  it('begins the message with the object when asked to', () => {
    const line = formatLogLine(entry({ fields: { object } }), 'json', { prefix: true })
    expect(JSON.parse(line)).toMatchObject({ message: '[shop/web] done', object })
  })

  it('does not let a field take the place of what every line has', () => {
    const line = formatLogLine(entry({ fields: { message: 'other', severity: 9 } }), 'json')
    expect(JSON.parse(line)).toMatchObject({ message: 'done', severity: 'info', message_: 'other', severity_: 9 })
  })

  it('is one line, parses, and never throws, whatever the fields hold', () => {
    const fields = fc.dictionary(fc.string(), fc.anything({ withBigInt: true, withDate: true, withMap: true }))
    fc.assert(
      fc.property(fc.string(), fields, (message, held) => {
        const line = formatLogLine(entry({ message, fields: held }), 'json')
        expect(line).not.toContain('\n')
        expect(JSON.parse(line)).toMatchObject({ message })
        expect(formatLogLine(entry({ message, fields: held }), 'text')).toContain('2026-01-01')
      }),
    )
  })

  it('says that a value cannot be shown instead of throwing', () => {
    const circle: { self?: unknown } = {}
    circle.self = circle
    const hostile = {
      toJSON() {
        throw new Error('no')
      },
    }
    const parsed = JSON.parse(formatLogLine(entry({ fields: { circle, hostile, fine: 1 } }), 'json'))
    expect(parsed).toMatchObject({
      circle: expect.stringContaining('cannot be shown'),
      hostile: 'cannot be shown: no',
      fine: 1,
    })
  })
})

describe('an error in an entry', () => {
  const ours = new BinnacleError('BIN_NETWORK', { message: 'No answer', hint: 'Start the server.', fix: 'npm start' })

  it('shows the stack when the error is none of ours', () => {
    const error = new TypeError('boom')
    const line = formatLogLine(entry({ message: 'handler failed', fields: { error } }), 'plain')
    expect(line.split('\n').slice(0, 3)).toEqual([
      'handler failed error=boom',
      '  TypeError: boom',
      expect.stringMatching(/^ {6}at /),
    ])
  })

  it('shows what to do, and no stack, when it is one of ours', () => {
    const line = formatLogLine(entry({ message: 'No answer', fields: { error: ours } }), 'plain')
    expect(line).toBe('No answer\n  Start the server.\n    npm start')
    const status = { code: 404, reason: 'NotFound', message: 'pods "a" not found' }
    const error = apiError(status, { request: { method: 'GET', path: '/' } })
    expect(formatLogLine(entry({ message: 'gone', fields: { error } }), 'plain')).toBe(
      'gone error="pods \\"a\\" not found"',
    )
  })

  it('shows the stack of ours as well in entries of level debug', () => {
    expect(formatLogLine(entry({ level: 'debug', fields: { error: ours } }), 'plain')).toMatch(/\n {6}at /)
  })

  it('shows what caused it, and ends where a cause is its own cause', () => {
    const error = new BinnacleError('BIN_TASK', { message: 'The task failed', cause: new Error('root') })
    expect(formatLogLine(entry({ fields: { error } }), 'plain')).toMatch(/caused by:\n {2}Error: root\n {6}at /)
    const own = new Error('own')
    own.cause = own
    expect(formatLogLine(entry({ fields: { error: own } }), 'text')).toContain('caused by')
    expect(JSON.parse(formatLogLine(entry({ fields: { error: own } }), 'json'))).toMatchObject({ message: 'done' })
  })

  it('becomes an object in JSON, with its code and hint', () => {
    const parsed = JSON.parse(formatLogLine(entry({ fields: { error: ours, other: new TypeError('boom') } }), 'json'))
    expect(parsed.error).toEqual({
      name: 'BinnacleError',
      message: 'No answer',
      code: 'BIN_NETWORK',
      hint: 'Start the server.',
      fix: 'npm start',
    })
    expect(parsed.other).toMatchObject({ name: 'TypeError', message: 'boom', stack: expect.stringContaining('at ') })
  })
})

describe('a logger', () => {
  it('writes what is at its level or above', () => {
    const all = (level: LoggerOptions['level']) => {
      const { lines, logger } = written(level ? { level } : {})
      logger.debug('d')
      logger.info('i')
      logger.warn('w')
      logger.error('e')
      return lines.join('')
    }
    expect([all(undefined), all('debug'), all('warn'), all('error'), all('silent')]).toEqual([
      'iwe',
      'diwe',
      'we',
      'e',
      '',
    ])
  })

  it('tells which levels are shown, as do its children', () => {
    const { logger } = written({ level: 'warn' })
    const shown = (['debug', 'info', 'warn', 'error'] as const).filter((level) => logger.isLevelEnabled?.(level))
    expect(shown).toEqual(['warn', 'error'])
    expect(logger.child({ a: 1 }).isLevelEnabled?.('info')).toBe(false)
  })

  it('gives its fields to its children, who may replace them', () => {
    const { lines, logger } = written()
    const child = logger.child({ object, a: 1 }).child({ a: 2, b: 3 })
    child.info('hello', { b: 4 })
    logger.info('hello')
    expect(lines).toEqual(['[shop/web] hello a=2 b=4', 'hello'])
  })

  it('takes an error in the place of the message', () => {
    const { lines, logger } = written()
    logger.error(new BinnacleError('BIN_STATE', { message: 'Too late', hint: 'Come earlier.' }))
    expect(lines).toEqual(['Too late\n  Come earlier.'])
  })

  it('shows every stack when it is verbose', () => {
    const { lines, logger } = written({ level: 'debug' })
    logger.error(new BinnacleError('BIN_STATE', { message: 'Too late' }))
    expect(lines[0]).toMatch(/\n {6}at /)
  })

  it('works when its methods are taken off it', () => {
    const { lines, logger } = written()
    const { info, child } = logger
    info('a')
    child({ x: 1 }).warn('b')
    expect(lines).toEqual(['a', 'b x=1'])
  })
})
