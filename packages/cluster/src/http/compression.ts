import { gzipSync } from 'node:zlib'
import { ByteStream } from './byte-stream.ts'
import type { FrontAnswer } from './front.ts'

/** What is smaller is not worth the time, as the original decides. */
const SMALLEST = 128 * 1024

/** The answer as it is sent: compressed if the client asks for it and it is large. Watches never are. */
export function compressed(answer: FrontAnswer, accepted: string | undefined): FrontAnswer {
  const { body } = answer
  if (body instanceof ByteStream || body.length <= SMALLEST || !takesGzip(accepted)) return answer
  const headers = new Map([...answer.headers, ['content-encoding', 'gzip'], ['vary', 'Accept-Encoding']])
  return { ...answer, headers, body: gzipSync(body, { level: 1 }) }
}

function takesGzip(accepted = ''): boolean {
  return accepted.split(',').some((coding) => coding.split(';')[0]?.trim() === 'gzip')
}
