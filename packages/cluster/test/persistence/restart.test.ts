import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { Cluster, type ClusterOptions, DataFileError } from '../../src/index.ts'
import { Api, configMaps, widgetDefinition } from '../api.ts'
import { Scratch } from './scratch.ts'

const start = (data: string, options: ClusterOptions = {}) => Cluster.start({ listen: false, data, ...options })
const settled = async (cluster: Cluster) => {
  while (!cluster.idle()) await new Promise((resolve) => setImmediate(resolve))
}
const widgets = '/apis/example.com/v1/namespaces/default/widgets'

describe('a cluster with a data file', () => {
  it('goes on after a restart with the same objects, uids and versions', async () => {
    using scratch = new Scratch()
    const before = await start(scratch.file(), { crds: [widgetDefinition()] })
    const old = new Api(before)
    await old.post(configMaps, { metadata: { name: 'a' }, data: { big: 'ü' } })
    await old.post(configMaps, { metadata: { name: 'b' } })
    await old.delete(`${configMaps}/b`)
    await old.post(widgets, {
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      metadata: { name: 'w' },
      spec: { color: 'red' },
    })
    const [map, widget, list] = [
      await old.get(`${configMaps}/a`),
      await old.get(`${widgets}/w`),
      await old.get(configMaps),
    ]
    await before.stop()

    await using after = await start(scratch.file(), { crds: [widgetDefinition()] })
    const api = new Api(after)
    expect((await api.get(`${configMaps}/a`)).body).toEqual(map.body)
    expect((await api.get(`${widgets}/w`)).body).toEqual(widget.body)
    expect((await api.get(configMaps)).body).toEqual(list.body)
    const next = await api.post(configMaps, { metadata: { name: 'c' } })
    expect(Number(next.body.metadata.resourceVersion)).toBe(Number(list.body.metadata.resourceVersion) + 1)
  })

  it('lets a watch go on at the last version, and answers 410 to an older one, also for a kind without objects', async () => {
    using scratch = new Scratch()
    const before = await start(scratch.file())
    const old = new Api(before)
    const secrets = '/api/v1/namespaces/default/secrets'
    const first = Number((await old.post(secrets, { metadata: { name: 's' } })).body.metadata.resourceVersion)
    await old.delete(`${secrets}/s`)
    const last = Number((await old.get(secrets)).body.metadata.resourceVersion)
    await before.stop()

    await using after = await start(scratch.file())
    const api = new Api(after)
    const late = await api.watch(`${secrets}?watch=1&resourceVersion=${first}`)
    await late.done
    expect(late.events).toMatchObject([{ type: 'ERROR', object: { code: 410, reason: 'Expired' } }])
    const watch = await api.watch(`${secrets}?watch=1&resourceVersion=${last}`)
    await api.post(secrets, { metadata: { name: 't' } })
    await settled(after)
    expect(watch.events).toMatchObject([{ type: 'ADDED', object: { metadata: { name: 't' } } }])
    watch.abort()
  })

  it('keeps collecting garbage and emptying namespaces for what it found', async () => {
    using scratch = new Scratch()
    const before = await start(scratch.file())
    const old = new Api(before)
    const owner = (await old.post(configMaps, { metadata: { name: 'owner' } })).body
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: owner.metadata.uid }]
    await old.post(configMaps, { metadata: { name: 'child', ownerReferences } })
    await old.post('/api/v1/namespaces', { metadata: { name: 'n' } })
    await old.post('/api/v1/namespaces/n/configmaps', { metadata: { name: 'held', finalizers: ['a.b/c'] } })
    await old.delete('/api/v1/namespaces/n')
    await before.stop()

    await using after = await start(scratch.file())
    const api = new Api(after)
    await api.delete(`${configMaps}/owner`)
    await settled(after)
    expect((await api.get(`${configMaps}/child`)).status).toBe(404)
    await api.patch('/api/v1/namespaces/n/configmaps/held', { metadata: { finalizers: null } })
    await settled(after)
    expect((await api.get('/api/v1/namespaces/n')).status).toBe(404)
  })

  it('keeps its secrets: tokens and kubeconfigs of the last run are good in the next', async () => {
    using scratch = new Scratch()
    const options = { rbac: true, users: [{ name: 'jane' }], data: scratch.file() }
    const before = await Cluster.start(options)
    const { caData, token } = before.connectionOf('jane')
    await new Api(before).post('/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'bot' } })
    const bot = before.connectionOf('system:serviceaccount:default:bot').token
    await before.stop()

    await using after = await Cluster.start(options)
    expect(after.connectionOf('jane')).toMatchObject({ caData, token })
    const answer = await new Api(after).send(
      'POST',
      '/apis/authentication.k8s.io/v1/selfsubjectreviews',
      {},
      {
        authorization: `Bearer ${bot}`,
      },
    )
    expect(answer.body.status.userInfo.username).toBe('system:serviceaccount:default:bot')
  })

  it('leaves nothing but the file, for its owner’s eyes only', async () => {
    using scratch = new Scratch()
    const cluster = await start(scratch.file())
    expect(readdirSync(scratch.path).sort()).toEqual(['data', 'data.lock'])
    await cluster.stop()
    expect(readdirSync(scratch.path)).toEqual(['data'])
    expect(statSync(scratch.file()).mode & 0o777).toBe(0o600)
  })

  it('drops a write that was cut off, and says so', async () => {
    using scratch = new Scratch()
    const before = await start(scratch.file())
    await new Api(before).post(configMaps, { metadata: { name: 'a' } })
    await new Api(before).post(configMaps, { metadata: { name: 'b' } })
    await before.stop()
    const bytes = readFileSync(scratch.file())
    writeFileSync(scratch.file(), bytes.subarray(0, bytes.length - 7))

    const warnings: string[] = []
    await using after = await start(scratch.file(), { warn: (message) => warnings.push(message) })
    expect(warnings).toEqual([expect.stringMatching(/The last write to .*data was not finished \(\d+ bytes\)/)])
    const api = new Api(after)
    expect([(await api.get(`${configMaps}/a`)).status, (await api.get(`${configMaps}/b`)).status]).toEqual([200, 404])
  })
})

describe('a data file is refused', () => {
  const refused = async (file: string) => {
    const before = existsSync(file) ? readFileSync(file) : undefined
    const error = await start(file).then(
      () => undefined,
      (reason) => reason,
    )
    expect(error).toBeInstanceOf(DataFileError)
    if (before) expect(readFileSync(file)).toEqual(before)
    return (error as Error).message
  }

  it('while another cluster has it', async () => {
    using scratch = new Scratch()
    await using _ = await start(scratch.file())
    expect(await refused(scratch.file())).toMatch(/is in use by process \d+ on .*Stop that one first/)
  })

  it('when it is something else', async () => {
    using scratch = new Scratch()
    for (const text of ['kind: Config\n', '{"a":1}', 'x'.repeat(5000), '\n']) {
      writeFileSync(scratch.file(), text)
      expect(await refused(scratch.file())).toMatch(/is not a data file of an embedded cluster. Name another file/)
    }
    expect(readdirSync(scratch.path)).toEqual(['data'])
  })

  it('when its folder is not there, or it is one', async () => {
    using scratch = new Scratch()
    expect(await refused(`${scratch.path}/no/such/data`)).toMatch(/cannot be used: its folder does not exist/)
    await expect(start(scratch.path)).rejects.toThrow(/cannot be used: it is a folder/)
  })

  it('when a byte in the middle has changed', async () => {
    using scratch = new Scratch()
    const cluster = await start(scratch.file())
    await new Api(cluster).post(configMaps, { metadata: { name: 'a' } })
    await cluster.stop()
    const bytes = readFileSync(scratch.file())
    bytes[Math.floor(bytes.length / 2)] = 0x7e
    writeFileSync(scratch.file(), bytes)
    expect(await refused(scratch.file())).toMatch(/is damaged: the record at byte \d+ does not match its checksum/)
  })
})
