import { beforeAll, describe, expect, it } from 'vitest'
import type { Loose } from './exchange.ts'
import { CRDS, openStage, SLOW } from './stage.ts'
import { widgetSchema, widgets } from './widget.ts'

const stage = openStage()
beforeAll(() => stage.define(widgets(stage.group)), 120_000)

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'

describe('discovery', () => {
  it('KA1: says its version', async () => {
    const { code, headers, body } = await stage.get('/version')
    expect(code).toBe(200)
    expect(headers['content-type']).toBe('application/json')
    expect(body).toMatchObject({ major: '1', minor: '36', gitVersion: expect.stringMatching(/^v1\.36\./) })
  })

  it.each(['/healthz', '/livez', '/readyz'])('KA2: %s is ok, and lists its checks when asked', async (path) => {
    expect(await stage.get(path)).toMatchObject({ code: 200, body: 'ok' })
    const { code, headers, body } = await stage.get(`${path}?verbose`)
    expect(code).toBe(200)
    expect(headers['content-type']).toMatch(/^text\/plain/)
    const lines = body.trim().split('\n')
    expect(lines.at(-1)).toBe(`${path.slice(1)} check passed`)
    expect(lines.slice(0, -1).every((line: string) => /^\[\+\]\S+ ok$/.test(line))).toBe(true)
    expect(lines[0]).toBe('[+]ping ok')
    expect((await stage.get(`${path}/ping`)).body).toBe('ok')
    expect((await stage.get(`${path}/nosuch`)).code).toBe(404)
  })

  it('KA3: /api names the versions of the core group', async () => {
    const { body } = await stage.get('/api', { accept: '*/*' })
    expect(body).toMatchObject({ kind: 'APIVersions', versions: ['v1'] })
  })

  it('KA4: /apis lists groups, each with a preferred version among its versions', async () => {
    const { body } = await stage.get('/apis', { accept: '*/*' })
    expect(body).toMatchObject({ kind: 'APIGroupList', apiVersion: 'v1' })
    for (const { preferredVersion, versions } of body.groups) expect(versions).toContainEqual(preferredVersion)
    const names = body.groups.map(({ name }: Loose) => name)
    expect(names).toEqual(expect.arrayContaining(['apps', 'batch', 'apiextensions.k8s.io', stage.group]))
    const group = await stage.get(`/apis/${stage.group}`)
    expect(group.body).toMatchObject({ kind: 'APIGroup', name: stage.group, preferredVersion: { version: 'v1' } })
  })

  it('KA5: answers in the aggregated form where it is accepted, and says so in its type', async () => {
    const { code, headers, body } = await stage.get('/apis', { accept: `${AGGREGATED},application/json` })
    expect(code).toBe(200)
    expect(headers['content-type']).toBe(AGGREGATED)
    expect(body).toMatchObject({ kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2' })
    expect((await stage.get('/apis', { accept: AGGREGATED.replace('v=v2', 'v=v2beta1') })).code).toBe(406)
    expect((await stage.get('/apis/apps/v1', { accept: AGGREGATED })).code).toBe(406)
  })

  it('KA6: both forms list the same kinds with the same verbs', async () => {
    for (const root of ['/api', '/apis']) {
      const { body } = await stage.get(root, { accept: AGGREGATED })
      // The groups of other files come and go.
      const groups = body.items.filter(({ metadata }: Loose) => !/\.example\.com$/.test(metadata.name ?? ''))
      for (const { metadata, versions } of groups) {
        for (const { version, resources } of versions) {
          const path = root === '/api' ? `/api/${version}` : `/apis/${metadata.name}/${version}`
          const legacy = (await stage.get(path)).body.resources.filter(({ name }: Loose) => !name.includes('/'))
          const mine = legacy.map(({ name, kind, namespaced, verbs }: Loose) => [
            name,
            kind,
            namespaced,
            [...verbs].sort(),
          ])
          const theirs = resources
            .filter(({ verbs }: Loose) => verbs.length > 0)
            .map(({ resource, responseKind, scope, verbs }: Loose) => [
              ...[resource, responseKind.kind, scope === 'Namespaced'],
              [...verbs].sort(),
            ])
          expect(mine.sort()).toEqual(theirs.sort())
        }
      }
    }
  })

  it('KA7: has an ETag in the aggregated form, and answers 304 to whoever has it', async () => {
    const { headers } = await stage.get('/api', { accept: AGGREGATED })
    expect(headers.etag).toBeTruthy()
    expect(headers.vary).toBe('Accept')
    const again = await stage.get('/api', { accept: AGGREGATED, headers: { 'if-none-match': headers.etag ?? '' } })
    expect(again).toMatchObject({ code: 304, body: '' })
  })

  it('KA8: lists the kinds of the core group with their subresources', async () => {
    const { body } = await stage.get('/api/v1')
    const entry = (name: string) => body.resources.find((resource: Loose) => resource.name === name)
    expect(entry('pods')).toMatchObject({ kind: 'Pod', namespaced: true, singularName: 'pod', shortNames: ['po'] })
    expect(entry('pods/status')).toMatchObject({ kind: 'Pod', namespaced: true, verbs: ['get', 'patch', 'update'] })
    expect(entry('namespaces/finalize')).toMatchObject({ kind: 'Namespace', namespaced: false, verbs: ['update'] })
    expect(entry('replicationcontrollers/scale')).toMatchObject({ kind: 'Scale', group: 'autoscaling', version: 'v1' })
  })

  it('KA9: an unknown group is 404 in plain text', async () => {
    const { code, body } = await stage.get('/apis/nosuch.example.com')
    expect({ code, body: body.trim() }).toEqual({ code: 404, body: '404 page not found' })
  })

  it.each([
    '/api/v1/nosuch',
    '/api/v1/namespaces/default/nosuch/x',
    '/apis/apps/v1/nosuch',
    '/apis/apps/v9/deployments',
  ])('KA10: %s, unknown in a built-in group, is 404 with a Status', async (path) => {
    const { code, body } = await stage.get(path)
    expect(code).toBe(404)
    expect(body).toMatchObject({ kind: 'Status', reason: 'NotFound', details: {} })
  })

  it('KA11: an unknown path is 404 and no Status; so is what a custom group does not have', async () => {
    for (const path of ['/nosuch', `/apis/${stage.group}/v1/nosuch`, `/apis/${stage.group}/v9/widgets`]) {
      const { code, body } = await stage.get(path)
      expect({ code, body: String(body).trim() }).toEqual({ code: 404, body: '404 page not found' })
    }
  })

  it('KA12: a method that a path does not have is 405', async () => {
    const wrong = [
      await stage.post('/api/v1/nodes/x', {}),
      await stage.put('/api/v1/nodes', {}),
      await stage.delete('/api/v1/namespaces'),
      await stage.post('/api/v1/configmaps', {}),
      await stage.post('/apis/apps/v1/deployments', {}),
    ]
    for (const { code, body } of wrong) {
      expect(code).toBe(405)
      expect(body).toMatchObject({ kind: 'Status', reason: 'MethodNotAllowed', details: {} })
    }
    expect((await stage.delete('/api/v1/configmaps/x')).code).toBe(404)
  })

  it('KA13: /openapi/v3 names a document for each group and version, by its hash', async () => {
    const { headers, body } = await stage.get('/openapi/v3')
    expect(headers['content-type']).toMatch(/^text\/plain/)
    const { paths } = JSON.parse(body)
    expect(paths['api/v1'].serverRelativeURL).toMatch(/^\/openapi\/v3\/api\/v1\?hash=[0-9A-F]{128}$/)
    expect(paths['apis/apps/v1'].serverRelativeURL).toMatch(/^\/openapi\/v3\/apis\/apps\/v1\?hash=[0-9A-F]{128}$/)
  })

  it('KA14: the right hash may be kept for long, a wrong one leads to the right one', async () => {
    const { paths } = JSON.parse((await stage.get('/openapi/v3')).body)
    const url = paths['apis/apps/v1'].serverRelativeURL
    const right = await stage.get(url)
    expect(right.code).toBe(200)
    expect(right.headers['cache-control']).toBe('public, immutable')
    expect(right.headers.etag).toBeTruthy()
    const wrong = await stage.get('/openapi/v3/apis/apps/v1?hash=ABC')
    expect(wrong.code).toBe(301)
    expect(wrong.headers.location).toBe(url)
  })

  it('KA15: the document of apps/v1 says that a Deployment is patched with field validation', async () => {
    const { body } = await stage.get('/openapi/v3/apis/apps/v1')
    const path = body.paths['/apis/apps/v1/namespaces/{namespace}/deployments/{name}']
    expect(path.patch['x-kubernetes-group-version-kind']).toEqual({ group: 'apps', kind: 'Deployment', version: 'v1' })
    const names = [...(path.parameters ?? []), ...path.patch.parameters].map(({ name }: Loose) => name)
    expect(names).toEqual(expect.arrayContaining(['fieldValidation', 'fieldManager', 'dryRun', 'force']))
  })

  it('KA16: a definition brings its schema into the documents', async () => {
    const { body } = await stage.until(`/openapi/v3/apis/${stage.group}/v1`, ({ code }) => code === 200)
    const name = Object.keys(body.components.schemas).find((key) => key.endsWith('.v1.Widget')) ?? ''
    const schema = body.components.schemas[name]
    expect(schema.properties.spec).toEqual(widgetSchema.properties.spec)
    expect(schema.properties.metadata).toBeTruthy()
    expect(schema['x-kubernetes-group-version-kind']).toEqual([{ group: stage.group, kind: 'Widget', version: 'v1' }])
  })

  it(
    'KA6, KA149: a kind that is being removed is discovered with the verbs that remain',
    async () => {
      const group = `going.${stage.group}`
      const { metadata } = await stage.define(widgets(group))
      const path = `/apis/${group}/v1/namespaces/${stage.namespace}/widgets`
      await stage.created(path, {
        ...{ apiVersion: `${group}/v1`, kind: 'Widget', spec: { color: 'red' } },
        metadata: { name: 'held', finalizers: ['example.com/held'] },
      })
      const before = await stage.get(`/apis/${group}/v1`)
      expect(before.body.resources[0].verbs).toEqual(
        ...[['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch']],
      )
      await stage.delete(`${CRDS}/${metadata.name}`)
      const fits = ({ body }: Loose) => body.resources?.[0]?.verbs.length === 5
      const { body } = await stage.until(`/apis/${group}/v1`, fits)
      expect(body.resources[0].verbs).toEqual(['delete', 'deletecollection', 'get', 'list', 'watch'])
      const aggregated = await stage.until('/apis', fewerVerbs(group), { accept: AGGREGATED })
      expect(resourceOf(aggregated.body, group).verbs).toEqual(['delete', 'deletecollection', 'get', 'list', 'watch'])
      const patched = await stage.patch(`${path}/held`, 'application/merge-patch+json', { spec: { color: 'blue' } })
      expect(patched).toMatchObject({ code: 200, body: { spec: { color: 'blue' } } })
      expect(
        (await stage.post(path, { apiVersion: `${group}/v1`, kind: 'Widget', metadata: { name: 'b' } })).code,
      ).toBe(403)
      await stage.patch(`${path}/held`, 'application/merge-patch+json', { metadata: { finalizers: null } })
      await stage.until(`/apis/${group}`, ({ code }) => code === 404)
    },
    SLOW,
  )
})

const resourceOf = (body: Loose, group: string) =>
  body.items.find(({ metadata }: Loose) => metadata.name === group)?.versions[0].resources[0]

const fewerVerbs =
  (group: string) =>
  ({ body }: Loose): boolean =>
    resourceOf(body, group)?.verbs.length === 5
