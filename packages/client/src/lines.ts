import { NetworkError } from '@binnacle/core'
import { asBuffer } from './decode.ts'

/**
 * Bytes in pieces → lines.
 * Guarantees: the same lines however the bytes are split; no line is longer than the cap, and no more than the cap is ever held.
 * A last line without a line feed counts only if the stream ended properly, which the caller knows by not having seen an error.
 */

/** Three objects of the largest size that etcd stores by default would fit into it ten times over. */
export const LONGEST_LINE = 64 * 1024 * 1024
const LINE_FEED = 0x0a

/** Whether lines without a byte count. */
export type EmptyLines = 'drop' | 'keep'

export class LineSplitter {
  readonly #longest: number
  readonly #empty: EmptyLines
  #pieces: Uint8Array[] = []
  #held = 0

  constructor(longest: number = LONGEST_LINE, empty: EmptyLines = 'drop') {
    this.#longest = longest
    this.#empty = empty
  }

  /** The lines that these bytes complete. */
  *push(chunk: Uint8Array): Generator<Uint8Array> {
    const bytes = asBuffer(chunk)
    let from = 0
    for (let end = bytes.indexOf(LINE_FEED); end !== -1; end = bytes.indexOf(LINE_FEED, from)) {
      const line = this.#joined(bytes.subarray(from, end))
      from = end + 1
      if (line.length > 0 || this.#empty === 'keep') yield line
    }
    // Copied: the piece may be a part of a buffer that its owner uses again.
    if (from < bytes.length) this.#hold(Buffer.from(bytes.subarray(from)))
  }

  /** What came after the last line feed. */
  *end(): Generator<Uint8Array> {
    if (this.#held > 0) yield this.#joined(Buffer.alloc(0))
  }

  /** What is held, and its last piece. Most lines come in one. */
  #joined(last: Uint8Array): Uint8Array {
    this.#hold(last)
    const line = this.#pieces.length <= 1 ? (this.#pieces[0] ?? last) : Buffer.concat(this.#pieces)
    this.#pieces = []
    this.#held = 0
    return line
  }

  #hold(piece: Uint8Array): void {
    this.#held += piece.length
    if (this.#held > this.#longest) throw tooLong(this.#longest)
    if (piece.length > 0) this.#pieces.push(piece)
  }
}

function tooLong(longest: number): NetworkError {
  return new NetworkError({
    message: `The server sent a line of more than ${longest} bytes`,
    hint: 'No object of Kubernetes is that large: look which server answers at this address.',
    mayHaveCommitted: false,
  })
}
