import { BinnacleError } from '@binnacle/core'

/** The names under which an operator leaves its marks on objects. */
export interface Identity {
  readonly name: string
  /** Of annotations. */
  readonly prefix: string
  readonly finalizer: string
}

const NAME = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/

/**
 * The identity of an operator, from its name: `hello` marks objects as `hello.binnacle.dev`. The common end is how operators know each
 * other's marks, which are no content: two that took them for content would answer each other for ever.
 * Guarantees: two operators with different names never touch each other's marks.
 */
export function identityOf(name: string, finalizer?: string): Identity {
  if (!NAME.test(name) || name.length > 200) throw unusable(name)
  const prefix = `${name}.binnacle.dev`
  return { name, prefix, finalizer: finalizer ?? `${prefix}/finalizer` }
}

function unusable(name: string): BinnacleError {
  return new BinnacleError('BIN_DECLARATION', {
    message: `${JSON.stringify(name)} cannot be the name of an operator`,
    hint: 'Its finalizer and annotations are named after it: use lower-case letters, digits and dashes, with dots between parts.',
    fix: "operator('my-operator')",
  })
}
