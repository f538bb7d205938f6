import { BinnacleError } from '@binnacle/core'

/** A handler, or a step, that is due. */
export interface DueHandler {
  readonly id: string
  /** Attempts that have been made. */
  readonly attempts: number
}

/**
 * Which of those that are due run in one cycle, and in which order. The others stay due, and their turn comes with the next cycle.
 * `allAtOnce`: all, in the order of declaration. `shuffled`: all, by chance. `oneByOne`: the first. `randomized`: one, by chance.
 * `asap`: the one with the fewest attempts. A function returns those that it has chosen.
 */
export type Lifecycle = LifecycleName | ((due: readonly DueHandler[], random: () => number) => readonly DueHandler[])
export type LifecycleName = 'allAtOnce' | 'oneByOne' | 'shuffled' | 'randomized' | 'asap'

type Choose = (due: readonly DueHandler[], random: () => number) => readonly DueHandler[]

const NAMED: { readonly [name in LifecycleName]: Choose } = {
  allAtOnce: (due) => due,
  oneByOne: (due) => due.slice(0, 1),
  shuffled,
  randomized: (due, random) => due.slice(Math.floor(random() * due.length)).slice(0, 1),
  asap: (due) => [...due].sort((one, other) => one.attempts - other.attempts).slice(0, 1),
}

/**
 * The ids whose turn it is. Pure, but for what a function of the user does.
 * Guarantees: each of them is due, and comes once; of those that are due, at least one is chosen.
 */
export function turnOf(lifecycle: Lifecycle, due: readonly DueHandler[], random: () => number): readonly string[] {
  if (due.length === 0) return []
  const choose = typeof lifecycle === 'function' ? lifecycle : NAMED[lifecycle]
  const known = new Set(due.map(({ id }) => id))
  const ids = [...new Set(choose(due, random).map(({ id }) => id))].filter((id) => known.has(id))
  if (ids.length === 0) throw nobody(due)
  return ids
}

/** Refuses what is no lifecycle. */
export function checkLifecycle(lifecycle: Lifecycle): void {
  if (typeof lifecycle === 'function' || Object.hasOwn(NAMED, lifecycle)) return
  throw new RangeError(`${JSON.stringify(lifecycle)} is none of ${Object.keys(NAMED).join(', ')}, nor a function`)
}

/** Fisher and Yates. */
function shuffled(due: readonly DueHandler[], random: () => number): readonly DueHandler[] {
  const deck = [...due]
  for (let left = deck.length; left > 1; left--) {
    const [card] = deck.splice(Math.floor(random() * left), 1)
    if (card) deck.push(card)
  }
  return deck
}

/** Whoever chose nobody would be asked again at once, and for ever. */
function nobody(due: readonly DueHandler[]): BinnacleError {
  return new BinnacleError('BIN_SETTINGS', {
    message: `execution.lifecycle has chosen none of the handlers that are due: ${due.map(({ id }) => id).join(', ')}`,
    hint: 'It must return at least one of those that it is given. To put a handler off, let it throw a TemporaryError.',
  })
}
