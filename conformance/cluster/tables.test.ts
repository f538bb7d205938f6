import { beforeAll, describe, expect, it } from 'vitest'
import type { Loose } from './exchange.ts'
import { openStage, TABLE } from './stage.ts'
import { widget, widgets, widgetVersion } from './widget.ts'

const stage = openStage()
const plain = () => `plain.${stage.group}`
const additionalPrinterColumns = [
  { name: 'Color', type: 'string', jsonPath: '.spec.color', description: 'its color' },
  { name: 'Title', type: 'string', jsonPath: '.spec.title', priority: 1 },
  { name: 'Born', type: 'date', jsonPath: '.metadata.creationTimestamp' },
]
beforeAll(async () => {
  await stage.define(widgets(stage.group, [{ ...widgetVersion, additionalPrinterColumns }]))
  await stage.define(widgets(plain()))
  await stage.created(stage.path('widgets', `${stage.group}/v1`), widget(stage.group, 'a', { color: 'red' }))
  await stage.created(stage.path('widgets', `${plain()}/v1`), widget(plain(), 'a'))
  await stage.created(stage.path('configmaps'), { metadata: { name: 'a' }, data: { x: '1', y: '2' } })
}, 120_000)

const table = async (path: string) => (await stage.get(path, { accept: TABLE })).body
const columns = (body: Loose) => body.columnDefinitions.map(({ name, priority }: Loose) => [name, priority])
const AGE = /^(\d+[smhdy])+$|^<invalid>$/

describe('tables', () => {
  it('KA150: of a custom kind have the columns of its definition', async () => {
    const body = await table(stage.path('widgets', `${stage.group}/v1`))
    expect(body).toMatchObject({ kind: 'Table', apiVersion: 'meta.k8s.io/v1' })
    expect(columns(body)).toEqual([
      ['Name', 0],
      ['Color', 0],
      ['Title', 1],
      ['Born', 0],
    ])
    expect(body.columnDefinitions[0]).toMatchObject({ type: 'string', format: 'name' })
    expect(body.columnDefinitions[1]).toMatchObject({ description: 'its color' })
    expect(body.rows[0].cells).toEqual(['a', 'red', null, expect.stringMatching(AGE)])
    expect(body.rows[0].object).toMatchObject({ kind: 'PartialObjectMetadata', metadata: { name: 'a' } })
  })

  it('KA150: without columns show the age', async () => {
    const body = await table(stage.path('widgets', `${plain()}/v1`))
    expect(columns(body)).toEqual([
      ['Name', 0],
      ['Age', 0],
    ])
  })

  it('KA150: of built-in kinds have theirs', async () => {
    const body = await table(`${stage.path('configmaps')}/a`)
    expect(columns(body)).toEqual([
      ['Name', 0],
      ['Data', 0],
      ['Age', 0],
    ])
    expect(body.rows[0].cells).toEqual(['a', 2, expect.stringMatching(AGE)])
  })

  it('KA150: carry as much of the object as is asked for', async () => {
    const path = stage.path('configmaps')
    expect((await table(`${path}/a?includeObject=None`)).rows[0].object).toBeNull()
    expect((await table(`${path}/a?includeObject=Object`)).rows[0].object.data).toEqual({ x: '1', y: '2' })
    const bogus = await stage.get(`${path}?includeObject=Bogus`, { accept: TABLE })
    expect(bogus.code).toBe(400)
  })

  it('KA150: answer writes, but not deletions', async () => {
    const path = stage.path('configmaps')
    const made = await stage.post(path, { metadata: { name: 'b' } }, { accept: TABLE })
    expect(made).toMatchObject({ code: 201, body: { kind: 'Table' } })
    const gone = await stage.delete(`${path}/b`, undefined, { accept: TABLE })
    expect(gone).toMatchObject({ code: 200, body: { kind: 'Status' } })
  })
})
