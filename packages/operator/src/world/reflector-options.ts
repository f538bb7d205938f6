import type { ReflectorOptions } from '@binnacle/cache'
import { seconds } from '@binnacle/core'
import type { Settings } from '../settings.ts'

/** What the settings say to whoever keeps a list and a watch alive. */
export function reflectorOptionsOf({ watching }: Pick<Settings, 'watching'>): ReflectorOptions {
  const { inactivityTimeout, serverTimeout, reconnectBackoff, watchList, pageSize } = watching
  return {
    inactivityTimeout: seconds(inactivityTimeout),
    ...(serverTimeout !== null && { minWatchTimeout: serverTimeout }),
    backoff: { initial: reconnectBackoff },
    initialList: watchList ? 'auto' : 'pages',
    pageSize,
  }
}
