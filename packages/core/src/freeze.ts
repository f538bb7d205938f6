/**
 * Freezes JSON data all the way down. Costs some ten microseconds for a pod: for development, not for production.
 * Assumes: what is frozen already was frozen by it, and so all the way down.
 */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  for (const member of Object.values(value)) deepFreeze(member)
  return Object.freeze(value)
}
