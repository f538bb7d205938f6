/**
 * GET of a collection as a stream of its changes.
 * Guarantees: from version v on, every later change that the selectors let through, once, in order; or an Expired error when one
 * of them is forgotten. A bookmark is never followed by an event of a version up to its own.
 */
import { ByteStream } from '../http/byte-stream.ts'
import { FramedStream } from '../http/framed-stream.ts'
import { type Answer, streamAnswer } from '../http/message.ts'
import { protobufType } from '../http/negotiate.ts'
import { type StatusError, tooLargeVersion, tooOld } from '../http/status.ts'
import { bytesOf, printJson } from '../json.ts'
import { groupVersion } from '../kinds/kind.ts'
import type { KubeObject } from '../object.ts'
import { checkReady, type Operation, tableOf } from '../request/backend.ts'
import { type ListOptions, listOptions } from '../request/list-options.ts'
import { eventLine } from '../storage/change.ts'
import { tell, type Watcher } from '../storage/fan-out.ts'
import type { View } from '../storage/record.ts'
import { formatOf, viewOf } from './answer.ts'
import { versionPatience } from './get.ts'

/** Seconds between two bookmarks, and how long before its end a watch gets its last one. */
const bookmarkInterval = 60
const lastBookmark = 2

export async function watch(operation: Operation): Promise<Answer> {
  const options = listOptions(operation)
  if (startOf(options) === 'state') checkReady(operation)
  const view = eventView(operation)
  const stream = formatOf(operation).encoding === 'protobuf' ? new FramedStream() : new ByteStream()
  register(operation, stream)
  const error = await unreachable(operation, options)
  if (error) fail(stream, error)
  else open(operation, options, view, stream)
  return streamAnswer(stream, stream instanceof FramedStream ? `${protobufType};stream=watch` : undefined)
}

/** How the next event is shown. Asked for once per event: the columns of a table come with the first only, and ages pass. */
type EventView = () => View

function eventView(operation: Operation): EventView {
  const format = formatOf(operation)
  if (format.as !== 'Table') {
    const view = viewOf(operation, format)
    return () => view
  }
  viewOf(operation, format)
  let first = true
  return () => {
    const view = viewOf(operation, format, first)
    first = false
    return view
  }
}

function register({ backend, call }: Operation, stream: ByteStream): void {
  backend.streams.add(stream)
  const abort = () => stream.cut(call.signal.reason)
  call.signal.addEventListener('abort', abort, { once: true })
  stream.onClose(() => {
    backend.streams.delete(stream)
    call.signal.removeEventListener('abort', abort)
  })
}

function fail(stream: ByteStream, error: StatusError): void {
  stream.pushInitial(eventLine('ERROR', bytesOf(printJson(error.status()))))
  stream.end()
}

/** A streamed list waits for its version like any list; a plain watch just waits for what comes after. */
async function unreachable(operation: Operation, options: ListOptions): Promise<StatusError | undefined> {
  if (options.initialEvents !== true || options.version === undefined) return undefined
  const { backend, call } = operation
  const { revision } = backend.storage
  const reached = await revision.reached(options.version, versionPatience, backend.timetable, call.signal)
  return reached ? undefined : tooLargeVersion(options.version, revision.current)
}

/** From here on nothing waits: what is sent first and what follows meet at one version. */
function open(operation: Operation, options: ListOptions, view: EventView, stream: ByteStream): void {
  const { backend } = operation
  const table = tableOf(backend, operation.kind)
  const from = startOf(options)
  const after = from === 'now' || from === 'state' ? backend.storage.revision.current : from
  const watcher = watcherOf(operation, options, view, stream, after)
  if (from === 'state') sendState(operation, options, view, stream)
  else if (from !== 'now') {
    const missed = table.history.since(from)
    if (!missed) {
      fail(stream, tooOld(from, table.history.floor))
      return
    }
    const replay = initialOf(watcher, view)
    const mine = (namespace: string) => operation.namespace === '' || namespace === operation.namespace
    for (const change of missed) if (mine(change.record.namespace)) tell(replay, change)
  }
  stream.onClose(table.watchers.add(watcher))
  schedule(operation, options, view, stream)
}

function startOf(options: ListOptions): number | 'now' | 'state' {
  if (options.initialEvents === true) return 'state'
  if (options.version === undefined || options.version === 0) return options.initialEvents === false ? 'now' : 'state'
  return options.version
}

function watcherOf(operation: Operation, options: ListOptions, view: EventView, stream: ByteStream, after: number) {
  const watcher: Watcher & { readonly initial: (line: Uint8Array) => void } = {
    namespace: operation.namespace,
    filter: options.filter,
    get view() {
      return view()
    },
    after,
    send: (line) => stream.push(line),
    initial: (line) => stream.pushInitial(line),
    end: () => stream.end(),
  }
  return watcher
}

/** The same watcher for what it missed: that counts against no limit. */
const initialOf = (watcher: Watcher & { readonly initial: (line: Uint8Array) => void }, view: EventView): Watcher => ({
  namespace: watcher.namespace,
  filter: watcher.filter,
  after: watcher.after,
  end: watcher.end,
  send: watcher.initial,
  get view() {
    return view()
  },
})

function sendState(operation: Operation, options: ListOptions, view: EventView, stream: ByteStream): void {
  for (const record of tableOf(operation.backend, operation.kind).list(operation.namespace)) {
    if (options.filter.matches(record.object)) stream.pushInitial(eventLine('ADDED', record.encoded(view())))
  }
  if (options.initialEvents === true && options.bookmarks) stream.pushInitial(bookmark(operation, view, true))
}

function bookmark({ backend, kind, version }: Operation, next: EventView, initialEnd: boolean): Uint8Array {
  const resourceVersion = String(backend.storage.revision.current)
  const metadata = initialEnd
    ? { resourceVersion, annotations: { 'k8s.io/initial-events-end': 'true' } }
    : { resourceVersion }
  const object: KubeObject = { kind: kind.kind, apiVersion: groupVersion(kind.group, version.name), metadata }
  const view = next()
  const bare = /^(metadata|table) /.test(view.id) ? view.render(object) : object
  return eventLine('BOOKMARK', bytesOf(printJson(bare)))
}

/** Bookmarks and the end. Without a timeout of its own a watch ends by itself after half an hour to an hour, as in the original. */
function schedule(operation: Operation, options: ListOptions, view: EventView, stream: ByteStream): void {
  const { timetable, random } = operation.backend
  const seconds = options.timeoutSeconds || 1800 + Math.floor(random() * 1800)
  const mark = () => {
    if (options.bookmarks) stream.push(bookmark(operation, view, false))
  }
  stream.onClose(timetable.after(seconds, () => stream.end()))
  if (!options.bookmarks) return
  if (seconds > lastBookmark) stream.onClose(timetable.after(seconds - lastBookmark, mark))
  stream.onClose(timetable.every(bookmarkInterval, mark))
}
