// What the program and its operator share is made by the program, and handed over at the start.
import { operator } from 'binnacle'

/** What the rest of the program knows of the objects. */
export interface Board {
  readonly names: Set<string>
}

export const embedded = (board: Board) => {
  const op = operator('embedded', { shared: () => board, memo: () => ({ changes: 0 }) })
  op.on.create('kopfexamples.kopf.dev', function arrive({ name, shared }) {
    shared.names.add(name)
  })
  op.on.update('kopfexamples.kopf.dev', function change({ memo }) {
    memo.changes++
    return { changes: memo.changes }
  })
  op.on.delete('kopfexamples.kopf.dev', { optional: true }, function leave({ name, shared }) {
    shared.names.delete(name)
  })
  return op
}
