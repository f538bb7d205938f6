import { request as httpRequest, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { Cluster } from '../../src/index.ts'
import { type Any, configMaps, widgetDefinition } from '../api.ts'

const post = (cluster: Cluster, object: object, headers: Record<string, string> = {}) =>
  fetch(cluster.url + configMaps, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(object),
  })

describe('over HTTP', () => {
  it('listens on loopback, and on nothing else', async () => {
    await using cluster = await Cluster.start()
    expect(cluster.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    await expect(Cluster.start({ host: '0.0.0.0' })).rejects.toThrow('loopback only')
    await using silent = await Cluster.start({ listen: false })
    expect(() => silent.url).toThrow('does not listen')
  })

  it('writes a kubeconfig that points at it', async () => {
    await using cluster = await Cluster.start()
    const config = parse(cluster.kubeconfig())
    expect(config.clusters[0].cluster).toEqual({ server: cluster.url, 'insecure-skip-tls-verify': true })
    expect(cluster.connection).toEqual({ server: cluster.url, insecure: true })
  })

  it('compresses what is large, for those who ask for it, and never a watch', async () => {
    await using cluster = await Cluster.start()
    const got = async (path: string, accepted: string) => {
      const answer = await new Promise<IncomingMessage>((resolve) =>
        httpRequest(cluster.url + path, { headers: { 'accept-encoding': accepted } }, resolve).end(),
      )
      const chunks: Buffer[] = []
      for await (const chunk of answer) chunks.push(chunk)
      const { 'content-encoding': encoding, vary } = answer.headers
      return { encoding, vary, body: Buffer.concat(chunks) }
    }
    await post(cluster, { metadata: { name: 'small' }, data: { a: 'b' } })
    expect(await got(configMaps, 'gzip')).toMatchObject({ encoding: undefined })
    await post(cluster, { metadata: { name: 'large' }, data: { text: 'Grüße ⚓ '.repeat(12_000) } })
    const plain = await got(configMaps, 'identity')
    expect(plain.encoding).toBeUndefined()
    const zipped = await got(configMaps, 'br, gzip;q=0.8')
    expect(zipped).toMatchObject({ encoding: 'gzip', vary: 'Accept-Encoding' })
    expect(zipped.body.length).toBeLessThan(plain.body.length / 4)
    expect(gunzipSync(zipped.body).equals(plain.body)).toBe(true)
    const watch = await got(`${configMaps}?watch=true&timeoutSeconds=1`, 'gzip')
    expect(watch.encoding).toBeUndefined()
    expect(watch.body.length).toBeGreaterThan(128 * 1024)
  })

  it('says its version and its health', async () => {
    await using cluster = await Cluster.start({ version: '1.34' })
    const version: Any = await (await fetch(`${cluster.url}/version`)).json()
    expect(version).toMatchObject({ major: '1', minor: '34' })
    for (const path of ['/healthz', '/livez', '/readyz'])
      expect(await (await fetch(cluster.url + path)).text()).toBe('ok')
    const lost = await fetch(`${cluster.url}/nosuch`)
    expect([lost.status, await lost.text()]).toEqual([404, '404 page not found\n'])
  })

  it('tells legacy and aggregated discovery alike, and answers 304 to a known tag', async () => {
    await using cluster = await Cluster.start({ crds: [widgetDefinition()] })
    const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'
    const answer = await fetch(`${cluster.url}/apis`, { headers: { accept: `${accept},application/json` } })
    expect(answer.headers.get('content-type')).toBe(accept)
    const aggregated: Any = await answer.json()
    const found: string[] = []
    for (const group of aggregated.items) {
      for (const version of group.versions) {
        const path = `/apis/${group.metadata.name}/${version.version}`
        const legacy: Any = await (await fetch(cluster.url + path)).json()
        const plain = legacy.resources.filter((r: Any) => !r.name.includes('/')).map((r: Any) => `${r.name} ${r.verbs}`)
        expect(version.resources.map((r: Any) => `${r.resource} ${r.verbs}`)).toEqual(plain)
        found.push(path)
      }
    }
    expect(found).toContain('/apis/example.com/v1')
    const etag = answer.headers.get('etag') ?? ''
    const again = await fetch(`${cluster.url}/apis`, { headers: { accept, 'if-none-match': etag } })
    expect(again.status).toBe(304)
  })

  it('speaks JSON and YAML, and refuses what it does not speak', async () => {
    await using cluster = await Cluster.start()
    const send = (type: string, body: string, accept = '*/*') =>
      fetch(cluster.url + configMaps, { method: 'POST', headers: { 'content-type': type, accept }, body })
    expect((await send('application/yaml', 'metadata:\n  name: yaml\ndata: { a: b }\n')).status).toBe(201)
    expect((await send('application/vnd.kubernetes.protobuf', 'k8s')).status).toBe(400)
    expect((await send('text/plain', 'x')).status).toBe(415)
    const as = (accept: string) => fetch(`${cluster.url}${configMaps}/yaml`, { headers: { accept } })
    expect((await as('application/xml')).status).toBe(406)
    expect((await as('application/vnd.kubernetes.protobuf, application/json')).headers.get('content-type')).toBe(
      'application/vnd.kubernetes.protobuf',
    )
    expect(parse(await (await as('application/yaml')).text())).toMatchObject({ data: { a: 'b' } })
  })

  it('refuses a body of more than three mebibytes and lives on', async () => {
    await using cluster = await Cluster.start()
    const refused = await post(cluster, { metadata: { name: 'a' }, data: { k: 'x'.repeat(3.5 * 1024 * 1024) } })
    expect(refused.status).toBe(413)
    expect((await fetch(cluster.url + configMaps)).status).toBe(200)
  })

  it('streams a watch line by line and notices when the reader has gone', async () => {
    await using cluster = await Cluster.start()
    const abort = new AbortController()
    const watch = await fetch(`${cluster.url}${configMaps}?watch=true`, { signal: abort.signal })
    const reader = (watch.body as ReadableStream<Uint8Array>).getReader()
    await post(cluster, { metadata: { name: 'a' } })
    const { value } = await reader.read()
    const text = Buffer.from(value ?? []).toString()
    expect(text.endsWith('}\n')).toBe(true)
    expect(JSON.parse(text)).toMatchObject({ type: 'ADDED', object: { kind: 'ConfigMap', metadata: { name: 'a' } } })
    abort.abort()
    await expect(reader.read()).rejects.toThrow()
  })

  it('records what came in', async () => {
    await using cluster = await Cluster.start()
    await post(cluster, { metadata: { name: 'a' } }, { 'user-agent': 'probe/1.0' })
    await fetch(`${cluster.url}${configMaps}/nosuch`)
    expect(cluster.requests).toMatchObject([
      { verb: 'create', path: configMaps, user: 'probe', status: 201, body: { metadata: { name: 'a' } } },
      { verb: 'get', path: `${configMaps}/nosuch`, status: 404, body: undefined },
    ])
  })

  it('survives a restart with its objects and without its history', async () => {
    await using cluster = await Cluster.start()
    const created = await post(cluster, { metadata: { name: 'a' } })
    const { metadata }: Any = await created.json()
    const before = Number(metadata.resourceVersion) - 1
    const watch = await fetch(`${cluster.url}${configMaps}?watch=true&resourceVersion=${before}`)
    await cluster.actor.restart()
    await expect(watch.text()).rejects.toThrow()
    expect((await fetch(`${cluster.url}${configMaps}/a`)).status).toBe(200)
    const late = await fetch(`${cluster.url}${configMaps}?watch=true&resourceVersion=${before}`)
    expect(JSON.parse(await late.text())).toMatchObject({ type: 'ERROR', object: { code: 410 } })
  })

  it('stops at once with open watches, idle and half-open connections, and leaves nothing behind', async () => {
    const handles = () => process.getActiveResourcesInfo().filter((name) => /Server|Timeout/.test(name)).length
    const before = handles()
    const cluster = await Cluster.start()
    const port = Number(new URL(cluster.url).port)
    const watch = await fetch(`${cluster.url}${configMaps}?watch=true&allowWatchBookmarks=true`)
    const half = connect(port, '127.0.0.1')
    half.write('POST /api/v1/namespaces HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{')
    const closed = new Promise((resolve) => half.on('close', resolve).on('error', () => {}))
    await new Promise((resolve) => half.on('connect', resolve))
    await cluster.stop()
    await cluster.stop()
    await closed
    await watch.text().catch(() => '')
    await expect(fetch(`http://127.0.0.1:${port}/version`)).rejects.toThrow()
    expect(handles()).toBeLessThanOrEqual(before)
  })

  it('cuts off a reader that does not read, and serves the others', async () => {
    await using cluster = await Cluster.start()
    const lazy = await new Promise<import('node:http').IncomingMessage>((resolve) =>
      httpRequest(`${cluster.url}${configMaps}?watch=true`, resolve).end(),
    )
    lazy.pause()
    const data = { k: 'x'.repeat(500_000) }
    for (let i = 0; i < 80; i++) {
      const { status } = await post(cluster, { metadata: { name: `a${i}` }, data })
      expect(status).toBe(201)
    }
    let length = 0
    for await (const chunk of lazy) length += (chunk as Buffer).length
    expect(length).toBeLessThan(80 * 500_000)
  })
})
