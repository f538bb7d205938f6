import { describe, expect, it } from 'vitest'
import { ByteStream } from './byte-stream.ts'

const bytes = (text: string) => Buffer.from(text)
const text = (chunk: Uint8Array | undefined) => Buffer.from(chunk ?? []).toString()

describe('a byte stream', () => {
  it('gives what was pushed since the last pull as one chunk, and ends after it', async () => {
    const stream = new ByteStream()
    const reader = stream[Symbol.asyncIterator]()
    const first = reader.next()
    stream.push(bytes('a'))
    expect(text((await first).value)).toBe('a')
    for (const piece of ['b', 'c']) stream.push(bytes(piece))
    stream.end()
    stream.push(bytes('late'))
    expect(text((await reader.next()).value)).toBe('bc')
    expect((await reader.next()).done).toBe(true)
  })

  it('cuts off a reader that lags too far behind, but never for the initial state', async () => {
    const stream = new ByteStream({ bytes: 1000, count: 3 })
    let closed = 0
    stream.onClose(() => closed++)
    for (let i = 0; i < 10; i++) stream.pushInitial(bytes('i'))
    for (let i = 0; i < 3; i++) stream.push(bytes('e'))
    expect(closed).toBe(0)
    stream.push(bytes('e'))
    expect(closed).toBe(1)
    const chunks: string[] = []
    for await (const chunk of stream) chunks.push(text(chunk))
    expect(chunks).toEqual([])
  })

  it('throws to the reader when it is cut, and tells the writer once when the reader leaves', async () => {
    const cut = new ByteStream()
    cut.push(bytes('lost'))
    cut.cut(new Error('broken'))
    await expect(cut[Symbol.asyncIterator]().next()).rejects.toThrow('broken')
    const left = new ByteStream()
    let closed = 0
    left.onClose(() => closed++)
    left.push(bytes('a'))
    for await (const _ of left) break
    expect(closed).toBe(1)
    expect(left.pending).toBe(false)
  })
})
