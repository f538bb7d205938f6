import { describe, expect, it } from 'vitest'
import { Cluster } from '../../src/index.ts'
import { type Any, Api, widget, widgetDefinition, widgets } from '../api.ts'
import { VirtualClock } from '../virtual-clock.ts'

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const rules = (...all: object[]) => ({ 'x-kubernetes-validations': all })
const causes = (body: Any) => body.details.causes.map((cause: Any) => `${cause.field}: ${cause.message}`)

const definition = (properties: object) => widgetDefinition({ properties })

describe('rules of a definition', () => {
  it('refuse what breaks them, at any depth, own rules before those of parts', async () => {
    const crd = definition({
      min: { type: 'integer', ...rules({ rule: 'self < 10' }) },
      names: {
        type: 'array',
        maxItems: 5,
        items: { type: 'string', maxLength: 9, ...rules({ rule: 'self != "bad"' }) },
      },
      table: {
        type: 'object',
        maxProperties: 5,
        additionalProperties: { type: 'integer', ...rules({ rule: 'self > 0' }) },
      },
      deep: {
        type: 'object',
        properties: { x: { type: 'integer' } },
        ...rules({
          rule: 'self.x < 5',
          fieldPath: '.x',
          reason: 'FieldValueForbidden',
          messageExpression: '"x is " + (self.x > 9 ? "huge" : "big")',
        }),
      },
    })
    await using cluster = await Cluster.start({ listen: false, crds: [crd] })
    const api = new Api(cluster)
    const spec = { min: 11, names: ['ok', 'bad'], table: { one: 0 }, deep: { x: 10 } }
    const refused = await api.post(widgets, widget('a', spec))
    expect(refused.status).toBe(422)
    expect(causes(refused.body).sort()).toEqual([
      'spec.deep.x: Forbidden: x is huge',
      'spec.min: Invalid value: 11: failed rule: self < 10',
      'spec.names[1]: Invalid value: "bad": failed rule: self != "bad"',
      'spec.table[one]: Invalid value: 0: failed rule: self > 0',
    ])
    expect((await api.post(widgets, widget('a', { min: 1, deep: { x: 1 } }))).status).toBe(201)
  })

  it('compare with the state before, and let an unchanged violation pass with a warning', async () => {
    const fixed = { type: 'string', maxLength: 9, ...rules({ rule: 'self == oldSelf', message: 'fixed is immutable' }) }
    await using cluster = await Cluster.start({ listen: false, crds: [definition({ fixed })] })
    const api = new Api(cluster)
    await api.post(widgets, widget('a', { fixed: 'x' }))
    const refused = await api.patch(`${widgets}/a`, { spec: { fixed: 'y' } })
    expect(causes(refused.body)).toEqual(['spec.fixed: Invalid value: "y": fixed is immutable'])
    const stricter = definition({
      fixed: { type: 'string', maxLength: 9, ...rules({ rule: 'self != "x"', message: 'not x' }) },
    })
    const { spec } = stricter
    expect((await api.patch(`${definitions}/widgets.example.com`, { spec })).status).toBe(200)
    const passed = await api.patch(`${widgets}/a`, { metadata: { labels: { a: 'b' } } })
    expect(passed.status).toBe(200)
    expect(passed.headers.get('warning')).toBe('299 - "spec.fixed: Invalid value: \\"x\\": not x"')
  })

  it('that do not compile refuse the definition, and name the place', async () => {
    await using cluster = await Cluster.start({ listen: false })
    const api = new Api(cluster)
    const refused = await api.post(
      definitions,
      definition({ a: { type: 'integer', ...rules({ rule: 'self.nosuch > 1' }) } }),
    )
    expect(refused.status).toBe(422)
    expect(refused.body.details.causes[0].field).toBe(
      'spec.validation.openAPIV3Schema.properties[spec].properties[a].x-kubernetes-validations[0].rule',
    )
    expect(refused.body.details.causes[0].message).toContain(
      "compilation failed: ERROR: <input>:1:5: type 'int' does not support field selection\n | self.nosuch > 1\n | ....^",
    )
  })

  it('that may cost too much refuse the definition by the factor of the original', async () => {
    await using cluster = await Cluster.start({ listen: false })
    const api = new Api(cluster)
    const list = (maxItems: number, maxLength: number, rule: string) => ({
      type: 'object',
      properties: { l: { type: 'array', maxItems, items: { type: 'string', maxLength } } },
      ...rules({ rule }),
    })
    const factors: (string | undefined)[] = []
    for (const part of [
      list(100, 100, 'self.l.all(x, self.l.exists(y, x.contains(y)))'),
      list(1000, 1000, 'self.l.all(x, self.l.exists(y, x == y))'),
      list(10, 10, 'self.l.all(x, self.l.exists(y, x == y))'),
    ]) {
      const answer = await api.post(`${definitions}?dryRun=All`, definition({ part }))
      factors.push(answer.body.details?.causes?.[0].message.match(/factor of (.*?) \(/)?.[1])
    }
    expect(factors).toEqual(['1.6x', '40.6x', undefined])
  })

  it('wait when the schema changes: watches end, lists are refused for a moment, the old version is gone', async () => {
    const clock = new VirtualClock()
    await using cluster = await Cluster.start({ listen: false, crds: [widgetDefinition()], clock })
    const api = new Api(cluster)
    const { body } = await api.post(widgets, widget('a'))
    const watch = await api.watch(`${widgets}?watch=true&resourceVersion=${body.metadata.resourceVersion}`)
    const { spec } = definition({ more: { type: 'string' } })
    await api.patch(`${definitions}/widgets.example.com`, { spec })
    await watch.done
    expect(watch.ended).toBe('clean')
    const refused = await api.get(widgets)
    expect(refused.status).toBe(429)
    expect(refused.headers.get('retry-after')).toBe('1')
    expect(refused.body).toMatchObject({ reason: 'TooManyRequests', message: 'storage is (re)initializing' })
    expect((await api.get(`${widgets}/a`)).status).toBe(200)
    await clock.advance(1)
    expect((await api.get(widgets)).status).toBe(200)
    const old = await api.watch(`${widgets}?watch=true&resourceVersion=${body.metadata.resourceVersion}`)
    await old.done
    expect(old.events[0]?.object.code).toBe(410)
  })
})
