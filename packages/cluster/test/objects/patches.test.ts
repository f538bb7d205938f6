import { describe, expect, it } from 'vitest'
import { Cluster } from '../../src/index.ts'
import { Api, configMaps, widget, widgetDefinition, widgets } from '../api.ts'

describe('patches', () => {
  it('answers 422 when a JSON patch tests a version that has passed', async () => {
    await using cluster = await Cluster.start({ listen: false, crds: [widgetDefinition()] })
    const api = new Api(cluster)
    await api.post(widgets, widget('a', { color: 'red' }))
    const patch = [
      { op: 'test', path: '/metadata/resourceVersion', value: '1' },
      { op: 'replace', path: '/spec/color', value: 'blue' },
    ]
    const refused = await api.patch(`${widgets}/a`, patch, 'json')
    expect(refused.status).toBe(422)
    expect(refused.body).toMatchObject({ reason: 'Invalid', details: {} })
    expect((await api.get(`${widgets}/a`)).body.spec.color).toBe('red')
  })

  it('is conditional when a merge patch carries a version', async () => {
    await using cluster = await Cluster.start({ listen: false })
    const api = new Api(cluster)
    const { body } = await api.post(configMaps, { metadata: { name: 'a' } })
    const { resourceVersion } = body.metadata
    const patch = { metadata: { resourceVersion }, data: { a: 'b' } }
    expect((await api.patch(`${configMaps}/a`, patch)).status).toBe(200)
    expect((await api.patch(`${configMaps}/a`, { ...patch, data: { a: 'c' } })).status).toBe(409)
  })

  it('cannot change name, kind or uid', async () => {
    await using cluster = await Cluster.start({ listen: false, crds: [widgetDefinition()] })
    const api = new Api(cluster)
    await api.post(widgets, widget('a'))
    expect((await api.patch(`${widgets}/a`, { metadata: { name: 'b' } })).status).toBe(400)
    expect((await api.patch(`${widgets}/a`, { kind: 'Other' })).status).toBe(422)
    expect((await api.patch(`${widgets}/a`, { metadata: { uid: 'u' } })).body.details.causes[0].field).toBe(
      'metadata.uid',
    )
  })

  it('refuses the kinds of patches that it does not know, and says which it knows', async () => {
    await using cluster = await Cluster.start({ listen: false, crds: [widgetDefinition()] })
    const api = new Api(cluster)
    await api.post(widgets, widget('a'))
    for (const type of ['application/strategic-merge-patch+json', 'application/json']) {
      const refused = await api.send('PATCH', `${widgets}/a`, {}, { 'content-type': type })
      expect(refused.status).toBe(415)
      expect(refused.body.message).toContain('application/merge-patch+json')
    }
  })
})
