import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Loose } from './exchange.ts'
import { type Behaviour, Hook, patching } from './hook.ts'
import { openStage } from './stage.ts'
import { widget, widgets } from './widget.ts'

const stage = openStage()
const ROOT = '/apis/admissionregistration.k8s.io/v1'
const MUTATING = `${ROOT}/mutatingwebhookconfigurations`
const VALIDATING = `${ROOT}/validatingwebhookconfigurations`
let hook: Hook
beforeAll(async () => {
  hook = await Hook.start()
  await stage.define(widgets(stage.group))
}, 120_000)
afterAll(() => hook?.[Symbol.asyncDispose]())

/** The paths of the configurations of one test. */
const configured: string[] = []
afterEach(async () => {
  for (const path of configured.splice(0)) await stage.delete(path)
})

const custom = () => stage.path('widgets', `${stage.group}/v1`)
const rule = () => ({ apiGroups: [stage.group], apiVersions: ['*'], resources: ['widgets'], operations: ['CREATE'] })

/** Installs a webhook for widgets, and waits until it is asked: a server learns of it a moment later. */
async function install(list: string, name: string, behaviour: Behaviour, more: Loose = {}): Promise<void> {
  const path = `/${stage.name(name)}`
  let probed = false
  const clientConfig = hook.at(path, (request) => {
    if (request.name?.startsWith('probe')) {
      probed = true
      return { allowed: true }
    }
    return behaviour(request)
  })
  const id = `${name}.${stage.group}`
  const common = { rules: [rule()], clientConfig, sideEffects: 'None', admissionReviewVersions: ['v1'] }
  await stage.created(list, { metadata: { name: id }, webhooks: [{ name: id, ...common, ...more }] })
  configured.push(`${list}/${id}`)
  const probe = () => stage.post(`${custom()}?dryRun=All`, widget(stage.group, stage.name('probe'), {}))
  await stage.retry(probe, () => probed, 'a probe of the webhook')
}

const create = (name: string, spec: Loose = {}, query = '') =>
  stage.post(`${custom()}${query}`, widget(stage.group, stage.name(name), spec))

describe('admission webhooks', () => {
  it('KA151: a patch is applied, and defaults after it', async () => {
    await install(
      MUTATING,
      'patch',
      patching({ op: 'remove', path: '/spec/size' }, { op: 'add', path: '/spec/color', value: 'blue' }),
    )
    const { code, body } = await create('a')
    expect(code).toBe(201)
    expect(body.spec).toEqual({ color: 'blue', size: 3 })
  })

  it('KA151: they are asked in the order of their names', async () => {
    const add = (value: string) => (request: Loose) =>
      patching({ op: 'add', path: '/spec/title', value: `${request.object.spec.title ?? ''}${value}` })(request)
    await install(MUTATING, 'second', add('2'))
    await install(MUTATING, 'first', add('1'))
    expect((await create('a')).body.spec.title).toBe('12')
  })

  it('KA151: a denial has its own code, and says who denied', async () => {
    const status = { code: 418, message: 'not today', reason: 'Teapot' }
    await install(VALIDATING, 'deny', () => ({ allowed: false, status }))
    const { code, body } = await create('a')
    expect(code).toBe(418)
    expect(body).toMatchObject({
      reason: 'Teapot',
      message: `admission webhook "deny.${stage.group}" denied the request: not today`,
    })
  })

  it('KA151: a denial without words is 400, and warnings come through', async () => {
    await install(VALIDATING, 'plain', () => ({ allowed: false, warnings: ['look out'] }))
    const { code, headers } = await create('a')
    expect(code).toBe(400)
    expect(headers['warning']).toBe('299 - "look out"')
  })

  it('KA151: one that fails is 500, unless its failure is ignored', async () => {
    await install(VALIDATING, 'fail', () => ({ http: 503 }), { failurePolicy: 'Fail' })
    expect((await create('a')).code).toBe(500)
    await stage.delete(configured.pop() ?? '')
    await install(VALIDATING, 'ignore', () => ({ http: 503 }), { failurePolicy: 'Ignore' })
    const made = () => create('b')
    expect((await stage.retry(made, ({ code }) => code !== 500)).code).toBe(201)
  })

  it('KA151: one that does not answer in time is the same', async () => {
    await install(VALIDATING, 'slow', () => undefined, { timeoutSeconds: 1 })
    const { code, body } = await create('a')
    expect({ code, reason: body.reason }).toEqual({ code: 500, reason: 'InternalError' })
    await stage.delete(configured.pop() ?? '')
    await install(VALIDATING, 'patient', () => undefined, { timeoutSeconds: 1, failurePolicy: 'Ignore' })
    const made = () => create('b')
    expect((await stage.retry(made, ({ code: seen }) => seen !== 500)).code).toBe(201)
  })

  it('KA151: dry runs are refused by those with side effects', async () => {
    const id = `effects.${stage.group}`
    const clientConfig = hook.at('/effects')
    const common = { rules: [rule()], clientConfig, admissionReviewVersions: ['v1'] }
    const some = { metadata: { name: id }, webhooks: [{ name: id, ...common, sideEffects: 'Some' }] }
    expect((await stage.post(VALIDATING, some)).code).toBe(422)
    await install(VALIDATING, 'aware', () => ({}), { sideEffects: 'NoneOnDryRun' })
    expect((await create('a', {}, '?dryRun=All')).code).toBe(201)
    expect(hook.asked.at(-1)?.request).toMatchObject({ operation: 'CREATE', dryRun: true })
  })

  it('KA151: conditions and namespaces say who is not asked', async () => {
    const deny = () => ({ allowed: false })
    const expression = 'object.metadata.name.startsWith("probe") || object.metadata.name.startsWith("no")'
    await install(VALIDATING, 'some', deny, { matchConditions: [{ name: 'names', expression }] })
    expect((await create('no')).code).toBe(400)
    expect((await create('yes')).code).toBe(201)
    await stage.delete(configured.pop() ?? '')
    const matchLabels = { 'kubernetes.io/metadata.name': stage.namespace }
    await install(VALIDATING, 'here', deny, { namespaceSelector: { matchLabels } })
    const elsewhere = await stage.makeNamespace()
    const path = stage.path('widgets', `${stage.group}/v1`, elsewhere)
    expect((await create('a')).code).toBe(400)
    expect((await stage.post(path, widget(stage.group, 'b'))).code).toBe(201)
  })

  it('KA151: are told what is asked, and by whom', async () => {
    await install(VALIDATING, 'told', () => ({}))
    const { body } = await create('a', { color: 'red' })
    const { request } = hook.asked.at(-1) ?? {}
    expect(request).toMatchObject({
      ...{ operation: 'CREATE', namespace: stage.namespace, name: body.metadata.name, dryRun: false, oldObject: null },
      kind: { group: stage.group, version: 'v1', kind: 'Widget' },
      resource: { group: stage.group, version: 'v1', resource: 'widgets' },
      userInfo: { username: 'admin' },
      object: { spec: { color: 'red', size: 3 } },
      options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1' },
    })
  })
})
