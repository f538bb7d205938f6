/** Watches over raw sockets, byte by byte: what lies between a change and a client's parser. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { Cluster } from '../../src/index.ts'
import { configMaps } from '../api.ts'

const watch = `GET ${configMaps}?watch=true&timeoutSeconds=600 HTTP/1.1\r\nhost: here\r\n\r\n`

/** Everything that a socket has said so far. */
class Ear {
  readonly socket: Socket
  text = ''

  constructor(cluster: Cluster, request: string) {
    const { hostname, port } = new URL(cluster.url)
    this.socket = connect(Number(port), hostname)
    this.socket.on('data', (chunk) => {
      this.text += chunk
    })
    this.socket.write(request)
  }

  async hears(words: string): Promise<void> {
    while (!this.text.includes(words)) await once(this.socket, 'data')
  }

  /** The bodies of all answers, with the framing taken off as HTTP/1.1 demands. */
  get chunks(): readonly string[] {
    const found: string[] = []
    let rest = this.text.slice(this.text.indexOf('\r\n\r\n') + 4)
    while (rest !== '') {
      const [size = ''] = rest.split('\r\n', 1)
      const length = Number.parseInt(size, 16)
      const body = rest.slice(size.length + 2, size.length + 2 + length)
      expect(rest.slice(size.length + 2 + length, size.length + 4 + length)).toBe('\r\n')
      found.push(body)
      rest = rest.slice(size.length + 4 + length)
    }
    return found
  }

  get names(): readonly string[] {
    const lines = this.chunks.join('').trim().split('\n')
    return lines.map((line) => JSON.parse(line).object.metadata.name)
  }
}

const create = (cluster: Cluster, name: string) =>
  fetch(cluster.url + configMaps, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ metadata: { name } }),
  })

const names = Array.from({ length: 30 }, (_, i) => `n-${i}`)

describe('watches over sockets', () => {
  it('tell all watchers the same in the same order, whoever came first', async () => {
    await using cluster = await Cluster.start()
    await create(cluster, 'before')
    const early = Array.from({ length: 20 }, () => new Ear(cluster, watch))
    await Promise.all(early.map((ear) => ear.hears('before')))
    const written = Promise.all(names.map((name) => create(cluster, name)))
    const late = new Ear(cluster, watch)
    await written
    await create(cluster, 'last')
    await Promise.all([...early, late].map((ear) => ear.hears('"last"')))
    const [first] = early
    expect(first?.names.slice(1, -1).toSorted()).toEqual(names.toSorted())
    for (const ear of early) expect(ear.names).toEqual(first?.names)
    expect(late.names.toSorted()).toEqual(first?.names.toSorted())
    for (const ear of [...early, late]) ear.socket.destroy()
  })

  it('tell a client of HTTP/1.0, which knows no chunks, the lines alone', async () => {
    await using cluster = await Cluster.start()
    const ear = new Ear(cluster, watch.replace('HTTP/1.1', 'HTTP/1.0'))
    await ear.hears('\r\n\r\n')
    await create(cluster, 'a')
    await ear.hears('}}\n')
    const body = ear.text.slice(ear.text.indexOf('\r\n\r\n') + 4)
    expect(JSON.parse(body).object.metadata.name).toBe('a')
    ear.socket.destroy()
  })

  it('wait behind the answers of requests that were sent before them on the same connection', async () => {
    await using cluster = await Cluster.start()
    const get = `GET /version HTTP/1.1\r\nhost: here\r\n\r\n`
    const ear = new Ear(cluster, get + watch)
    await create(cluster, 'a')
    await ear.hears('"ADDED"')
    expect(ear.text.indexOf('gitVersion')).toBeLessThan(ear.text.indexOf('"ADDED"'))
    expect(ear.text.match(/HTTP\/1\.1 200/g)).toHaveLength(2)
    ear.socket.destroy()
  })

  it('end with the last chunk, and leave the connection to the next request', async () => {
    await using cluster = await Cluster.start()
    const ear = new Ear(cluster, watch.replace('600', '1'))
    await ear.hears('\r\n0\r\n\r\n')
    ear.socket.write(`GET /version HTTP/1.1\r\nhost: here\r\n\r\n`)
    await ear.hears('gitVersion')
    ear.socket.destroy()
  })
})
