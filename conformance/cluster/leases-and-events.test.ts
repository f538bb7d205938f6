import { describe, expect, it } from 'vitest'
import { MERGE, openStage } from './stage.ts'

const stage = openStage()
const leases = () => stage.path('leases', 'coordination.k8s.io/v1')
const coreEvents = () => stage.path('events')
const newEvents = () => stage.path('events', 'events.k8s.io/v1')

describe('leases', () => {
  it('KA155: are taken by one of two, and keep microseconds', async () => {
    const renewTime = '2026-01-02T03:04:05.123456Z'
    const made = await stage.created(leases(), { metadata: { name: 'l' }, spec: { holderIdentity: 'a', renewTime } })
    expect(made.spec.renewTime).toBe(renewTime)
    const taken = (holderIdentity: string) =>
      stage.put(`${leases()}/l`, { ...made, spec: { ...made.spec, holderIdentity } })
    expect((await taken('b')).code).toBe(200)
    expect(await taken('c')).toMatchObject({ code: 409, body: { reason: 'Conflict' } })
    const short = await stage.patch(`${leases()}/l`, MERGE, { spec: { renewTime: '2026-01-02T03:04:05.123Z' } })
    expect(short.code).toBe(422)
  })
})

describe('events', () => {
  const involvedObject = () => ({ apiVersion: 'v1', kind: 'Pod', namespace: stage.namespace, name: 'p', uid: 'u' })

  it('KA156: of the old kind are read as the new one', async () => {
    const event = {
      metadata: { name: 'e' },
      involvedObject: involvedObject(),
      reason: 'Why',
      message: 'what',
      type: 'Normal',
    }
    await stage.created(coreEvents(), event)
    const { code, body } = await stage.get(`${newEvents()}/e`)
    expect(code).toBe(200)
    expect(body).toMatchObject({
      ...{ kind: 'Event', apiVersion: 'events.k8s.io/v1', note: 'what', reason: 'Why', type: 'Normal' },
      regarding: involvedObject(),
    })
    const { body: selected } = await stage.get(`${coreEvents()}?fieldSelector=involvedObject.name%3Dp,reason%3DWhy`)
    expect(selected.items).toHaveLength(1)
  })

  it("KA156: in Kopf's shape are taken", async () => {
    const now = '2026-01-02T03:04:05.678901Z'
    const { code, body } = await stage.post(coreEvents(), {
      ...{ metadata: { namespace: stage.namespace, generateName: 'kopf-event-' } },
      ...{ action: 'Action?', type: 'Normal', reason: 'Logging', message: 'hello', count: 1 },
      ...{ reportingComponent: 'kopf', reportingInstance: 'dev', source: { component: 'kopf' } },
      ...{ involvedObject: involvedObject(), firstTimestamp: now, lastTimestamp: now, eventTime: now },
    })
    expect(code).toBe(201)
    expect(body).toMatchObject({
      kind: 'Event',
      apiVersion: 'v1',
      firstTimestamp: '2026-01-02T03:04:05Z',
      eventTime: now,
    })
  })
})
