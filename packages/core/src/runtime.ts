import type { Clock } from './clock.ts'
import { systemClock } from './clock.ts'
import type { Logger } from './logger.ts'
import { silentLogger } from './logger.ts'
import type { Metrics } from './metrics.ts'
import { noMetrics } from './metrics.ts'

/** Where time, chance, lines and figures come from. Required inside, filled once at the edge, so that a test owns them. */
export interface Runtime {
  readonly clock: Clock
  /** A number from 0, inclusive, to 1, exclusive. */
  readonly random: () => number
  readonly logger: Logger
  readonly metrics: Metrics
}

/** The edge: what is not given is the system's clock and randomness, and silence. */
export function runtimeOf(given: { readonly [K in keyof Runtime]?: Runtime[K] | undefined }): Runtime {
  return {
    clock: given.clock ?? systemClock,
    random: given.random ?? Math.random,
    logger: given.logger ?? silentLogger,
    metrics: given.metrics ?? noMetrics,
  }
}
