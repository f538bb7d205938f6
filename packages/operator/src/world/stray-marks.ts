import type { Client } from '@binnacle/client'
import { formatObjectName, type KubeObject, objectName, type ResourceLike } from '@binnacle/core'
import type { ReadingScope } from './reading.ts'

const PAGE = 500

/**
 * An object outside of the filter that carries the finalizer; undefined if there is none.
 * Such an object was wanted by handlers that were declared differently, and must be let go by this operator, or it can never be deleted.
 * Guarantees: reads metadata only, page by page, and keeps none of it.
 */
export async function strayMarks(
  client: Client,
  resource: ResourceLike,
  { namespace, ...filter }: ReadingScope,
  finalizer: string,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const asked = {
    metadataOnly: true,
    limit: PAGE,
    ...(namespace !== undefined && { namespace }),
    ...(signal && { signal }),
  }
  const within = new Set<string>()
  for await (const { metadata } of pages(client, resource, { ...asked, ...filter })) {
    if (metadata.finalizers?.includes(finalizer)) within.add(metadata.uid)
  }
  for await (const object of pages(client, resource, asked)) {
    const { finalizers, uid } = object.metadata
    if (finalizers?.includes(finalizer) && !within.has(uid)) return formatObjectName(objectName(object))
  }
  return undefined
}

async function* pages(
  client: Client,
  resource: ResourceLike,
  asked: Parameters<Client['list']>[1],
): AsyncGenerator<KubeObject> {
  let next: string | undefined
  do {
    const page = await client.list(resource, { ...asked, ...(next !== undefined && { continue: next }) })
    yield* page.items as readonly KubeObject[]
    next = page.metadata.continue
  } while (next)
}
