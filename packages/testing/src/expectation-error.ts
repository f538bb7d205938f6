import { BinnacleError } from '@binnacle/core'

/**
 * What was expected and did not happen.
 * Guarantees: the message alone tells the whole of it, the timeline of what happened included, since that is what every test runner prints.
 */
export class ExpectationError extends BinnacleError {
  override readonly name = 'ExpectationError'
  /** What was found, without the timeline. */
  declare readonly finding: string
  /** What happened, line by line. */
  declare readonly timeline: string

  constructor(finding: string, timeline: string) {
    super('BIN_EXPECTATION', { message: `${finding}\n\n${told(timeline)}` })
    // Not enumerable: runners print what is, and all of it is in the message.
    Object.defineProperties(this, { finding: { value: finding }, timeline: { value: timeline } })
  }
}

/** The timeline under its heading. */
export function told(timeline: string): string {
  return `What happened:\n${timeline.replace(/^/gm, '  ')}`
}
