import type { Clock, Logger, Metrics } from '@binnacle/core'

/** Where time, chance, lines and figures come from. A test hands in its own. */
export interface Surroundings {
  /** @default the system's clock */
  readonly clock?: Clock
  /** A number from 0, inclusive, to 1, exclusive. @default Math.random */
  readonly random?: () => number
  /** @default silence */
  readonly logger?: Logger
  /** @default figures that nobody reads */
  readonly metrics?: Metrics
}
