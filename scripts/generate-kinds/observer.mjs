/** Asks a running kube-apiserver what it serves. Every answer is in the server's own order, so that files repeat. */
import { readFileSync } from 'node:fs'
import { request } from 'node:https'

const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'
const table = 'application/json;as=Table;v=v1;g=meta.k8s.io'

export class Observer {
  #server
  #token
  #ca

  /** @param {string} kubeconfig */
  constructor(kubeconfig) {
    const text = readFileSync(kubeconfig, 'utf8')
    const find = (/** @type {RegExp} */ pattern) => pattern.exec(text)?.[1]
    const ca = find(/certificate-authority-data:\s*(\S+)/)
    const file = find(/certificate-authority:\s*(\S+)/)
    this.#server = new URL(find(/server:\s*(\S+)/) ?? '')
    this.#token = find(/\btoken:\s*(\S+)/)
    this.#ca = ca ? Buffer.from(ca, 'base64') : file ? readFileSync(file) : undefined
  }

  /**
   * @param {string} path @param {{ readonly method?: string, readonly accept?: string, readonly body?: unknown }} [options]
   * @returns {Promise<any>}
   */
  async json(path, { method = 'GET', accept = 'application/json', body } = {}) {
    const text = await this.#text(path, method, accept, body)
    const answer = JSON.parse(text)
    if (answer.kind === 'Status' && answer.status === 'Failure') throw new Error(`${method} ${path}: ${answer.message}`)
    return answer
  }

  /** @param {string} path @param {string} method @param {string} accept @param {unknown} body @returns {Promise<string>} */
  #text(path, method, accept, body) {
    return new Promise((resolve, reject) => {
      const call = request(
        new URL(path, this.#server),
        {
          method,
          ca: this.#ca,
          headers: { accept, authorization: `Bearer ${this.#token}`, 'content-type': 'application/json' },
        },
        (answer) => {
          let text = ''
          answer.setEncoding('utf8')
          answer.on('data', (chunk) => {
            text += chunk
          })
          answer.on('end', () => resolve(text))
        },
      )
      call.on('error', reject)
      call.end(body === undefined ? undefined : JSON.stringify(body))
    })
  }

  /** The roles and bindings that every cluster with RBAC starts with, as they were before anybody aggregated them. @returns {Promise<any[]>} */
  async policy() {
    const objects = []
    for (const plural of ['clusterroles', 'clusterrolebindings', 'roles', 'rolebindings']) {
      const list = await this.json(
        `/apis/rbac.authorization.k8s.io/v1/${plural}?labelSelector=kubernetes.io/bootstrapping=rbac-defaults`,
      )
      const kind = list.kind.replace(/List$/, '')
      for (const item of list.items) objects.push(bootstrapObject(list.apiVersion, kind, item))
    }
    return objects
  }

  /** Every built-in resource in every version, in the order of discovery. @returns {Promise<any[]>} */
  async kinds() {
    const rows = []
    for (const root of ['/api', '/apis']) {
      const { items } = await this.json(root, { accept: aggregated })
      for (const group of items) rows.push(...(await this.#group(group)))
    }
    return rows
  }

  /** @param {any} group @returns {Promise<any[]>} */
  async #group(group) {
    const name = group.metadata.name ?? ''
    const rows = []
    for (const { version, resources } of group.versions) {
      const legacy = await this.json(name === '' ? `/api/${version}` : `/apis/${name}/${version}`)
      const hashes = new Map(legacy.resources.map((/** @type {any} */ r) => [r.name, r.storageVersionHash]))
      for (const found of resources) rows.push(row(name, version, found, hashes.get(found.resource)))
    }
    return rows
  }

  /** The OpenAPI v3 document of every group and version. @param {any[]} kinds @returns {Promise<any[]>} */
  async schemas(kinds) {
    const paths = new Set(kinds.map((kind) => documentPath(kind)))
    const documents = []
    for (const path of paths) documents.push(await this.json(`/openapi/v3/${path}`))
    return documents
  }

  /** The columns of every kind that can be listed. @param {any[]} kinds @returns {Promise<Record<string, unknown>>} */
  async columns(kinds) {
    /** @type {Record<string, unknown>} */
    const found = {}
    for (const kind of kinds) {
      if (!kind.verbs.includes('list')) continue
      const answer = await this.json(`/${documentPath(kind)}/${kind.plural}?limit=1`, { accept: table })
      found[`${kind.group}/${kind.version}/${kind.plural}`] = answer.columnDefinitions
    }
    return found
  }
}

/** @param {{ readonly group: string, readonly version: string }} kind */
export const documentPath = ({ group, version }) => (group === '' ? `api/${version}` : `apis/${group}/${version}`)

/** @param {string} group @param {string} version @param {any} found @param {string | undefined} hash */
function row(group, version, found, hash) {
  return {
    group,
    version,
    kind: found.responseKind.kind,
    plural: found.resource,
    singular: found.singularResource,
    namespaced: found.scope === 'Namespaced',
    ...(found.shortNames ? { short: found.shortNames } : {}),
    ...(found.categories ? { categories: found.categories } : {}),
    verbs: found.verbs,
    ...(found.subresources ? { sub: found.subresources.map(subresource) } : {}),
    ...(hash ? { hash } : {}),
  }
}

/** @param {any} sub */
function subresource({ subresource: name, responseKind, verbs }) {
  const { group, version, kind } = responseKind
  return { name, kind, ...(version === '' ? {} : { group, version }), verbs }
}

/** @param {string} apiVersion @param {string} kind @param {any} item what a server adds to an object is taken off again */
function bootstrapObject(apiVersion, kind, { metadata, rules, ...rest }) {
  const { name, namespace, labels, annotations } = metadata
  return {
    kind,
    apiVersion,
    metadata: { name, ...(namespace ? { namespace } : {}), labels, annotations },
    ...(rest.aggregationRule || rules === undefined ? {} : { rules }),
    ...rest,
  }
}
