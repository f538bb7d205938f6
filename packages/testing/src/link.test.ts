import type { Transport, TransportAnswer, TransportRequest } from '@binnacle/client'
import { NetworkError } from '@binnacle/core'
import { describe, expect, it } from 'vitest'
import { TransportLink } from './link.ts'

const request = (signal?: AbortSignal): TransportRequest =>
  ({ method: 'GET', path: '/api', headers: {}, ...(signal && { signal }) }) as unknown as TransportRequest

/** A transport that answers at once, or when it is told to. */
class Inner implements Transport {
  answers = 0
  hold: Promise<void> | undefined
  fails: Error | undefined
  disposed = false

  async request({ signal }: TransportRequest): Promise<TransportAnswer<Uint8Array>> {
    await this.#held(signal)
    this.answers++
    return { status: 200, headers: {}, body: new Uint8Array() } as unknown as TransportAnswer<Uint8Array>
  }

  async stream({ signal }: TransportRequest): Promise<TransportAnswer<AsyncIterable<Uint8Array>>> {
    if (this.fails) throw this.fails
    const held = () => this.#held(signal)
    async function* body() {
      yield new Uint8Array([1])
      await held()
      yield new Uint8Array([2])
    }
    return { status: 200, headers: {}, body: body() } as unknown as TransportAnswer<AsyncIterable<Uint8Array>>
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.disposed = true
  }

  async #held(signal: AbortSignal | undefined): Promise<void> {
    const cut = new Promise<never>((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
    await Promise.race([this.hold ?? Promise.resolve(), cut])
  }
}

const endless = new Promise<void>(() => {})

async function read(body: AsyncIterable<Uint8Array>): Promise<number[]> {
  const bytes: number[] = []
  for await (const chunk of body) bytes.push(...chunk)
  return bytes
}

describe('a line that holds', () => {
  it('lets requests and streams through', async () => {
    const link = new TransportLink(new Inner())
    expect((await link.request(request())).status).toBe(200)
    expect(await read((await link.stream(request())).body)).toEqual([1, 2])
  })

  it('hands on who wants to give up', async () => {
    const inner = new Inner()
    inner.hold = endless
    const control = new AbortController()
    const waiting = new TransportLink(inner).request(request(control.signal))
    control.abort(new Error('enough'))
    await expect(waiting).rejects.toThrow('enough')
  })

  it('ends with what it leads to', async () => {
    const inner = new Inner()
    await new TransportLink(inner)[Symbol.asyncDispose]()
    expect(inner.disposed).toBe(true)
  })

  it('leaves nothing on the signal of a stream that failed to open', async () => {
    const inner = new Inner()
    inner.fails = new Error('refused')
    const { signal } = new AbortController()
    let listeners = 0
    const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)]
    signal.addEventListener = (...args: Parameters<typeof add>) => {
      listeners++
      add(...args)
    }
    signal.removeEventListener = (...args: Parameters<typeof remove>) => {
      listeners--
      remove(...args)
    }
    await expect(new TransportLink(inner).stream(request(signal))).rejects.toThrow('refused')
    expect(listeners).toBe(0)
  })
})

describe('a cut', () => {
  it('breaks a request under way, which may have happened, and lets new ones through', async () => {
    const inner = new Inner()
    inner.hold = endless
    const link = new TransportLink(inner)
    const waiting = link.request(request())
    link.cut()
    await expect(waiting).rejects.toBeInstanceOf(NetworkError)
    await expect(waiting).rejects.toMatchObject({ mayHaveCommitted: true })
    inner.hold = undefined
    expect((await link.request(request())).status).toBe(200)
  })

  it('breaks a stream at the next thing that it waits for', async () => {
    const inner = new Inner()
    inner.hold = endless
    const link = new TransportLink(inner)
    const reading = read((await link.stream(request())).body)
    await new Promise((resolve) => setImmediate(resolve))
    link.cut()
    await expect(reading).rejects.toThrow('The connection was cut')
  })
})

describe('a line that is severed', () => {
  it('lets nothing through until it is restored', async () => {
    const inner = new Inner()
    const link = new TransportLink(inner)
    link.sever()
    await expect(link.request(request())).rejects.toBeInstanceOf(NetworkError)
    await expect(link.stream(request())).rejects.toBeInstanceOf(NetworkError)
    link.cut()
    await expect(link.request(request())).rejects.toBeInstanceOf(NetworkError)
    expect(inner.answers).toBe(0)
    link.restore()
    expect((await link.request(request())).status).toBe(200)
  })
})
