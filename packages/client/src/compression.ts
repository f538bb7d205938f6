import { pipeline, type Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { NetworkError } from '@binnacle/core'

/** Takes less turns for large lists, and holds no more than this. */
const PIECE = 64 * 1024

/**
 * A body as it was before the server compressed it.
 * Guarantees: who does not read holds up the socket as well; leaving one ends the other; what is cut or damaged fails instead of ending.
 */
export function inflated(body: Readable, encoding: string | undefined): Readable {
  if (encoding === undefined || encoding === 'identity') return body
  if (encoding !== 'gzip') {
    body.on('error', () => {}).destroy()
    throw unknownEncoding(encoding)
  }
  // The outcome is told by the last stream.
  return pipeline(body, createGunzip({ chunkSize: PIECE }), () => {})
}

function unknownEncoding(encoding: string): NetworkError {
  return new NetworkError({
    message: `The server sent an answer compressed as ${JSON.stringify(encoding.slice(0, 50))}, which was not asked for`,
    hint: 'Something else than an API server may have answered, such as a proxy.',
    mayHaveCommitted: true,
  })
}
