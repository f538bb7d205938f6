import { type Metrics, type MetricsRegistry, type Runtime, seconds } from '@binnacle/core'
import { within } from './patience.ts'
import { OperatorFigures } from './report/figures.ts'
import { type Health, type HealthFacts, judgedHealth } from './report/health.ts'
import type { HealthOptions, HealthServer } from './report/health-server.ts'
import type { Probes } from './run/probes.ts'
import type { Settings } from './settings.ts'

/** Seconds that a request waits for probe handlers; a kubelet waits for a second unless it is told otherwise. */
const PROBE_PATIENCE = 0.8
/** A stream may be silent for twice the time after which it is opened anew. */
const SILENCES = 2

/** What the run itself knows. */
export type RunFacts = Omit<HealthFacts, 'probes' | 'failedProbes' | 'staleAfter'>

/**
 * Tells how a run does: to whoever asks the run, and by HTTP.
 * Guarantees: both are told the same; figures that are not told as they happen are renewed whenever somebody asks.
 */
export class OperatorHealth implements AsyncDisposable {
  readonly figures: OperatorFigures
  readonly #runtime: Runtime
  readonly #facts: () => RunFacts
  #probes: Probes | undefined
  #server: HealthServer | undefined

  constructor(runtime: Runtime, facts: () => RunFacts) {
    this.#runtime = runtime
    this.#facts = facts
    this.figures = new OperatorFigures(runtime.metrics, () => runtime.clock.monotonic())
  }

  /** Without a path. */
  get url(): string | undefined {
    return this.#server?.url
  }

  /** Opens the port. Until `probe` is called there are no probes. */
  async serve(given: number | HealthOptions, settings: () => Settings): Promise<void> {
    const options = typeof given === 'number' ? { port: given } : given
    const inCluster = process.env['KUBERNETES_SERVICE_HOST'] !== undefined
    const { clock, logger, metrics } = this.#runtime
    const { HealthServer } = await import('./report/health-server.ts')
    this.#server = await HealthServer.start(options, inCluster, {
      health: async () => {
        await within(clock, PROBE_PATIENCE, () => this.#probes?.refresh() ?? Promise.resolve())
        return this.health(settings())
      },
      metrics: () => {
        this.health(settings())
        return isRegistry(metrics) ? metrics.text() : undefined
      },
    })
    logger.info(`Health is served at ${this.#server.url}/healthz.`)
  }

  probe(probes: Probes): void {
    this.#probes = probes
  }

  health({ watching }: Settings): Health {
    const health = judgedHealth({
      ...this.#facts(),
      probes: this.#probes?.values ?? {},
      failedProbes: this.#probes?.failures ?? new Map(),
      staleAfter: SILENCES * seconds(watching.inactivityTimeout),
    })
    this.figures.refresh(health)
    return health
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server?.[Symbol.asyncDispose]()
  }
}

function isRegistry(metrics: Metrics): metrics is MetricsRegistry {
  return 'text' in metrics && typeof metrics.text === 'function'
}
