/** The name under which a request is recorded. */
import type { User } from '../access/user.ts'
import type { Call } from '../http/message.ts'

/** Where users are known, the user's name; else the program's from its User-Agent, up to the first slash. */
export function recordedName(call: Call, user: User | undefined): string {
  if (user !== undefined) return user.name
  const agent = call.headers.get('user-agent')?.split('/')[0]?.trim()
  return agent || 'anonymous'
}
