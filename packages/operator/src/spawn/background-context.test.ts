import { inspect } from 'node:util'
import type { Client } from '@binnacle/client'
import { silentLogger } from '@binnacle/core'
import { describe, expect, it } from 'vitest'
import type { BackgroundHandler } from '../declare/daemon.ts'
import type { Stopped } from '../declare/stopped.ts'
import { recorderOf } from '../report/recorder.ts'
import { backgroundContext } from './background-context.ts'

interface Seen {
  readonly [name: string]: unknown
}

const body = {
  apiVersion: 'kopf.dev/v1',
  kind: 'KopfExample',
  metadata: { name: 'a', namespace: 'shop', uid: 'u-1', resourceVersion: '1' },
  spec: { size: 1 },
}

function contextOf(indices: { readonly [name: string]: unknown } = {}) {
  const live = { body }
  const asked: string[] = []
  const ask = <T>(name: string, value: T) => {
    asked.push(name)
    return value
  }
  const surroundings = {
    ...{ resource: {} as never, memo: { seen: 1 }, shared: 'shared', logger: silentLogger, indices },
    events: recorderOf(body, () => {}),
  }
  const context = backgroundContext({
    handler: { id: 'watchful', param: 7 } as unknown as BackgroundHandler,
    get body() {
      return live.body
    },
    ...{ attempt: 2, started: new Date('2026-01-01T00:00:00Z'), runtime: 4, indices },
    surroundings: () => ask('surroundings', surroundings),
    stopped: () => ask('stopped', {} as Stopped),
    signal: () => ask('signal', new AbortController().signal),
    patch: () => ask('patch', {}),
    client: () => ask('client', {} as Client),
    idempotencyKey: () => ask('idempotencyKey', 'k'),
  }) as Seen
  return { context, live, asked }
}

describe('the context of a daemon', () => {
  it('tells what it is called with, and for whom', () => {
    const { context } = contextOf()
    const { uid, name, namespace, retry, started, runtime, param } = context
    expect([uid, name, namespace, retry, runtime, param]).toEqual(['u-1', 'a', 'shop', 2, 4, 7])
    expect(started).toEqual(new Date('2026-01-01T00:00:00Z'))
  })

  it('makes a part when it is asked for, and once', () => {
    const { context, asked } = contextOf()
    expect(asked).toEqual([])
    expect(context['patch']).toBe(context['patch'])
    expect(asked).toEqual(['patch'])
  })

  it('has all of its parts when it is copied, or asked for their names', () => {
    const { context } = contextOf({ pods: 'an index' })
    const copy = { ...context }
    expect(Object.keys(copy)).toEqual(Object.keys(context))
    expect(copy).toMatchObject({ name: 'a', memo: { seen: 1 }, pods: 'an index', idempotencyKey: 'k' })
    expect('spec' in context && !('elsewhere' in context)).toBe(true)
  })

  it('follows the object', () => {
    const { context, live } = contextOf()
    const { spec } = context as { spec: { size: number } }
    live.body = { ...body, spec: { size: 2 } }
    expect(spec.size).toBe(2)
  })

  it('gives an index the better right to a name', () => {
    const { context } = contextOf({ memo: 'an index' })
    expect([context['memo'], { ...context }['memo']]).toEqual(['an index', 'an index'])
  })

  it('says where to write instead, to whoever writes into it', () => {
    const { context } = contextOf()
    expect(() => Object.assign(context, { name: 'b' })).toThrow(/"name" of a context cannot be changed.*`patch`/)
  })

  it('prints as what it is, and makes nothing for it', () => {
    const { context, asked } = contextOf()
    expect(inspect(context)).toMatch(/name: 'a'.*memo/s)
    expect(asked).toEqual([])
  })

  it('inherits what every object does, and nothing else', () => {
    const { context } = contextOf()
    expect(`${context}`).toBe('[object Object]')
    expect(context['elsewhere']).toBeUndefined()
  })
})
