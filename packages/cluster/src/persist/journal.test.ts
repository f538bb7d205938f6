import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { KubeObject } from '../object.ts'
import { Storage } from '../storage/storage.ts'
import { Journal } from './journal.ts'

let directory: string
const file = () => join(directory, 'data')
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'journal-'))
})
afterEach(() => rmSync(directory, { recursive: true }))

const object = (name: string, value: string): KubeObject => ({ kind: 'T', apiVersion: 'v1', metadata: { name }, value })

function open(compactAfter?: number) {
  const options = {
    file: file(),
    durability: 'process' as const,
    ...(compactAfter === undefined ? {} : { compactAfter }),
  }
  const { journal, contents } = Journal.open(options)
  const storage = new Storage(10)
  if (contents) storage.restore(contents.objects, contents.revision)
  journal.begin(storage, { secret: 'x' })
  storage.keepIn(journal)
  return { journal, storage, contents }
}

const shown = (storage: Storage) =>
  storage.objects().map(({ table, key, revision, object: o }) => [table, key, revision, o.value])

it('is the same storage again, however often it was opened and made smaller on the way (property)', () => {
  const step = fc.record({
    key: fc.constantFrom('a', 'b', 'c'),
    value: fc.option(fc.string(), { nil: undefined }),
    reopen: fc.boolean(),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 25 }), fc.constantFrom(0, 200, 100_000), (steps, compactAfter) => {
      rmSync(file(), { force: true })
      let { journal, storage } = open(compactAfter)
      for (const { key, value, reopen } of steps) {
        if (value === undefined) storage.remove(storage.table('t'), key)
        else storage.put(storage.table('t'), key, object(key, value))
        if (!reopen) continue
        const [before, revision] = [shown(storage), storage.revision.current]
        journal.close()
        ;({ journal, storage } = open(compactAfter))
        expect([shown(storage).sort(), storage.revision.current]).toEqual([before.sort(), revision])
      }
      journal.close()
    }),
    { numRuns: 40 },
  )
})

it('does not grow for ever', () => {
  const { journal, storage } = open(10_000)
  for (let i = 0; i < 500; i++) storage.put(storage.table('t'), 'a', object('a', 'x'.repeat(500)))
  expect(statSync(file()).size).toBeLessThan(20_000)
  expect(readdirSync(directory).sort()).toEqual(['data', 'data.lock'])
  journal.close()
})

it('refuses a write that cannot be kept, and nothing has changed then', () => {
  const { journal, storage } = open()
  storage.put(storage.table('t'), 'a', object('a', '1'))
  journal.close()
  const heard: string[] = []
  storage.onChange((_, { record }) => heard.push(record.name))
  expect(() => storage.put(storage.table('t'), 'a', object('a', '2'))).toThrow(/data file .* cannot be written/)
  expect(() => storage.remove(storage.table('t'), 'a')).toThrow(/cannot be written/)
  expect(shown(storage)).toEqual([['t', 'a', 101, '1']])
  expect([storage.revision.current, heard]).toEqual([101, []])
})
