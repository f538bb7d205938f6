/** The parts of undici that are loaded by themselves, see agent.ts. Its types name only the whole. */

declare module 'undici/lib/dispatcher/agent.js' {
  import { Agent } from 'undici'

  export { Agent as default }
}

declare module 'undici/lib/api/api-request.js' {
  import type { Dispatcher } from 'undici'

  function request(this: Dispatcher, options: Dispatcher.RequestOptions): Promise<Dispatcher.ResponseData>

  export { request as default }
}

declare module 'undici/lib/core/connect.js' {
  import { buildConnector } from 'undici'

  export { buildConnector as default }
}
