import { resource } from 'binnacle'

/** The kind that most stories are about: loose, with a status subresource. */
export const Kex = resource({ group: 'kopf.dev', version: 'v1', kind: 'KopfExample', plural: 'kopfexamples' })
