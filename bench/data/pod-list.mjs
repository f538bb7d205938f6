/** A list of pods as a server writes it, for the small servers of the benches. */
import { listHead, makePod } from './pods.mjs'

const PIECE = 256 * 1024

/** In pieces as they are written; servers leave kind and apiVersion out of items. @param {number} count @param {number} version */
export function podListPieces(count, version) {
  const pieces = []
  let text = listHead(version)
  for (let i = 0; i < count; i++) {
    const { kind: _, apiVersion: __, ...pod } = makePod(i)
    text += `${i === 0 ? '' : ','}${JSON.stringify(pod)}`
    if (text.length < PIECE) continue
    pieces.push(Buffer.from(text))
    text = ''
  }
  return [...pieces, Buffer.from(`${text}]}\n`)]
}
