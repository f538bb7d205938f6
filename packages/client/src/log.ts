import { setImmediate } from 'node:timers/promises'
import { seconds } from '@binnacle/core'
import type { Call, Exchange } from './exchange.ts'
import { LineSplitter, LONGEST_LINE } from './lines.ts'
import type { LogOptions } from './options.ts'
import { type Query, wholeSeconds } from './request.ts'

/**
 * The log of a container, line by line.
 * Guarantees: as for a watch: it ends when the server ends it, or throws; who does not read holds up the server. Bytes that are no UTF-8
 * become the replacement character, and never break a line.
 */

const LINES_PER_TURN = 200

export function logQuery(options: LogOptions): Query {
  const { container, follow, tail, since, previous, timestamps } = options
  return {
    container,
    follow: follow || undefined,
    tailLines: tail,
    sinceSeconds: since === undefined ? undefined : wholeSeconds(since),
    previous: previous || undefined,
    timestamps: timestamps || undefined,
  }
}

export async function* logLines(exchange: Exchange, call: Call, options: LogOptions): AsyncGenerator<string> {
  const deadline = exchange.deadline(call, options)
  const silence =
    options.inactivityTimeout === undefined ? usualSilence(exchange, options) : seconds(options.inactivityTimeout)
  try {
    const { body } = await exchange.retried(call, deadline, () =>
      exchange.open(call, { signal: deadline.signal, silence }),
    )
    yield* lines(body)
  } finally {
    deadline[Symbol.dispose]()
  }
}

/** A container may have nothing to say for days. */
function usualSilence({ requestTimeout }: Exchange, { follow }: LogOptions): number {
  return follow ? Number.POSITIVE_INFINITY : requestTimeout
}

async function* lines(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const splitter = new LineSplitter(LONGEST_LINE, 'keep')
  let count = 0
  for await (const chunk of body) {
    for (const line of splitter.push(chunk)) {
      yield textOf(line)
      if (++count % LINES_PER_TURN === 0) await setImmediate()
    }
  }
  for (const line of splitter.end()) yield textOf(line)
}

function textOf(line: Uint8Array): string {
  return Buffer.from(line.buffer, line.byteOffset, line.byteLength).toString()
}
