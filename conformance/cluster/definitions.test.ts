import { describe, expect, it } from 'vitest'
import type { Loose } from './exchange.ts'
import { CRDS, MERGE, openStage, SLOW } from './stage.ts'
import { widget, widgetSchema, widgets, widgetVersion } from './widget.ts'

const stage = openStage()
let count = 0
/** A group of the test's own. */
const newGroup = () => {
  count += 1
  return `d${count}.${stage.group}`
}
const path = (group: string, version = 'v1') => stage.path('widgets', `${group}/${version}`)
const withSpec = (spec: Loose, more: Loose = {}) => ({
  ...{ ...widgetVersion, subresources: {}, selectableFields: [] },
  schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', ...spec } } } },
  ...more,
})
const condition = (body: Loose, type: string) => body.status?.conditions?.find((entry: Loose) => entry.type === type)
const causes = (body: Loose) => body.details.causes.map(({ reason, field }: Loose) => [reason, field])

describe('definitions', () => {
  it('KA145: are accepted and established, and their kind is served', async () => {
    const group = newGroup()
    const { status } = await stage.define(widgets(group))
    expect(condition({ status }, 'NamesAccepted')).toMatchObject({ status: 'True', reason: 'NoConflicts' })
    expect(condition({ status }, 'Established')).toMatchObject({ status: 'True', reason: 'InitialNamesAccepted' })
    expect(status.storedVersions).toEqual(['v1'])
    const { body } = await stage.get(`/apis/${group}/v1`)
    expect(body.resources.map(({ name }: Loose) => name)).toEqual(['widgets', 'widgets/status', 'widgets/scale'])
  })

  it('KA145: a second one with the same names is not served', async () => {
    const group = newGroup()
    await stage.define(widgets(group))
    const second = widgets(group)
    second.metadata.name = `gadgets.${group}`
    second.spec.names = { plural: 'gadgets', kind: 'Widget' }
    await stage.created(CRDS, second)
    const { body } = await stage.until(
      `${CRDS}/gadgets.${group}`,
      (answer) => !!condition(answer.body, 'NamesAccepted'),
    )
    expect(condition(body, 'NamesAccepted')).toMatchObject({ status: 'False', reason: 'ListKindConflict' })
    expect((await stage.get(stage.path('gadgets', `${group}/v1`))).code).toBe(404)
    await stage.delete(`${CRDS}/gadgets.${group}`)
  })

  it('KA145: without a structural schema, or by another name, they are 422', async () => {
    const group = newGroup()
    const loose = widgets(group, [{ ...widgetVersion, schema: { openAPIV3Schema: { properties: { a: {} } } } }])
    const { code, body } = await stage.post(CRDS, loose)
    expect(code).toBe(422)
    expect(causes(body).map(([, field]: Loose) => field)).toEqual(
      expect.arrayContaining([
        ...['spec.versions[0].schema.openAPIV3Schema.type', 'spec.validation.openAPIV3Schema.type'].slice(1),
      ]),
    )
    const misnamed = await stage.post(CRDS, { ...widgets(group), metadata: { name: `gadgets.${group}` } })
    expect(misnamed.code).toBe(422)
    expect(misnamed.body.details.causes[0]).toMatchObject({ reason: 'FieldValueInvalid', field: 'metadata.name' })
  })

  it('KA146: default, prune and check the objects of their kind', async () => {
    const group = newGroup()
    await stage.define(widgets(group))
    const made = await stage.post(path(group), widget(group, 'a', { color: 'red', nosuch: 1 }))
    expect(made.body.spec).toEqual({ color: 'red', size: 3 })
    const refused = async (spec: Loose) => {
      const { code, body } = await stage.post(path(group), widget(group, 'b', spec))
      expect(code).toBe(422)
      return causes(body)
    }
    expect(await refused({ color: 'pink' })).toEqual([['FieldValueNotSupported', 'spec.color']])
    expect(await refused({ title: 5 })).toEqual([['FieldValueTypeInvalid', 'spec.title']])
    expect(await refused({ items: [{ value: 'x' }] })).toEqual([['FieldValueRequired', 'spec.items[0].name']])
    const twice = [{ name: 'a' }, { name: 'a' }]
    expect(await refused({ items: twice })).toEqual([['FieldValueDuplicate', 'spec.items[1]']])
    expect(await refused({ tags: ['a', 'a'] })).toEqual([['FieldValueDuplicate', 'spec.tags[1]']])
  })

  it('KA146: a new default shows on objects that are older', async () => {
    const group = newGroup()
    const definition = await stage.define(widgets(group))
    await stage.created(path(group), widget(group, 'old', { color: 'red' }))
    const [version] = definition.spec.versions
    version.schema.openAPIV3Schema.properties.spec.properties.shape = { type: 'string', default: 'round' }
    expect((await stage.put(`${CRDS}/widgets.${group}`, definition)).code).toBe(200)
    const { body } = await stage.until(`${path(group)}/old`, ({ body: seen }) => seen.spec?.shape !== undefined)
    expect(body.spec).toEqual({ color: 'red', shape: 'round', size: 3 })
  })

  it('KA147: rules are checked, those of transitions on updates', async () => {
    const group = newGroup()
    const rules = [
      { rule: 'self.min <= self.max', message: 'min is above max', fieldPath: '.min' },
      { rule: 'self.max >= oldSelf.max', message: 'max may only grow' },
    ]
    const properties = { min: { type: 'integer' }, max: { type: 'integer' } }
    await stage.define(widgets(group, [withSpec({ properties, 'x-kubernetes-validations': rules })]))
    const { code, body } = await stage.post(path(group), widget(group, 'a', { min: 3, max: 2 }))
    expect(code).toBe(422)
    expect(body.details.causes).toEqual([
      {
        ...{ reason: 'FieldValueInvalid', field: 'spec.min' },
        message: expect.stringContaining('min is above max'),
      },
    ])
    await stage.created(path(group), widget(group, 'a', { min: 1, max: 5 }))
    expect((await stage.patch(`${path(group)}/a`, MERGE, { spec: { max: 4 } })).code).toBe(422)
    expect((await stage.patch(`${path(group)}/a`, MERGE, { spec: { max: 6 } })).code).toBe(200)
  })

  it('KA147: rules that cost too much, or do not compile, are refused with the definition', async () => {
    const group = newGroup()
    const list = { type: 'array', items: { type: 'array', items: { type: 'array', items: { type: 'string' } } } }
    const rule = 'self.list.all(a, a.all(b, b.all(c, c.contains("x"))))'
    const dear = withSpec({ properties: { list }, 'x-kubernetes-validations': [{ rule }] })
    const { code, body } = await stage.post(CRDS, widgets(group, [dear]))
    expect(code).toBe(422)
    expect(body.message).toContain('estimated rule cost exceeds budget')
    const broken = withSpec({ 'x-kubernetes-validations': [{ rule: 'self.nosuch == 1' }] })
    expect((await stage.post(CRDS, widgets(group, [broken]))).code).toBe(422)
  })

  it('KA147: what was wrong before may stay as it is', async () => {
    const group = newGroup()
    const definition = await stage.define(widgets(group, [withSpec({ properties: { n: { type: 'integer' } } })]))
    await stage.created(path(group), widget(group, 'a', { n: 50 }))
    definition.spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.n.maximum = 10
    await stage.put(`${CRDS}/widgets.${group}`, definition)
    const tried = () => stage.post(`${path(group)}?dryRun=All`, widget(group, 'b', { n: 50 }))
    await stage.retry(tried, ({ code }) => code === 422)
    expect((await stage.patch(`${path(group)}/a`, MERGE, { metadata: { labels: { a: 'b' } } })).code).toBe(200)
    expect((await stage.patch(`${path(group)}/a`, MERGE, { spec: { n: 51 } })).code).toBe(422)
  })

  it('KA148: versions without conversion are the same object by another name', async () => {
    const group = newGroup()
    const second = { ...widgetVersion, name: 'v2', storage: false }
    await stage.define(widgets(group, [widgetVersion, second]))
    const made = await stage.created(path(group), widget(group, 'a', { color: 'red' }))
    const { body } = await stage.get(`${path(group, 'v2')}/a`)
    expect(body).toMatchObject({ apiVersion: `${group}/v2`, spec: made.spec, metadata: { uid: made.metadata.uid } })
    expect(body.metadata.resourceVersion).toBe(made.metadata.resourceVersion)
    using watch = await stage.watch(`${path(group, 'v2')}?watch=1`)
    expect((await watch.next()).object.apiVersion).toBe(`${group}/v2`)
  })

  it('KA148: a conversion that fails is 500', async () => {
    const group = newGroup()
    const clientConfig = { url: 'https://127.0.0.1:1/convert' }
    const conversion = { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1'] } }
    const second = { ...widgetVersion, name: 'v2', storage: false }
    await stage.define(widgets(group, [widgetVersion, second], { conversion, preserveUnknownFields: false }))
    await stage.created(path(group), widget(group, 'a', { color: 'red' }))
    expect((await stage.get(`${path(group, 'v2')}/a`)).code).toBe(500)
    expect((await stage.get(`${path(group)}/a`)).code).toBe(200)
  })

  it(
    'KA149: when one goes its objects go, and then its kind',
    async () => {
      const group = newGroup()
      await stage.define(widgets(group))
      const held = { ...widget(group, 'held'), metadata: { name: 'held', finalizers: ['example.com/held'] } }
      await stage.created(path(group), held)
      await stage.created(path(group), widget(group, 'free'))
      const { body } = await stage.delete(`${CRDS}/widgets.${group}`)
      expect(body.metadata.deletionTimestamp).toBeTruthy()
      const terminating = (answer: Loose) => condition(answer.body, 'Terminating')?.status === 'True'
      await stage.until(`${CRDS}/widgets.${group}`, terminating)
      await stage.until(`${path(group)}/free`, ({ code }) => code === 404)
      expect((await stage.get(`${path(group)}/held`)).body.metadata.deletionTimestamp).toBeTruthy()
      await stage.patch(`${path(group)}/held`, MERGE, { metadata: { finalizers: null } })
      await stage.until(`${CRDS}/widgets.${group}`, ({ code }) => code === 404)
      await stage.until(path(group), ({ code }) => code === 404)
      await stage.until(`/apis/${group}`, ({ code }) => code === 404)
    },
    SLOW,
  )

  it('KA149: a version that was stored cannot be taken away', async () => {
    const group = newGroup()
    const definition = await stage.define(widgets(group))
    const versions = [{ ...widgetVersion, name: 'v2' }]
    const { code, body } = await stage.put(`${CRDS}/widgets.${group}`, {
      ...definition,
      spec: { ...definition.spec, versions },
    })
    expect(code).toBe(422)
    expect(causes(body)).toContainEqual(['FieldValueInvalid', 'status.storedVersions[0]'])
  })

  it('KA16, KA146: the schema is kept as it was written', async () => {
    const group = newGroup()
    const { spec } = await stage.define(widgets(group))
    expect(spec.versions[0].schema.openAPIV3Schema).toEqual(widgetSchema)
  })
})
