/** Who asks. Everybody may: the user is only a name for the record of requests. */
import type { Call } from '../http/message.ts'

export interface User {
  readonly name: string
}

/** The program's name from its User-Agent, up to the first slash, as Kubernetes names field managers. */
export function authenticate(call: Call): User {
  const agent = call.headers.get('user-agent')?.split('/')[0]?.trim()
  return { name: agent || 'anonymous' }
}
