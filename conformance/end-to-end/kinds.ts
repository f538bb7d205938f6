import { resource } from 'binnacle'

const group = 'e2e.example.com'
const version = 'v1'

/** The kind that most stories are about: loose, with a status subresource. */
export const Widget = resource({ group, version, kind: 'Widget' })

/** Its status is an ordinary part of the object. */
export const Plain = resource({ group, version, kind: 'Plain', subresources: { status: false } })

/** Of cluster scope. */
export const Globe = resource({ group, version, kind: 'Globe', scope: 'Cluster' })
