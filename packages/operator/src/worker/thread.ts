/**
 * What runs in each worker thread: it imports the files of handlers, calls them one at a time, and sends back what came of it.
 * Guarantees: a result, an error or a patch that cannot be sent is told as an error that says so, and never lost in silence.
 * Assumes: it is started by WorkerThreads; an error that nobody catches ends the thread, which is noticed outside.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { BinnacleError, messageOf } from '@binnacle/core'
import type { WorkerFunction } from '../declare/worker.ts'
import { errorParcel } from './error-parcel.ts'
import { Mailbox } from './mailbox.ts'
import type { FromThread, Parcel, ThreadStart, ToThread } from './messages.ts'
import { ThreadContext } from './thread-context.ts'

if (!parentPort) throw new TypeError('This file is for worker threads')
const port = parentPort
const { bell } = workerData as ThreadStart
const post = (message: FromThread) => port.postMessage(message)
const mailbox = new Mailbox(port, bell, receive)
let current: { readonly call: number; readonly context: ThreadContext | undefined } | undefined

port.on('message', (message: ToThread) => receive(message))

function receive(message: ToThread): void {
  if (message.type === 'load') void answer(message.call, undefined, () => load(message.module))
  else if (message.type === 'call') begin(message.call, message.module, message.parcel)
  else if (message.call === current?.call) current.context?.receive(message)
}

function begin(call: number, module: string, parcel: Parcel): void {
  const context = new ThreadContext(parcel, mailbox, post)
  void answer(call, context, async () => (await load(module))['~inWorker'](context.context))
}

async function answer(call: number, context: ThreadContext | undefined, work: () => Promise<unknown>): Promise<void> {
  current = { call, context }
  const written = () => context?.taken() ?? {}
  try {
    const result = await work()
    current = undefined
    send({ type: 'done', result: context ? result : undefined, merge: written() })
  } catch (error) {
    current = undefined
    send({ type: 'failed', error: errorParcel(error), merge: written() })
  }
}

function send(message: FromThread & { readonly type: 'done' | 'failed' }): void {
  try {
    post(message)
  } catch (error) {
    const what =
      message.type === 'done' ? 'What the handler returned, or put into `patch`,' : 'What the handler put into `patch`'
    const parcel = errorParcel(unsendable(what, error))
    post({ type: 'failed', error: message.type === 'failed' ? message.error : parcel, merge: {} })
  }
}

async function load(module: string): Promise<WorkerFunction> {
  const exported = Object.entries((await import(module)) as { readonly [name: string]: unknown })
  const made = exported.filter(([, value]) => typeof value === 'object' && value !== null && '~inWorker' in value)
  const [first] = made
  if (first && new Set(made.map(([, value]) => value)).size === 1) return first[1] as WorkerFunction
  throw new BinnacleError('BIN_WORKER', {
    message: `${module} exports ${made.length === 0 ? 'no handler' : 'several handlers'} made by inWorker`,
    hint: 'A file has one worker handler, under any name.',
    fix: "export const crunch = inWorker('kopfexamples.kopf.dev', ({ spec, stopped }) => { … })",
  })
}

function unsendable(what: string, error: unknown): BinnacleError {
  return new BinnacleError('BIN_WORKER', {
    message: `${what} cannot leave its thread: ${messageOf(error)}`,
    hint: 'Return and write plain JSON.',
    cause: error,
  })
}
