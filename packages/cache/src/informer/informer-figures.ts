import type { ResourceVersion, Runtime } from '@binnacle/core'

/** The figures of one informer, under client-go's names where it has them. */
export class InformerFigures {
  readonly #labels: { readonly name: string }
  readonly #figures

  constructor(name: string, { metrics }: Runtime) {
    this.#labels = { name }
    this.#figures = {
      queued: metrics.gauge('informer_queued_items', 'Changes that wait to be put into the cache', ['name']),
      objects: metrics.gauge('informer_store_objects', 'Objects in the cache', ['name']),
      // A version has up to 20 digits, a figure 15.
      version: metrics.gauge('informer_store_resource_version', 'The last 15 digits of the version reached', ['name']),
      latency: metrics.histogram('informer_processing_latency_seconds', 'How long a batch of changes was worked on', [
        'name',
      ]),
    }
  }

  note(queued: number, objects: number, version: ResourceVersion): void {
    this.#figures.queued.set(queued, this.#labels)
    this.#figures.objects.set(objects, this.#labels)
    if (/^\d+$/.test(version)) this.#figures.version.set(Number(version.slice(-15)), this.#labels)
  }

  /** How long a batch is worked on. */
  observe(seconds: number): void {
    this.#figures.latency.observe(seconds, this.#labels)
  }
}
