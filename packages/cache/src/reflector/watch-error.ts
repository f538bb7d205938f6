import { BinnacleError, ExpiredError, explain, type Logger } from '@binnacle/core'

/** Is told when a list or a watch fails. It is meant for visibility and should return soon; the reflector waits and tries again by itself. */
export type WatchErrorHandler = (
  error: unknown,
  reflector: { readonly name: string; readonly typeDescription: string; readonly logger: Logger },
) => void

/** A watch that ended within a second, without an event. */
export class VeryShortWatchError extends BinnacleError {
  override readonly name = 'VeryShortWatchError'

  constructor(reflectorName: string) {
    super('BIN_NETWORK', {
      message: `${reflectorName}: the watch ended within a second, without an event`,
      hint: 'Something between here and the API server may cut long requests: look at proxies and load balancers.',
    })
  }
}

/** Expired: debug; an unexpected end: info; everything else: error. */
export const defaultWatchErrorHandler: WatchErrorHandler = (error, { name, logger }) => {
  const line = `${name}: ${explain(error)}`
  if (error instanceof ExpiredError) logger.debug(`${line} (listing anew)`)
  else if (error instanceof VeryShortWatchError) logger.info(line)
  else logger.error(line, { error })
}
