import { describe, expect, it } from 'vitest'
import { kex } from '../../test/sample.ts'
import { patchDraft } from '../outcome/patch.ts'
import type { Progress } from './progress.ts'
import type { StoragePatch } from './storage.ts'
import { annotationsProgress } from './store.ts'

const KEY = 'hello.binnacle.dev/progress.create'
const storage = annotationsProgress({ prefix: 'hello.binnacle.dev' })
const record: Progress = {
  started: '2026-01-01T00:00:00.000Z',
  purpose: 'create',
  retries: 1,
  success: false,
  failure: false,
  essence: 'A',
}
const changesOf = (write: (patch: StoragePatch) => void, changes: { [key: string]: string } = {}) => {
  const patch = patchDraft().patch as StoragePatch
  Object.assign(patch.metadata.annotations, changes)
  write(patch)
  return patch.metadata.annotations
}
const carrying = (text: string) => kex({ annotations: { [KEY]: text } })

it('finds what it has stored', () => {
  const changes = changesOf((into) => storage.store('create', record, kex(), into))
  expect(Object.keys(changes)).toEqual([KEY])
  expect(storage.fetch('create', carrying(changes[KEY] ?? ''))).toEqual(record)
})

it('writes nothing where nothing has changed', () => {
  const body = carrying(JSON.stringify(record))
  expect(changesOf((into) => storage.store('create', record, body, into))).toEqual({})
})

it('finds nothing on an object that carries nothing, nor what is another handler’s or another operator’s', () => {
  const body = carrying(JSON.stringify(record))
  expect(storage.fetch('create', kex())).toBeUndefined()
  expect(storage.fetch('update', body)).toBeUndefined()
  expect(annotationsProgress({ prefix: 'other.binnacle.dev' }).fetch('create', body)).toBeUndefined()
})

describe('takes away', () => {
  it('what is there', () => {
    expect(changesOf((into) => storage.purge('create', carrying('{}'), into))).toEqual({ [KEY]: null })
  })

  it('nothing where nothing is', () => {
    expect(changesOf((into) => storage.purge('create', kex(), into))).toEqual({})
  })

  it('what was to be written a moment ago', () => {
    expect(changesOf((into) => storage.purge('create', kex(), into), { [KEY]: 'x', other: 'y' })).toEqual({
      other: 'y',
    })
  })
})

describe('a record that somebody has edited reads as none, and the handler starts over', () => {
  it.each([
    ['not JSON', '{'],
    ['not a record', '[]'],
    ['null', 'null'],
    ['a number', '7'],
    ['no start', '{"retries":1}'],
    ['a start that is no time', JSON.stringify({ ...record, started: 'soon' })],
    ['a delay that is no time', JSON.stringify({ ...record, delayed: 'later' })],
    ['no number of attempts', JSON.stringify({ ...record, retries: '1' })],
    ['a negative number of attempts', JSON.stringify({ ...record, retries: -1 })],
    ['a number of attempts without end', '{"started":"2026-01-01T00:00:00Z","retries":1e999}'],
  ])('%s', (_, text) => {
    expect(storage.fetch('create', carrying(text))).toBeUndefined()
  })
})
