import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../json.ts'
import type { KubeObject } from '../object.ts'
import { formatName, headRecords, putRecord, readContents, removeRecord } from './data-file.ts'
import { DataFileError } from './data-file-error.ts'
import { encodeLine } from './record-line.ts'

const object = (name: string, value: string): KubeObject => ({ kind: 'T', apiVersion: 'v1', metadata: { name }, value })

type Step = { readonly key: string; readonly value: string | undefined }
const steps = fc.array(
  fc.record({
    key: fc.constantFrom('a', 'b', 'c'),
    value: fc.option(fc.string({ unit: 'binary' }), { nil: undefined }),
  }),
  { maxLength: 12 },
)

/** A file that begins with a snapshot at 100, and every state on the way. */
function history(list: readonly Step[]) {
  const lines = headRecords(100, 0, { s: 1 }).map(encodeLine)
  const state = new Map<string, string>()
  const states = [{ at: size(lines), shown: shown(state), revision: 100 }]
  let revision = 100
  for (const { key, value } of list) {
    if (value === undefined && !state.has(key)) continue
    revision++
    if (value === undefined) state.delete(key)
    else state.set(key, value)
    const record: JsonObject =
      value === undefined
        ? removeRecord('t', key, revision)
        : putRecord({ table: 't', key, revision, object: object(key, value) })
    lines.push(encodeLine(record))
    states.push({ at: size(lines), shown: shown(state), revision })
  }
  return { bytes: Buffer.concat(lines), states }
}

const size = (lines: readonly Uint8Array[]) => lines.reduce((sum, line) => sum + line.length, 0)
const shown = (state: ReadonlyMap<string, string>) => JSON.stringify([...state].sort())
const read = (bytes: Buffer) => {
  const { objects, revision } = readContents('f', bytes)
  return { shown: shown(new Map(objects.map((o) => [o.key, String(o.object.value)]))), revision }
}

describe('a data file', () => {
  it('that ends anywhere is the state after its last whole commit (property)', () => {
    fc.assert(
      fc.property(steps, fc.nat(), (list, seed) => {
        const { bytes, states } = history(list)
        const head = states[0]?.at ?? 0
        const end = head + (seed % (bytes.length - head + 1))
        const expected = states.filter(({ at }) => at <= end).at(-1)
        expect(read(bytes.subarray(0, end))).toEqual({ shown: expected?.shown, revision: expected?.revision })
      }),
    )
  })

  it('of which any byte has changed is refused, or ends before the last commit; it is never read as something else (property)', () => {
    fc.assert(
      fc.property(steps, fc.nat(), fc.integer({ min: 0, max: 255 }), (list, seed, byte) => {
        const { bytes, states } = history(list)
        const at = seed % bytes.length
        const damaged = Buffer.from(bytes)
        damaged[at] = byte
        if (damaged.equals(bytes)) return
        let found: ReturnType<typeof read>
        try {
          found = read(damaged)
        } catch (error) {
          expect(error).toBeInstanceOf(DataFileError)
          return
        }
        expect(found.shown).toBe(states.at(-2)?.shown)
      }),
    )
  })

  it('of which a line is missing, or comes twice, is refused (property)', () => {
    fc.assert(
      fc.property(steps, fc.nat(), fc.boolean(), (list, seed, twice) => {
        const { bytes } = history(list)
        const lines = bytes.toString('latin1').split('\n').slice(0, -1)
        const at = seed % lines.length
        const changed = lines.flatMap((line, i) => (i !== at ? [line] : twice ? [line, line] : []))
        const last = !twice && at === lines.length - 1 && lines.length > 3
        const text = Buffer.from(changed.map((line) => `${line}\n`).join(''), 'latin1')
        if (last) expect(() => read(text)).not.toThrow()
        else expect(() => read(text)).toThrow(DataFileError)
      }),
    )
  })

  it('takes a hole at its end for a write that a power cut has stopped', () => {
    const { bytes } = history([{ key: 'a', value: 'x' }])
    const hole = Buffer.concat([bytes, Buffer.alloc(40), Buffer.from('"}\n')])
    expect(readContents('f', hole)).toMatchObject({ length: bytes.length, dropped: 43, revision: 101 })
  })

  it('of a later format is refused, and says who can read it', () => {
    const bytes = Buffer.from(encodeLine({ format: formatName, version: 2 }))
    expect(() => readContents('f', bytes)).toThrow('has format 2, and this version of binnacle reads format 1')
  })

  it('keeps integers beyond 2^53', () => {
    const big = { table: 't', key: 'a', revision: 1, object: { ...object('a', ''), n: 9007199254740993n } }
    const lines = [...headRecords(1, 1, {}), putRecord(big)].map(encodeLine)
    expect(readContents('f', Buffer.concat(lines)).objects[0]?.object.n).toBe(9007199254740993n)
  })
})
