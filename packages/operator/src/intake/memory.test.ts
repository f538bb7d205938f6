import { expect, it } from 'vitest'
import { kex, served } from '../../test/sample.ts'
import { Memories } from './memory.ts'

const kind = served()
const a = kex({ uid: '1', resourceVersion: '1' })

function memories() {
  let made = 0
  return new Memories(() => ({ number: ++made }))
}

it('makes a memory when an object is first seen, and keeps it', () => {
  const subject = memories()
  subject.notice(kind, a, true, 0)
  const memory = subject.get('1')
  expect(memory).toMatchObject({
    uid: '1',
    body: a,
    exists: true,
    initial: true,
    released: false,
    failures: 0,
    memo: { number: 1 },
  })
  const newer = kex({ uid: '1', resourceVersion: '2' })
  subject.notice(kind, newer, false, 0)
  expect(subject.get('1')).toBe(memory)
  expect(memory).toMatchObject({ body: newer, initial: true, memo: { number: 1 } })
})

it('gives an object that was made anew under its name a memory of its own', () => {
  const subject = memories()
  subject.notice(kind, a, false, 0)
  subject.notice(kind, kex({ uid: '2' }), false, 0)
  expect(subject.get('2')?.memo).toEqual({ number: 2 })
  expect(subject.get('1')?.memo).toEqual({ number: 1 })
})

it('remembers the last state of an object that is gone, until it is forgotten', () => {
  const subject = memories()
  const last = kex({ uid: '1', resourceVersion: '9' })
  subject.notice(kind, a, false, 0)
  expect(subject.lose('1', last)).toBe(subject.get('1'))
  expect(subject.get('1')).toMatchObject({ exists: false, body: last })
  subject.forget('1')
  expect(subject.get('1')).toBeUndefined()
})

it('knows what it has never seen', () => {
  expect(memories().lose('1', a)).toBeUndefined()
})

it('takes an object for alive that was believed to be gone and is seen again', () => {
  // A list from a server that lags behind may miss an object that the next one has.
  const subject = memories()
  subject.notice(kind, a, false, 0)
  subject.lose('1', a)
  subject.notice(kind, a, false, 0)
  expect(subject.get('1')?.exists).toBe(true)
})
