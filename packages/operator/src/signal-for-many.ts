import { setMaxListeners } from 'node:events'

/** A signal that every object, stream or task of a run listens to. Node takes more than ten listeners for a leak, and would say so. */
export function signalForMany(signal: AbortSignal): AbortSignal {
  setMaxListeners(0, signal)
  return signal
}
