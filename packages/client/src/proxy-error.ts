/** A proxy that makes no connection. Nothing of the request was sent then: even a write can be made again. */
export function refused(why: string, cause?: unknown): Error {
  return Object.assign(new Error(`The proxy did not make the connection: ${why}`, { cause }), { code: 'ERR_PROXY' })
}
