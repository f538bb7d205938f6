import { resource, typed } from 'binnacle'

interface KexSpec {
  readonly field?: string
  readonly items: readonly string[]
  readonly duration?: string
  readonly replicas: number
  readonly monitoredNamespace?: string
}
interface KexStatus {
  readonly phase?: 'Pending' | 'Ready' | 'Failed'
  readonly greeting?: string
  readonly observedGeneration?: number
}

/** The resource of the specification's examples, typed. */
export const Kex = resource({
  group: 'kopf.dev',
  version: 'v1',
  kind: 'KopfExample',
  plural: 'kopfexamples',
  shortNames: ['kex'],
  schema: { spec: typed<KexSpec>(), status: typed<KexStatus>() },
})
