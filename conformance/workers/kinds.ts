import { resource } from 'binnacle'

/** The kind of the specification's examples. */
export const Kex = resource({
  group: 'kopf.dev',
  version: 'v1',
  kind: 'KopfExample',
  plural: 'kopfexamples',
  shortNames: ['kex'],
})
