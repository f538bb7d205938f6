/**
 * The words that users meet, whichever package they come through: the client and the operator pass them on.
 * `export *`, and not a list of names: only so can `declare module 'binnacle'` extend `ResourceMap`.
 */
export * from './api-error.ts'
export * from './backoff.ts'
export * from './clock.ts'
export * from './crd.ts'
export * from './duration.ts'
export * from './error-codes.ts'
export * from './errors.ts'
export * from './json.ts'
export * from './json-patch.ts'
export * from './list-watch.ts'
export * from './logger.ts'
export * from './metrics.ts'
export * from './metrics-registry.ts'
export * from './object.ts'
export * from './resource.ts'
export * from './resource-selector.ts'
export * from './resource-version.ts'
export * from './schema.ts'
