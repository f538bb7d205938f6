import { readFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { inflated } from '../../src/compression.ts'
import { type Client, connect, type ManagedFields } from '../../src/index.ts'
import { memoryTransport } from '../memory-transport.ts'

/**
 * What comes out does not depend on where the network splits what goes in: recorded answers of an API server, cut at every byte.
 */

const recording = (name: string) => readFileSync(new URL(`../recordings/${name}`, import.meta.url))
/** Bytes that damage JSON in one way or another. */
const OTHERS = ['{', '[', ']', ',', ':', '\\', 'x', '\xff']
const LISTS = ['list.json', 'list-page.json', 'list-empty.json']
const WATCHES = ['watch.ndjson', 'watch-expired.ndjson']

const ConfigMap = {
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  singular: 'configmap',
  scope: 'Namespaced',
  shortNames: [],
  categories: [],
  apiVersion: 'v1',
} as const

async function* pieces(parts: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  // A transport may use its buffer again as soon as it is asked for more.
  for (const part of parts) {
    const lent = Uint8Array.from(part)
    yield lent
    lent.fill(0x7b)
  }
}

function clientOf(parts: () => readonly Uint8Array[], managedFields: ManagedFields): Promise<Client> {
  return connect({ transport: memoryTransport(() => ({ body: pieces(parts()) })), managedFields })
}

type Result = { readonly out: unknown[]; readonly error?: string }

async function gathered(stream: AsyncIterable<unknown>): Promise<Result> {
  const out: unknown[] = []
  try {
    for await (const item of stream) out.push(item)
    return { out }
  } catch (error) {
    return { out, error: String(error) }
  }
}

const cutAt = (bytes: Uint8Array, ...positions: readonly number[]) => {
  const borders = [0, ...[...positions].sort((a, b) => a - b), bytes.length]
  return borders.slice(1).map((end, index) => bytes.subarray(borders[index], end))
}

/** Only the first page: the recording of a page names a continuation that nobody answers. */
const firstPage = async (client: Client) => {
  for await (const { metadata, items } of client.pages(ConfigMap)) return [metadata, ...items]
  return []
}

function expectedList(bytes: Uint8Array, managedFields: ManagedFields): unknown[] {
  const list = JSON.parse(Buffer.from(bytes).toString())
  for (const item of list.items) {
    if (managedFields === 'drop') delete item.metadata.managedFields
    Object.assign(item, { apiVersion: 'v1', kind: 'ConfigMap' })
  }
  return [list.metadata, ...list.items]
}

function expectedEvents(bytes: Uint8Array, managedFields: ManagedFields): unknown[] {
  const lines = Buffer.from(bytes).toString().trim().split('\n')
  return lines.map((line) => {
    const event = JSON.parse(line)
    const { code, reason, message } = event.object
    if (event.type === 'ERROR') return { type: 'ERROR', object: { code, reason, message } }
    if (managedFields === 'drop') delete event.object.metadata?.managedFields
    return event
  })
}

describe.each(LISTS)('the recorded %s', (name) => {
  const bytes = recording(name)

  it.each(['drop', 'keep'] as const)(
    'gives the same at every split position (managedFields: %s)',
    async (managedFields) => {
      const expected = expectedList(bytes, managedFields)
      let parts: readonly Uint8Array[] = []
      const client = await clientOf(() => parts, managedFields)
      for (let at = 0; at <= bytes.length; at++) {
        parts = cutAt(bytes, at)
        expect(await firstPage(client), `split at ${at}`).toEqual(expected)
      }
    },
  )

  it('gives the same byte by byte, and in any pieces, empty ones included', async () => {
    const expected = expectedList(bytes, 'drop')
    let parts: readonly Uint8Array[] = [...bytes].map((byte) => Uint8Array.of(byte))
    const client = await clientOf(() => parts, 'drop')
    expect(await firstPage(client)).toEqual(expected)
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 12 }), async (positions) => {
        parts = cutAt(bytes, ...positions)
        expect(await firstPage(client)).toEqual(expected)
      }),
      { numRuns: 200 },
    )
  })

  it('never ends well when it was cut off', async () => {
    let parts: readonly Uint8Array[] = []
    const client = await clientOf(() => parts, 'drop')
    const end = Buffer.from(bytes).toString().trimEnd().length
    const length = Buffer.byteLength(Buffer.from(bytes).toString().slice(0, end))
    for (let at = 0; at < length; at++) {
      parts = [bytes.subarray(0, at)]
      await expect(client.list(ConfigMap, { timeout: 0.001 }), `cut at ${at}`).rejects.toThrow()
    }
  })

  it('is refused where JSON.parse refuses it, and else gives the same, whichever byte was changed', async () => {
    let parts: readonly Uint8Array[] = []
    const transport = memoryTransport(() => ({ body: pieces(parts) }))
    const client = await connect({ transport, managedFields: 'keep', errorBackoffs: [] })
    for (let at = 0; at < bytes.length; at++) {
      for (const wrong of ['"', '}', OTHERS[at % OTHERS.length] ?? ',']) {
        const changed = Uint8Array.from(bytes)
        changed[at] = wrong.charCodeAt(0)
        parts = cutAt(changed, at)
        const got = await firstPage(client).catch(() => 'refused')
        const wanted = parsedList(changed)
        if (wanted !== undefined) expect(got, `${wrong} at ${at}`).toEqual(wanted)
      }
    }
  })
})

/** What a list says by JSON.parse; undefined if it is no list that an API server could send. */
function parsedList(bytes: Uint8Array): unknown {
  try {
    const { metadata, items } = JSON.parse(Buffer.from(bytes).toString())
    if (!Array.isArray(items) || !items.every((item) => typeof item === 'object' && item && !Array.isArray(item)))
      return undefined
    return [
      { resourceVersion: '', ...metadata },
      ...items.map((item) => ({ apiVersion: 'v1', kind: 'ConfigMap', ...item })),
    ]
  } catch {
    return 'refused'
  }
}

describe.each(WATCHES)('the recorded %s', (name) => {
  const bytes = recording(name)

  it.each(['drop', 'keep'] as const)(
    'gives the same at every split position (managedFields: %s)',
    async (managedFields) => {
      const expected = expectedEvents(bytes, managedFields)
      let parts: readonly Uint8Array[] = []
      const client = await clientOf(() => parts, managedFields)
      for (let at = 0; at <= bytes.length; at++) {
        parts = cutAt(bytes, at)
        const { out, error } = await gathered(client.watch(ConfigMap))
        expect(error, `split at ${at}`).toBeUndefined()
        expect(out, `split at ${at}`).toMatchObject(expected)
      }
    },
  )

  it('gives a beginning of the same when it was cut off, and says so unless it was between two lines', async () => {
    const expected = expectedEvents(bytes, 'drop')
    const text = Buffer.from(bytes)
    let parts: readonly Uint8Array[] = []
    const client = await clientOf(() => parts, 'drop')
    for (let at = 0; at <= bytes.length; at++) {
      parts = [bytes.subarray(0, at)]
      const { out, error } = await gathered(client.watch(ConfigMap))
      const atBorder = at === 0 || text[at - 1] === 0x0a || text[at] === 0x0a
      expect(error === undefined, `cut at ${at}: ${error}`).toBe(atBorder)
      expect(out).toMatchObject(expected.slice(0, out.length))
    }
  })
})

describe('a compressed body', () => {
  const bytes = recording('list.json')
  const packed = gzipSync(bytes)
  const text = async (parts: readonly Uint8Array[]) => {
    const chunks: Uint8Array[] = []
    for await (const chunk of inflated(Readable.from(parts), 'gzip')) chunks.push(chunk)
    return Buffer.concat(chunks)
  }

  it('is the same at every split position', async () => {
    for (let at = 0; at <= packed.length; at++) expect((await text(cutAt(packed, at))).equals(bytes)).toBe(true)
  })

  it('fails when it was cut off, wherever', async () => {
    for (let at = 0; at < packed.length; at++)
      await expect(text([packed.subarray(0, at)]), `cut at ${at}`).rejects.toThrow()
  })
})
