import { createRequire } from 'node:module'

export type Yaml = typeof import('yaml')

/** The parser of YAML, loaded when there is a file to parse: it is a sixth of what an import of `binnacle` costs, and in a pod nobody needs it. */
export function loadYaml(): Promise<Yaml> {
  return import('yaml')
}

/** The same for whoever cannot wait. */
export function loadYamlNow(): Yaml {
  return createRequire(import.meta.url)('yaml')
}
