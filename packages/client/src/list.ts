import { setImmediate } from 'node:timers/promises'
import { ExpiredError, type KubeObject, type List, type ListOptions, NetworkError } from '@binnacle/core'
import type { ManagedFields } from './decode.ts'
import type { Call, Deadline, Exchange } from './exchange.ts'
import type { ListEnvelope } from './list-bytes.ts'
import { ListDecoder } from './list-bytes.ts'
import type { ResourceAddress } from './request.ts'

/**
 * Lists as streams of items, by pages.
 * Guarantees: items are decoded as their bytes arrive, and the event loop gets its turn between pieces; each item has its apiVersion
 * and kind, which servers leave out of the items of built-in kinds; a server that falls silent ends the list with an error.
 */

/** What the listing of one resource needs. */
export interface Listing {
  readonly exchange: Exchange
  readonly resource: ResourceAddress
  readonly managedFields: ManagedFields
  readonly metadataOnly: boolean
  /** The request for one page. */
  readonly call: (options: ListOptions) => Call
}

/** So many bytes take a few milliseconds to decode. */
const PIECE = 64 * 1024
const PIECES_PER_TURN = 4
/** Beyond the turns that decoding takes: items may be small, and whoever reads them has work too. */
export const ITEMS_PER_TURN = 1000

/** All pages in one. A continuation that has expired begins anew without pages, as only that gives one version. */
export async function listAll<T extends KubeObject>(listing: Listing, options: ListOptions): Promise<List<T>> {
  const pages: List<T>[] = []
  try {
    for await (const page of listPages<T>(listing, options)) pages.push(page)
  } catch (error) {
    if (!(error instanceof ExpiredError) || pages.length === 0) throw error
    const { limit: _, continue: __, ...whole } = options
    return listAll(listing, whole)
  }
  return joined(pages)
}

/** Page by page; each is asked for again as long as nothing of it was handed out. */
export async function* listPages<T extends KubeObject>(
  listing: Listing,
  options: ListOptions,
): AsyncGenerator<List<T>> {
  const deadline = listing.exchange.deadline(listing.call(options), options)
  try {
    for (let next: ListOptions | undefined = options; next; ) {
      const page: List<T> = await wholePage<T>(listing, listing.call(next), deadline)
      yield page
      next = following(options, next, page.metadata.continue)
    }
  } finally {
    deadline[Symbol.dispose]()
  }
}

/** Items by batches, as they arrive. Only the opening of a page is repeated, since items are handed out as they come. */
export async function* listItems<T extends KubeObject>(
  listing: Listing,
  options: ListOptions,
): AsyncGenerator<Iterable<T>> {
  const deadline = listing.exchange.deadline(listing.call(options), options)
  try {
    for (let next: ListOptions | undefined = options; next; ) {
      const call = listing.call(next)
      const body = await listing.exchange.retried(call, deadline, () => open(listing, call, deadline))
      const batches = decoded<T>(listing, body)
      let batch = await batches.next()
      for (; !batch.done; batch = await batches.next()) yield batch.value
      next = following(options, next, batch.value.metadata?.continue)
    }
  } finally {
    deadline[Symbol.dispose]()
  }
}

async function wholePage<T extends KubeObject>(listing: Listing, call: Call, deadline: Deadline): Promise<List<T>> {
  return listing.exchange.retried(call, deadline, async () => {
    const batches = decoded<T>(listing, await open(listing, call, deadline))
    const items: T[] = []
    let batch = await batches.next()
    for (; !batch.done; batch = await batches.next()) for (const item of batch.value) items.push(item)
    return listOf(listing.resource, batch.value, items)
  })
}

async function open(listing: Listing, call: Call, deadline: Deadline): Promise<AsyncIterable<Uint8Array>> {
  const { exchange } = listing
  return (await exchange.open(call, { signal: deadline.signal, silence: exchange.requestTimeout })).body
}

/** Yields the items of each piece, and returns what stands around them. */
async function* decoded<T extends KubeObject>(
  { managedFields, resource, metadataOnly }: Listing,
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<readonly T[], ListEnvelope> {
  const decoder = new ListDecoder(managedFields)
  const complete = (item: unknown) => (metadataOnly ? metadataOf<T>(item, resource) : withKind<T>(item, resource))
  let pieces = 0
  for await (const chunk of body) {
    for (let from = 0; from < chunk.length; from += PIECE) {
      const items = decoder.push(chunk.subarray(from, from + PIECE))
      if (items.length > 0) yield items.map(complete)
      if (++pieces % PIECES_PER_TURN === 0) await setImmediate()
    }
  }
  const envelope = decoder.end()
  if (envelope.items?.length) yield envelope.items.map(complete)
  return envelope
}

/** The object with its apiVersion and kind in front. */
export function withKind<T extends KubeObject>(object: unknown, resource: ResourceAddress): T {
  const { apiVersion, kind } = object as { apiVersion?: unknown; kind?: unknown }
  if (apiVersion !== undefined && kind !== undefined) return object as T
  return { apiVersion: apiVersionOf(resource), kind: resource.kind, ...(object as object) } as unknown as T
}

/**
 * Metadata alone, under the object's own apiVersion and kind: servers send those of the answer's form (PartialObjectMetadata) instead, and some
 * send the whole object.
 */
export function metadataOf<T extends KubeObject>(object: unknown, resource: ResourceAddress): T {
  const { metadata } = object as { metadata?: unknown }
  return { apiVersion: apiVersionOf(resource), kind: resource.kind, metadata } as unknown as T
}

export function apiVersionOf({ group, version }: ResourceAddress): string {
  return group === '' ? version : `${group}/${version}`
}

/** A continuation carries its own version; the server refuses any other beside it. */
function following(options: ListOptions, last: ListOptions, token: string | undefined): ListOptions | undefined {
  if (!token) return undefined
  if (token === last.continue) throw endless()
  const { resourceVersion: _, resourceVersionMatch: __, ...rest } = options
  return { ...rest, continue: token }
}

/** The token says behind which object the next page begins: one that leads to itself would never end. */
function endless(): NetworkError {
  return new NetworkError({
    message: 'The server continues a list by the page that it has just sent, so that it would never end',
    hint: 'Something between client and server may answer in its place, such as a proxy that caches.',
    mayHaveCommitted: false,
  })
}

function listOf<T>(resource: ResourceAddress, envelope: ListEnvelope, items: readonly T[]): List<T> {
  // A list of metadata does not say of what.
  const own = envelope.kind === 'PartialObjectMetadataList' ? undefined : envelope
  return {
    apiVersion: own?.apiVersion ?? apiVersionOf(resource),
    kind: own?.kind ?? `${resource.kind}List`,
    metadata: { resourceVersion: '', ...envelope.metadata },
    items,
  }
}

function joined<T>(pages: readonly List<T>[]): List<T> {
  const [first] = pages
  if (first === undefined || pages.length === 1) return first as List<T>
  const { continue: _, remainingItemCount: __, ...metadata } = first.metadata
  return { ...first, metadata, items: pages.flatMap(({ items }) => items) }
}
