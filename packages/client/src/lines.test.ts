import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LineSplitter } from './lines.ts'

function split(bytes: Uint8Array, cuts: readonly number[]): string[] {
  const splitter = new LineSplitter()
  const edges = [0, ...[...cuts].sort((a, b) => a - b), bytes.length]
  const lines = edges.slice(0, -1).flatMap((start, i) => [...splitter.push(bytes.slice(start, edges[i + 1]))])
  return [...lines, ...splitter.end()].map((line) => Buffer.from(line).toString())
}

describe('lines', () => {
  it('are the same wherever the bytes are split', () => {
    const line = fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\n', ''))
    fc.assert(
      fc.property(fc.array(line), fc.array(fc.nat()), (lines, places) => {
        const bytes = Buffer.from(lines.map((text) => `${text}\n`).join(''))
        const cuts = places.map((place) => place % (bytes.length + 1))
        expect(split(bytes, cuts)).toEqual(lines.filter((text) => text !== ''))
      }),
    )
  })

  it('count the last one even without a line feed', () => {
    expect(split(Buffer.from('a\nb'), [])).toEqual(['a', 'b'])
  })

  it('do not change when the buffer of their first half is used again', () => {
    const splitter = new LineSplitter()
    const shared = Buffer.from('first ')
    expect([...splitter.push(shared)]).toEqual([])
    shared.fill(0x78)
    expect([...splitter.push(Buffer.from('half\n'))].map(String)).toEqual(['first half'])
  })

  it('may not be longer than the cap, whole or in pieces', () => {
    expect(() => [...new LineSplitter(10).push(Buffer.from('12345678901\n'))]).toThrow(/more than 10 bytes/)
    const splitter = new LineSplitter(10)
    expect([...splitter.push(Buffer.from('1234567890'))]).toEqual([])
    expect(() => [...splitter.push(Buffer.from('1'))]).toThrow(/more than 10 bytes/)
  })
})
