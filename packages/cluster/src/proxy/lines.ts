import { joined } from '../http/byte-stream.ts'

const NEWLINE = 10

/**
 * Cuts chunks of bytes into lines, each with its end.
 * Guarantees: nothing is lost or changed: the lines after one another are the chunks after one another.
 */
export function linesInto(deliver: (line: Uint8Array) => void): { add(chunk: Uint8Array): void; end(): void } {
  let begun: Uint8Array[] = []
  const flush = () => {
    if (begun.length > 0) deliver(begun.length === 1 ? (begun[0] as Uint8Array) : joined(begun))
    begun = []
  }
  return {
    add(chunk) {
      let start = 0
      for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
        begun.push(chunk.subarray(start, end + 1))
        start = end + 1
        flush()
      }
      if (start < chunk.length) begun.push(chunk.subarray(start))
    },
    end: flush,
  }
}
