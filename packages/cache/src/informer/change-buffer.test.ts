import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { collected } from '../../test/collected.ts'
import type { Change } from './change.ts'
import { ChangeBuffer } from './change-buffer.ts'

type State = { readonly v: number }
const add = (key: string, v: number): Change<State> => ({ type: 'add', key, object: { v }, isInInitialList: false })
const update = (key: string, from: number, to: number): Change<State> => ({
  type: 'update',
  key,
  old: { v: from },
  object: { v: to },
})
const gone = (key: string, v: number): Change<State> => ({
  type: 'delete',
  key,
  object: { v },
  finalStateUnknown: false,
})

function rest(buffer: ChangeBuffer<State>): Change<State>[] {
  const all: Change<State>[] = []
  for (let change = buffer.take(); change; change = buffer.take()) all.push(change)
  return all
}
const filled = (limit: number, ...changes: Change<State>[]) => {
  const buffer = new ChangeBuffer<State>(limit)
  for (const change of changes) buffer.push(change)
  return buffer
}

/** An object that comes and goes while the buffer is full. */
function passing(buffer: ChangeBuffer<State>, v: number): WeakRef<State> {
  const object = { v }
  buffer.push({ type: 'add', key: 'passing', object, isInInitialList: false })
  buffer.push({ type: 'delete', key: 'passing', object, finalStateUnknown: false })
  return new WeakRef(object)
}

describe('a buffer of changes', () => {
  it('gives each change as it came while there is room', () => {
    const changes = [add('a', 1), update('a', 1, 2), add('b', 1), gone('a', 2)]
    expect(rest(filled(4, ...changes))).toEqual(changes)
  })

  it('merges changes of one object when it is full, in the place of the earlier one', () => {
    expect(rest(filled(2, add('a', 1), update('b', 1, 2), update('a', 1, 2), update('b', 2, 3), gone('b', 4)))).toEqual(
      [add('a', 2), gone('b', 4)],
    )
  })

  it('tells nothing of an object that came and went while it was full', () => {
    const buffer = filled(1, add('a', 1), add('b', 1), gone('b', 1))
    expect(buffer.size).toBe(1)
    expect(rest(buffer)).toEqual([add('a', 1)])
  })

  it('keeps the deletion of an object and the addition of its namesake apart', () => {
    expect(rest(filled(1, update('a', 1, 2), gone('a', 3), add('a', 10), update('a', 10, 11)))).toEqual([
      gone('a', 3),
      add('a', 11),
    ])
  })

  it('stays within its limit and two for each object, however much happens', () => {
    const buffer = new ChangeBuffer<State>(10)
    for (let n = 0; n < 10_000; n++) {
      buffer.push(add('a', n))
      buffer.push(update('a', n, n + 0.5))
      buffer.push(gone('a', n))
    }
    expect(buffer.size).toBeLessThanOrEqual(12)
  })

  it('keeps the order over thousands of changes, also when many of them have come and gone', () => {
    const buffer = new ChangeBuffer<State>(3)
    const told: string[] = []
    const due: string[] = []
    for (let n = 0; n < 5000; n++) {
      buffer.push(add(`stays-${n}`, n))
      for (let m = 0; m < 3; m++) for (const change of [add(`goes-${m}`, n), gone(`goes-${m}`, n)]) buffer.push(change)
      due.push(`stays-${n}`)
      if (n % 1000 < 900) continue
      for (let change = buffer.take(); change && buffer.size > 2; change = buffer.take()) told.push(change.key)
    }
    told.push(...rest(buffer).map(({ key }) => key))
    expect(buffer.size).toBe(0)
    expect(told.filter((key) => key.startsWith('stays')).length).toBeGreaterThan(4000)
    expect(told.filter((key) => key.startsWith('stays'))).toEqual(due.filter((key) => told.includes(key)))
  })

  it('holds nothing of what was taken, nor of what came and went', async () => {
    const buffer = new ChangeBuffer<State>(1)
    buffer.push(add('first', 0))
    const refs = Array.from({ length: 20 }, (_, n) => passing(buffer, n))
    for (const ref of refs) expect(await collected(ref)).toBe(true)
    expect(buffer.size).toBe(1)
  })

  it('calls a mark back when everything before it has been taken', () => {
    const buffer = filled(10, add('a', 1))
    let reached = false
    buffer.mark(() => {
      reached = true
    })
    buffer.take()
    expect(reached).toBe(false)
    buffer.push(add('b', 1))
    buffer.take()
    expect(reached).toBe(true)
  })

  it('leads the reader to the newest state of every object, whatever the limit and whenever it reads', () => {
    const steps = fc.array(
      fc.record({ key: fc.constantFrom('a', 'b', 'c'), read: fc.boolean(), remove: fc.boolean() }),
      {
        maxLength: 60,
      },
    )
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), steps, (limit, history) => {
        const buffer = new ChangeBuffer<State>(limit)
        const [server, reader] = [new Map<string, number>(), new Map<string, number>()]
        const read = (change: Change<State> | undefined) => {
          if (!change) return
          // What the reader is told fits what it knows: no second addition, no change or deletion of the unknown.
          expect(reader.has(change.key)).toBe(change.type !== 'add')
          if (change.type === 'update') expect(reader.get(change.key)).toBe(change.old.v)
          if (change.type === 'delete') reader.delete(change.key)
          else reader.set(change.key, change.object.v)
        }
        for (const [v, step] of history.entries()) {
          const old = server.get(step.key)
          if (old === undefined) buffer.push(add(step.key, v))
          else buffer.push(step.remove ? gone(step.key, old) : update(step.key, old, v))
          if (old !== undefined && step.remove) server.delete(step.key)
          else server.set(step.key, v)
          if (step.read) read(buffer.take())
        }
        for (let change = buffer.take(); change; change = buffer.take()) read(change)
        expect(reader).toEqual(server)
      }),
    )
  })
})

describe('many changes of one step', () => {
  const many = (from: number, count: number) => Array.from({ length: count }, (_, n) => add(`k${from + n}`, 1))

  it('wait as one, come out one by one in their place, and count as what they are', () => {
    const buffer = new ChangeBuffer<State>(4)
    buffer.push(add('first', 1))
    buffer.pushAll(many(0, 300))
    buffer.push(update('k0', 1, 2))
    expect(buffer.size).toBe(302)
    const taken = [...rest(buffer)]
    expect(taken.slice(0, 2).map(({ key }) => key)).toEqual(['first', 'k0'])
    expect(taken.at(-1)).toMatchObject({ type: 'update', key: 'k0' })
    expect([taken.length, buffer.size]).toEqual([302, 0])
  })

  it('do not pile up, however often they come while nobody reads', () => {
    const buffer = new ChangeBuffer<State>(4)
    buffer.pushAll(many(0, 300))
    for (let n = 2; n < 50; n++) {
      buffer.pushAll(Array.from({ length: 300 }, (_, k) => update(`k${k}`, n - 1, n)))
    }
    expect(buffer.size).toBeLessThanOrEqual(4 + 3 * 300)
    const last = new Map(Array.from(rest(buffer), (change) => [change.key, change]))
    for (let k = 0; k < 300; k++) expect(last.get(`k${k}`)).toMatchObject({ object: { v: 49 } })
    buffer.pushAll(many(0, 300))
    buffer.take()
    buffer.clear()
    expect([buffer.size, buffer.take()]).toEqual([0, undefined])
  })
})
