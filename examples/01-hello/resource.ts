// The kind that the examples work on, as the manifest in crd.yaml has it.
import { resource } from 'binnacle'

export const KopfExample = resource({
  group: 'kopf.dev',
  version: 'v1',
  kind: 'KopfExample',
  plural: 'kopfexamples',
  shortNames: ['kex'],
  schema: {
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        properties: {
          field: { type: 'string' },
          duration: { type: 'string' },
          items: { type: 'array', items: { type: 'string' } },
        },
      },
      status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    },
  },
  printerColumns: [
    { name: 'Field', type: 'string', jsonPath: '.spec.field' },
    { name: 'Greeting', type: 'string', jsonPath: '.status.greeting' },
  ],
})
