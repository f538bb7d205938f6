import { AlreadyExistsError, BinnacleError, type Clock, isPlainObject, NotFoundError, seconds } from '@binnacle/core'
import { isCRD, type Manifest } from './manifests.ts'
import type { Server } from './parts.ts'

/** How long a server may take until it serves a kind whose definition it has accepted. */
const PATIENCE = '10s'
const PAUSE = '100ms'

/** The manifests, and the namespaces that they are in and that nobody gave: an embedded cluster has hardly any. */
export function withNamespaces(manifests: readonly Manifest[]): readonly Manifest[] {
  const given = new Set(manifests.filter(isNamespace).map(({ metadata }) => metadata.name))
  const needed = new Set(manifests.flatMap(({ metadata }) => metadata.namespace ?? []))
  const missing = [...needed].filter((name) => !given.has(name))
  return [...missing.map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })), ...manifests]
}

/**
 * Brings objects onto a server: those that are not there are created, the others are changed to what is given.
 * Guarantees: definitions come first, then namespaces; fields that the manifest does not name stay as they are.
 */
export async function install(server: Server, manifests: readonly Manifest[], clock: Clock): Promise<void> {
  const ordered = [...manifests].sort((a, b) => rank(a) - rank(b))
  for (const manifest of ordered) await put(server, manifest, clock)
}

function rank(manifest: Manifest): number {
  if (isCRD(manifest)) return 0
  return isNamespace(manifest) ? 1 : 2
}

function isNamespace(manifest: Manifest): boolean {
  return manifest.kind === 'Namespace' && manifest.apiVersion === 'v1'
}

async function put(server: Server, manifest: Manifest, clock: Clock): Promise<void> {
  const collection = await collectionOf(server, manifest)
  try {
    await server.request('POST', collection, { body: manifest })
  } catch (error) {
    if (!(error instanceof AlreadyExistsError)) throw error
    const path = `${collection}/${encodeURIComponent(manifest.metadata.name)}`
    await server.request('PATCH', path, { body: manifest, contentType: 'application/merge-patch+json' })
  }
  if (isCRD(manifest)) await established(server, manifest, clock)
}

async function collectionOf(server: Server, manifest: Manifest): Promise<string> {
  const base = manifest.apiVersion.includes('/') ? `/apis/${manifest.apiVersion}` : `/api/${manifest.apiVersion}`
  const found = await served(server, base, manifest.kind)
  if (!found) throw notServed(manifest)
  const namespace = manifest.metadata.namespace ?? 'default'
  return found.namespaced
    ? `${base}/namespaces/${encodeURIComponent(namespace)}/${found.name}`
    : `${base}/${found.name}`
}

interface Served {
  readonly name: string
  readonly namespaced: boolean
}

async function served(server: Server, base: string, kind: string): Promise<Served | undefined> {
  const list = await server.request('GET', base).catch((error: unknown) => {
    if (error instanceof NotFoundError) return undefined
    throw error
  })
  const resources = isPlainObject(list) && Array.isArray(list['resources']) ? list['resources'] : []
  const found = resources.find((resource) => resource?.kind === kind && !String(resource?.name).includes('/'))
  return found && { name: String(found.name), namespaced: found.namespaced === true }
}

/** A server takes a moment between accepting a definition and serving its kind. */
async function established(server: Server, crd: Manifest, clock: Clock): Promise<void> {
  const { group, names, versions } = crd['spec'] as {
    readonly group: string
    readonly names: { readonly kind: string }
    readonly versions: readonly { readonly name: string; readonly served: boolean }[]
  }
  const deadline = clock.monotonic() + seconds(PATIENCE)
  for (const version of versions.filter((each) => each.served)) {
    while (!(await served(server, `/apis/${group}/${version.name}`, names.kind))) {
      if (clock.monotonic() >= deadline) throw notEstablished(crd)
      await clock.sleep(PAUSE)
    }
  }
}

function notEstablished({ metadata }: Manifest): BinnacleError {
  return new BinnacleError('BIN_UNKNOWN_RESOURCE', {
    message: `The server has accepted the CustomResourceDefinition "${metadata.name}", but does not serve it`,
    hint: 'The conditions in its status say why:',
    fix: `kubectl get crd ${metadata.name} -o jsonpath='{.status.conditions}'`,
  })
}

function notServed({ apiVersion, kind, metadata }: Manifest): BinnacleError {
  return new BinnacleError('BIN_UNKNOWN_RESOURCE', {
    message: `The ${kind} "${metadata.name}" cannot be created: the server does not serve ${kind} in ${apiVersion}`,
    hint: 'Give the file of its CustomResourceDefinition with --crd, or correct apiVersion and kind.',
  })
}
