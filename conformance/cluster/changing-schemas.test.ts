import { describe, expect, it } from 'vitest'
import { real } from '../access/server.ts'
import type { Answer, Loose } from './exchange.ts'
import { CRDS, openStage } from './stage.ts'
import { widget, widgets } from './widget.ts'

/** What informers meet when the schema of their kind changes: nothing that an ordinary new list would not answer. */
const stage = openStage()
let count = 0

async function defined(): Promise<{ readonly path: string; readonly definition: Loose }> {
  count += 1
  const group = `s${count}.${stage.group}`
  const definition = await stage.define(widgets(group))
  const path = stage.path('widgets', `${group}/v1`)
  for (const name of ['a', 'b', 'c']) await stage.created(path, widget(group, name, { color: 'red' }))
  return { path, definition }
}

const LANES = 4
const CHANGES = 20

/** Adds a field to the schema, and gives what lists answered from just before until the field is served; several are always on their way. */
async function changeSchema({ metadata }: Loose, path: string): Promise<Answer[]> {
  const property = `field${stage.name().replace(/\W/g, '')}`
  const { body: definition } = await stage.get(`${CRDS}/${metadata.name}`)
  const { spec } = definition
  spec.versions[0].schema.openAPIV3Schema.properties.spec.properties[property] = { type: 'string', default: 'x' }
  const answers: Answer[] = []
  const served = ({ body }: Answer) => body.items?.[0]?.spec[property] === 'x'
  const ask = async () => {
    const answer = await stage.get(path)
    answers.push(answer)
    return answer
  }
  const lanes = Array.from({ length: LANES }, () => stage.retry(ask, served, `the new field in ${path}`, 0))
  expect((await stage.put(`${CRDS}/${metadata.name}`, definition)).code).toBe(200)
  await Promise.all(lanes)
  return answers
}

describe('when the schema of a kind changes', () => {
  it('KA130: open watches end without an error', async () => {
    const { path, definition } = await defined()
    using watch = await stage.watch(`${path}?watch=1`)
    await watch.take(3)
    await changeSchema(definition, path)
    const rest = await watch.rest()
    expect(rest.filter(({ type }) => type === 'ERROR')).toEqual([])
    expect(watch.ended).toBe('clean')
  })

  it('KA102: lists are refused for a moment with 429, and answered before and after it', async () => {
    const { path, definition } = await defined()
    const answers: Answer[] = []
    const refused = () => answers.filter(({ code }) => code === 429)
    // The moment is short: whoever is not scheduled for as long does not see it, and looks again at the next change.
    for (let i = 0; i < CHANGES && refused().length === 0; i++) answers.push(...(await changeSchema(definition, path)))
    expect(new Set(answers.map(({ code }) => code))).toEqual(new Set(refused().length > 0 ? [200, 429] : [200]))
    for (const { headers, body } of refused()) {
      expect(headers['retry-after']).toBe('1')
      expect(body).toMatchObject({ reason: 'TooManyRequests', details: { retryAfterSeconds: 1 } })
      expect(body.message).toBe('storage is (re)initializing')
    }
    // The original may be ready again before any list arrives: docs/cluster-support.md.
    if (!real) expect(refused()).not.toEqual([])
  })

  it('KA121: a watch from before it is 410', async () => {
    const { path, definition } = await defined()
    const { body } = await stage.get(path)
    // Another write, so that the version is older than what the new storage begins with.
    await stage.created(stage.path('configmaps'), { metadata: { name: stage.name() } })
    await changeSchema(definition, path)
    const open = () => stage.get(`${path}?watch=1&timeoutSeconds=1&resourceVersion=${body.metadata.resourceVersion}`)
    const { bytes } = await stage.retry(open, ({ code }) => code === 200)
    expect(JSON.parse(bytes.toString().trim().split('\n')[0] ?? '')).toMatchObject({
      type: 'ERROR',
      object: { code: 410, reason: 'Expired' },
    })
  })

  it('KA110: the next page of a list that is forgotten is 410, and offers to go on', async () => {
    const { path, definition } = await defined()
    const { body } = await stage.get(`${path}?limit=1`)
    await changeSchema(definition, path)
    const { body: later } = await stage.get(path)
    await stage.server.forget(later.metadata.resourceVersion)
    const expired = await stage.get(`${path}?limit=1&continue=${body.metadata.continue}`)
    expect(expired).toMatchObject({
      code: 410,
      body: { reason: 'Expired', metadata: { continue: expect.any(String) } },
    })
    const { code, body: rest } = await stage.get(`${path}?continue=${expired.body.metadata.continue}`)
    expect(code).toBe(200)
    expect(rest.items.map(({ metadata }: Loose) => metadata.name)).toEqual(['b', 'c'])
  })
})
