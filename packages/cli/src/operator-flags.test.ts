import { describe, expect, it } from 'vitest'
import { type OperatorFlags, runOptions } from './operator-flags.ts'

const given = (flags: OperatorFlags) => runOptions(flags)

describe('the flags of an operator', () => {
  it('say nothing where nothing is given', () => {
    expect(given({})).toEqual({})
  })

  it('say how much is logged, and how', () => {
    expect(given({ verbose: true })).toEqual({ logger: { level: 'debug' } })
    expect(given({ quiet: true, 'log-format': 'json' })).toEqual({ logger: { level: 'warn', format: 'json' } })
    expect(given({ 'log-prefix': false, 'log-refkey': 'k8s' })).toEqual({ logger: { prefix: false, refkey: 'k8s' } })
    expect(given({ verbose: true, 'log-level': 'error' })).toEqual({ logger: { level: 'error' } })
  })

  it('freeze objects for --debug', () => {
    expect(given({ debug: true })).toEqual({ dev: true, logger: { level: 'debug' } })
  })

  it('refuse loud and quiet at once', () => {
    expect(() => given({ verbose: true, quiet: true })).toThrow('--verbose and --quiet contradict each other')
    expect(() => given({ debug: true, quiet: true })).toThrow('--debug and --quiet contradict each other')
  })

  it('say where health is served: a port, or an address', () => {
    expect(given({ health: '8080' })).toEqual({ health: { port: 8080 } })
    expect(given({ health: '0.0.0.0:80' })).toEqual({ health: { port: 80, host: '0.0.0.0' } })
    expect(given({ health: '[::1]:80' })).toEqual({ health: { port: 80, host: '::1' } })
    for (const health of ['web', '99999', ':80', '']) expect(() => given({ health })).toThrow('is neither a port nor')
  })
})
