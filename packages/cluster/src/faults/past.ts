/**
 * Reads as of an earlier version, as from a server that lags behind.
 * Guarantees: what is shown is a state that was, whole; a watch that began in the past goes on from there, with all that followed.
 */
import { ByteStream } from '../http/byte-stream.ts'
import type { Door, FrontAnswer, RawRequest } from '../http/front.ts'
import { bytesOf, isObject, parseJson, printJson, textOf } from '../json.ts'
import { eventLine } from '../storage/change.ts'
import type { Occasion } from './occasion.ts'

/** Undefined where the past makes no difference: single objects, writes, and watches from a version. */
export async function fromThePast(
  door: Door,
  request: RawRequest,
  occasion: Occasion,
  revision: number,
): Promise<FrontAnswer | undefined> {
  if (occasion.verb === 'list' && !occasion.query.has('continue')) return await door.answer(listAt(request, revision))
  if (occasion.verb !== 'watch' || !startsWithState(occasion.query)) return undefined
  const state = await door.answer(listAt(request, revision))
  if (state.status !== 200 || state.body instanceof ByteStream) return state
  const watch = await door.answer(watchFrom(request, revision))
  if (!(watch.body instanceof ByteStream)) return watch
  return { ...watch, body: preceded(watch.body, initialLines(state.body, occasion.query)) }
}

function startsWithState(query: URLSearchParams): boolean {
  const version = query.get('resourceVersion') ?? ''
  return query.get('sendInitialEvents') === 'true' || version === '' || version === '0'
}

function listAt(request: RawRequest, revision: number): RawRequest {
  return asking(request, (query) => {
    for (const name of ['watch', 'sendInitialEvents', 'allowWatchBookmarks', 'timeoutSeconds']) query.delete(name)
    query.set('resourceVersion', String(revision))
    query.set('resourceVersionMatch', 'Exact')
  })
}

function watchFrom(request: RawRequest, revision: number): RawRequest {
  return asking(request, (query) => {
    query.delete('sendInitialEvents')
    query.delete('resourceVersionMatch')
    query.set('resourceVersion', String(revision))
  })
}

function asking(request: RawRequest, change: (query: URLSearchParams) => void): RawRequest {
  const [path, search = ''] = request.url.split('?')
  const query = new URLSearchParams(search)
  change(query)
  return { ...request, url: `${path}?${query}` }
}

function initialLines(list: Uint8Array, query: URLSearchParams): readonly Uint8Array[] {
  const parsed = parseJson(textOf(list))
  const items = isObject(parsed) && Array.isArray(parsed['items']) ? parsed['items'] : []
  const { apiVersion, kind: listKind, metadata } = (isObject(parsed) ? parsed : {}) as Record<string, unknown>
  const kind = String(listKind).replace(/List$/, '')
  const added = items.map((item) => eventLine('ADDED', bytesOf(printJson({ apiVersion, kind, ...(item as object) }))))
  if (query.get('sendInitialEvents') !== 'true') return added
  const resourceVersion = isObject(metadata) ? String(metadata['resourceVersion']) : ''
  const end = { apiVersion, kind, metadata: { resourceVersion, annotations: { 'k8s.io/initial-events-end': 'true' } } }
  return [...added, eventLine('BOOKMARK', bytesOf(printJson(end)))]
}

/** The lines first, then whatever the stream has and gets. */
function preceded(stream: ByteStream, lines: readonly Uint8Array[]): ByteStream {
  const body = new ByteStream()
  for (const line of lines) body.pushInitial(line)
  stream.through((line) => body.pushInitial(line))
  stream.onClose(() => body.end())
  body.onClose(() => stream.close())
  return body
}
