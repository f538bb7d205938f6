/**
 * A program that uses @kubernetes/client-node as its documentation shows it: an informer, a watch, create, read, list by pages, replace, delete, the four
 * kinds of patch, and objects of any kind. The cluster is that of KUBECONFIG; the package is the directory that is the first argument.
 *
 * It prints what it sees as lines of JSON, and ends by itself.
 */
import { createRequire } from 'node:module'

const [, , directory = ''] = process.argv
/** @type {any} The package is installed apart from the workspace, which has no types of it. */
const k8s = await import(createRequire(import.meta.url).resolve(directory))

/** @param {string} step @param {unknown} seen */
const say = (step, seen) => console.log(JSON.stringify({ step, seen }))
/** The code of a refusal. @param {Promise<unknown>} promise */
const refusal = (promise) =>
  promise.then(
    () => 'accepted',
    (/** @type {any} */ error) => error.code,
  )

const config = new k8s.KubeConfig()
config.loadFromDefault()
const core = config.makeApiClient(k8s.CoreV1Api)
const custom = config.makeApiClient(k8s.CustomObjectsApi)
const anything = k8s.KubernetesObjectApi.makeApiClient(config)
const namespace = 'default'
const widgets = { group: 'clients.example.com', version: 'v1', namespace, plural: 'widgets' }

async function configMaps() {
  const created = await core.createNamespacedConfigMap({
    namespace,
    body: { metadata: { name: 'one', labels: { set: 'crud' } }, data: { a: '1' } },
  })
  say('create', [created.metadata.name, created.data, typeof created.metadata.uid])
  say('create again', await refusal(core.createNamespacedConfigMap({ namespace, body: { metadata: { name: 'one' } } })))
  const read = await core.readNamespacedConfigMap({ namespace, name: 'one' })
  const replaced = await core.replaceNamespacedConfigMap({
    namespace,
    name: 'one',
    body: { ...read, data: { a: '2' } },
  })
  say('replace', [replaced.data, replaced.metadata.resourceVersion !== read.metadata.resourceVersion])
  say(
    'replace a stale one',
    await refusal(core.replaceNamespacedConfigMap({ namespace, name: 'one', body: { ...read, data: { a: '3' } } })),
  )
  for (const name of ['two', 'three']) {
    await core.createNamespacedConfigMap({ namespace, body: { metadata: { name, labels: { set: 'crud' } } } })
  }
  const names = []
  let token
  do {
    /** @type {any} */
    const page = await core.listNamespacedConfigMap({
      namespace,
      labelSelector: 'set=crud',
      limit: 2,
      _continue: token,
    })
    names.push(page.items.map((/** @type {any} */ { metadata }) => metadata.name))
    token = page.metadata._continue
  } while (token)
  say('list by pages', names)
  const deleted = await core.deleteNamespacedConfigMap({ namespace, name: 'one' })
  say('delete', [deleted.status, deleted.details.name])
  say('read what is gone', await refusal(core.readNamespacedConfigMap({ namespace, name: 'one' })))
  await core.deleteCollectionNamespacedConfigMap({ namespace, labelSelector: 'set=crud' })
  say('delete all', (await core.listNamespacedConfigMap({ namespace, labelSelector: 'set=crud' })).items.length)
}

async function patches() {
  const { PatchStrategy, setHeaderOptions } = k8s
  const containers = [{ name: 'web', image: 'web:1' }]
  await core.createNamespacedPod({ namespace, body: { metadata: { name: 'patched' }, spec: { containers } } })
  /** @param {string} strategy @param {unknown} body @param {object} [more] */
  const patch = (strategy, body, more) =>
    core.patchNamespacedPod({ namespace, name: 'patched', body, ...more }, setHeaderOptions('Content-Type', strategy))
  const json = await patch(PatchStrategy.JsonPatch, [{ op: 'add', path: '/metadata/labels', value: { by: 'json' } }])
  say('json patch', json.metadata.labels)
  const merge = await patch(PatchStrategy.MergePatch, { metadata: { labels: { by: null, with: 'merge' } } })
  say('merge patch', merge.metadata.labels)
  const strategic = await patch(PatchStrategy.StrategicMergePatch, {
    spec: { containers: [{ name: 'web', image: 'web:2' }] },
  })
  say(
    'strategic patch',
    strategic.spec.containers.map((/** @type {any} */ { name, image }) => [name, image]),
  )
  const applied = await patch(
    PatchStrategy.ServerSideApply,
    { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'patched', labels: { by: 'apply' } } },
    { fieldManager: 'client-node' },
  )
  const managers = applied.metadata.managedFields.map(
    (/** @type {any} */ { manager, operation }) => `${manager} ${operation}`,
  )
  say('server-side apply', [applied.metadata.labels, managers.includes('client-node Apply')])
  const body = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'patched', labels: { by: 'another' } } }
  say('apply without force', await refusal(patch(PatchStrategy.ServerSideApply, body, { fieldManager: 'another' })))
  const forced = await patch(PatchStrategy.ServerSideApply, body, { fieldManager: 'another', force: true })
  say('apply with force', forced.metadata.labels)
  await core.deleteNamespacedPod({ namespace, name: 'patched', gracePeriodSeconds: 0 })
}

async function customObjects() {
  const body = { apiVersion: 'clients.example.com/v1', kind: 'Widget', metadata: { name: 'one' }, spec: { size: 1 } }
  const created = await custom.createNamespacedCustomObject({ ...widgets, body })
  say('create a custom object', created.spec)
  say(
    'create an invalid one',
    await refusal(custom.createNamespacedCustomObject({ ...widgets, body: { ...body, spec: {} } })),
  )
  const merged = await custom.patchNamespacedCustomObject(
    { ...widgets, name: 'one', body: { spec: { size: 2 } } },
    k8s.setHeaderOptions('Content-Type', k8s.PatchStrategy.MergePatch),
  )
  say('patch it', [merged.spec, merged.metadata.generation])
  const status = await custom.replaceNamespacedCustomObjectStatus({
    ...widgets,
    name: 'one',
    body: { ...merged, status: { phase: 'Seen', observed: 2 } },
  })
  say('write its status', [status.status, status.metadata.generation])
  const scale = await custom.getNamespacedCustomObjectScale({ ...widgets, name: 'one' })
  say('read its scale', [scale.spec, scale.status])
  await custom.deleteNamespacedCustomObject({ ...widgets, name: 'one' })
  const left = await custom.listNamespacedCustomObject(widgets)
  say('delete the custom object', left.items.length)
}

async function objectsOfAnyKind() {
  const spec = { apiVersion: 'clients.example.com/v1', kind: 'Widget', metadata: { name: 'any', namespace } }
  await anything.create({ ...spec, spec: { size: 3 } })
  const patched = await anything.patch(
    { ...spec, spec: { size: 4 } },
    undefined,
    undefined,
    undefined,
    undefined,
    k8s.PatchStrategy.MergePatch,
  )
  say('patch an object of any kind', patched.spec)
  const read = await anything.read(spec)
  say('read it', read.spec)
  say('list them', (await anything.list('clients.example.com/v1', 'Widget', namespace)).items.length)
  say('delete it', (await anything.delete(spec)).status)
}

async function reviews() {
  const access = config.makeApiClient(k8s.AuthorizationV1Api)
  const ask = async (/** @type {string} */ resource) => {
    const body = { spec: { resourceAttributes: { verb: 'list', resource, namespace } } }
    return (await access.createSelfSubjectAccessReview({ body })).status.allowed
  }
  say('may list', [await ask('configmaps'), await ask('secrets')])
  say('list secrets', await refusal(core.listNamespacedSecret({ namespace })))
}

/** @param {() => boolean} reached */
async function until(reached) {
  while (!reached()) await new Promise((resolve) => setTimeout(resolve, 20))
}

async function informers() {
  /** @type {string[]} */
  const heard = []
  const list = () => core.listNamespacedConfigMap({ namespace, labelSelector: 'set=informed' })
  const path = `/api/v1/namespaces/${namespace}/configmaps`
  const informer = k8s.makeInformer(config, path, list, 'set=informed')
  for (const event of ['add', 'update', 'delete']) {
    informer.on(event, (/** @type {any} */ { metadata, data }) => heard.push(`${event} ${metadata.name} ${data?.n}`))
  }
  informer.on('error', (/** @type {any} */ error) => heard.push(`error ${error.code ?? error.message}`))
  const labels = { set: 'informed' }
  await core.createNamespacedConfigMap({ namespace, body: { metadata: { name: 'early', labels }, data: { n: '0' } } })
  await informer.start()
  await until(() => heard.length === 1)
  await core.createNamespacedConfigMap({ namespace, body: { metadata: { name: 'late', labels }, data: { n: '1' } } })
  await until(() => heard.length === 2)
  const late = await core.readNamespacedConfigMap({ namespace, name: 'late' })
  await core.replaceNamespacedConfigMap({ namespace, name: 'late', body: { ...late, data: { n: '2' } } })
  await until(() => heard.length === 3)
  await core.deleteNamespacedConfigMap({ namespace, name: 'late' })
  await until(() => heard.length === 4)
  say('informer', heard)
  say(
    'its cache',
    informer.list().map((/** @type {any} */ { metadata }) => metadata.name),
  )
  await informer.stop()
}

async function watches() {
  /** @type {string[]} */
  const heard = []
  const { metadata } = await core.listNamespacedConfigMap({ namespace })
  const watch = new k8s.Watch(config)
  /** @type {(error: unknown) => void} */
  let ended = () => {}
  const end = new Promise((resolve) => {
    ended = resolve
  })
  const note = (/** @type {string} */ type, /** @type {any} */ object) =>
    heard.push(type === 'BOOKMARK' ? type : `${type} ${object.metadata.name}`)
  const path = `/api/v1/namespaces/${namespace}/configmaps`
  const query = { resourceVersion: metadata.resourceVersion, labelSelector: 'set=watched', allowWatchBookmarks: true }
  const controller = await watch.watch(path, query, note, ended)
  const labels = { set: 'watched' }
  await core.createNamespacedConfigMap({ namespace, body: { metadata: { name: 'watched', labels } } })
  await core.deleteNamespacedConfigMap({ namespace, name: 'watched' })
  await until(() => heard.length === 2)
  controller.abort()
  await end
  say('watch', heard)
  const tooOld = await new Promise((resolve) => {
    const seen = (/** @type {string} */ type, /** @type {any} */ object) => resolve([type, object.code, object.reason])
    const old = `/apis/clients.example.com/v1/namespaces/${namespace}/widgets`
    watch.watch(old, { resourceVersion: '1' }, seen, (/** @type {any} */ error) => resolve(error?.code ?? 'closed'))
  })
  say('watch from before there was such a kind', tooOld)
}

for (const step of [configMaps, patches, customObjects, objectsOfAnyKind, reviews, informers, watches]) await step()
say('done', true)
