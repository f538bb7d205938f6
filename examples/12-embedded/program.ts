import { type RunOptions, silentLogger } from 'binnacle'
import { type Board, embedded } from './operator.ts'

/** Runs the operator for as long as the program's own work takes, which goes on beside it. */
export async function program(work: (board: Board) => Promise<void>, options: RunOptions = {}): Promise<Board> {
  const board: Board = { names: new Set() }
  // When it has started, indices are filled and handlers may run; at the end of the block it is stopped, whatever happens.
  await using running = await embedded(board).start({ logger: silentLogger, ...options })
  // If the operator cannot go on, the program need not go on either.
  await Promise.race([work(board), running.ended])
  return board
}
