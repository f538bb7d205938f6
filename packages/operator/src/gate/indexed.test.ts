import { VirtualClock } from '@binnacle/core'
import { describe, expect, it } from 'vitest'
import { logbook } from '../../test/sample.ts'
import { type GatedStream, IndexedGate } from './indexed.ts'

const stream = (resource: string, indexed = true, namespace = '*'): GatedStream => ({
  resource,
  namespace,
  indexed,
  received: () => ({ objects: 0 }),
})
const gateOf = (...streams: GatedStream[]) => {
  const gate = new IndexedGate()
  gate.admit(streams)
  return gate
}
const isOpen = (gate: IndexedGate, resource = 'widgets', namespace?: string) =>
  gate.closedTo(resource, namespace) === undefined

describe('at the start', () => {
  it('is open where no index reads anything', () => {
    expect(isOpen(gateOf(stream('widgets', false)))).toBe(true)
  })

  it('opens for all with the last kind that was missing, and not before', () => {
    const gate = gateOf(stream('pods'), stream('nodes'), stream('widgets', false))
    expect(isOpen(gate)).toBe(false)
    gate.listed('pods', '*')
    expect(gate.progress).toEqual({ open: false, listed: 1, of: 2, awaited: [{ resource: 'nodes', objects: 0 }] })
    expect(isOpen(gate)).toBe(false)
    expect(isOpen(gate, 'pods', 'default')).toBe(false)
    gate.listed('nodes', '*')
    expect(isOpen(gate)).toBe(true)
    expect(gate.progress).toEqual({ open: true, listed: 2, of: 2, awaited: [] })
  })

  it('does not care for kinds that no index reads, nor for hearing of one twice', () => {
    const gate = gateOf(stream('pods'), stream('widgets', false))
    gate.listed('widgets', '*')
    gate.listed('strangers', '*')
    expect(isOpen(gate)).toBe(false)
    gate.listed('pods', '*')
    gate.listed('pods', '*')
    expect(isOpen(gate)).toBe(true)
  })

  it('stays closed for all while one indexed kind is refused, because an index without it would lie', () => {
    const gate = gateOf(stream('pods'), stream('widgets', false))
    gate.refused('pods', '*')
    expect(isOpen(gate)).toBe(false)
    gate.admit([stream('gadgets', false)])
    expect(isOpen(gate, 'gadgets')).toBe(false)
    gate.listed('pods', '*')
    expect([isOpen(gate), isOpen(gate, 'gadgets')]).toEqual([true, true])
  })

  it('does not wait for a kind that has disappeared', () => {
    const gate = gateOf(stream('pods'), stream('widgets', false))
    gate.dropped('pods', '*')
    expect(isOpen(gate)).toBe(true)
    expect(gate.progress).toEqual({ open: true, listed: 0, of: 0, awaited: [] })
  })

  it('tells all who wait for the same by one promise', async () => {
    const gate = gateOf(stream('pods'), stream('widgets', false))
    const waiting = gate.closedTo('pods', 'default')
    expect(gate.closedTo('widgets', 'other')).toBe(waiting)
    gate.listed('pods', '*')
    await waiting
  })
})

describe('later', () => {
  const opened = () => {
    const gate = gateOf(stream('pods'), stream('widgets', false))
    gate.listed('pods', '*')
    return gate
  }

  it('keeps back the objects of a kind that is indexed itself, and nobody else', () => {
    const gate = opened()
    gate.admit([stream('gadgets')])
    expect([isOpen(gate, 'gadgets'), isOpen(gate)]).toEqual([false, true])
    expect(gate.progress).toMatchObject({ open: true, listed: 1, of: 2 })
    gate.listed('gadgets', '*')
    expect(isOpen(gate, 'gadgets')).toBe(true)
  })

  it('keeps back a kind that came together with, or after, an indexed one that is not listed yet', () => {
    const gate = opened()
    gate.admit([stream('gadgets'), stream('gizmos', false)])
    gate.admit([stream('doodads', false)])
    expect([isOpen(gate, 'gizmos'), isOpen(gate, 'doodads')]).toEqual([false, false])
    gate.listed('gadgets', '*')
    expect([isOpen(gate, 'gizmos'), isOpen(gate, 'doodads')]).toEqual([true, true])
  })

  it('keeps back the objects of a namespace, and not those of others', () => {
    const gate = gateOf(stream('pods', true, 'a'), stream('widgets', false, 'a'))
    gate.listed('pods', 'a')
    gate.admit([stream('pods', true, 'b'), stream('widgets', false, 'b')])
    expect([isOpen(gate, 'widgets', 'a'), isOpen(gate, 'widgets', 'b')]).toEqual([true, false])
    expect(gate.progress.awaited).toEqual([{ resource: 'pods', namespace: 'b', objects: 0 }])
    gate.listed('pods', 'b')
    expect(isOpen(gate, 'widgets', 'b')).toBe(true)
  })

  it('keeps back those that came with a refused one, but not those that came on their own', () => {
    const gate = opened()
    gate.admit([stream('gadgets'), stream('gizmos', false)])
    gate.admit([stream('doodads', false)])
    gate.refused('gadgets', '*')
    gate.admit([stream('whatnots', false)])
    expect(['gizmos', 'doodads', 'whatnots'].map((kind) => isOpen(gate, kind))).toEqual([false, true, true])
    gate.dropped('gadgets', '*')
    expect(isOpen(gate, 'gizmos')).toBe(true)
  })
})

it('says what it waits for when that takes long, at the start and later, and is silent otherwise', async () => {
  const { lines, logger } = logbook()
  const clock = new VirtualClock()
  const stop = new AbortController()
  const nodes = { ...stream('nodes'), received: () => ({ objects: 3, of: 7 }) }
  const gate = gateOf(stream('pods'), nodes)
  const reported = gate.report(clock, logger, stop.signal)
  gate.listed('pods', '*')
  await clock.advance(4)
  expect(lines).toEqual([])
  await clock.advance(1)
  expect(lines.splice(0)).toEqual([
    'warn Handlers wait for the indices: 1 of 2 lists are complete, awaited: nodes (3 of 7 objects).',
  ])
  gate.listed('nodes', '*')
  await clock.advance(60)
  expect([lines, clock.sleeping]).toEqual([[], 0])
  gate.admit([stream('gadgets', true, 'x')])
  await clock.advance(6)
  expect(lines).toEqual([
    'warn Handlers of what has appeared since the start wait for the indices: 2 of 3 lists are complete, awaited: gadgets in x (0 objects so far).',
  ])
  stop.abort()
  await reported
  expect(clock.sleeping).toBe(0)
})
