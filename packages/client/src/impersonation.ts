import { KubeConfigError } from '@binnacle/core'
import type { Impersonation } from './connection.ts'
import type { Transport, TransportRequest } from './transport.ts'

/**
 * Who to act as → the headers that say so, as a flat list of names and values, since groups repeat their header. Pure.
 * Guarantees: no value can add a header of its own; keys of extras arrive as they were given, whatever their characters.
 */
export function impersonationHeaders({ user, uid, groups = [], extra = {} }: Impersonation): readonly string[] {
  if (user === '') throw nobody()
  const pairs: [string, string][] = [['Impersonate-User', user]]
  if (uid) pairs.push(['Impersonate-Uid', uid])
  for (const group of groups) pairs.push(['Impersonate-Group', group])
  for (const [key, values] of Object.entries(extra)) {
    // The server decodes the key, and takes it in lower case, as names of headers have none.
    for (const value of values) pairs.push([`Impersonate-Extra-${escapedKey(key)}`, value])
  }
  return pairs.flatMap(([name, value]) => [name, plain(name, value)])
}

/**
 * A transport that somebody else made, acting as somebody else. Its headers have each name once: what would repeat one cannot be said by it, and is refused
 * rather than left out, since whoever is not impersonated acts with all rights of their own.
 */
export function impersonating(transport: Transport, who: Impersonation): Transport {
  const headers: Record<string, string> = {}
  const flat = impersonationHeaders(who)
  for (let i = 0; i < flat.length; i += 2) {
    const name = String(flat[i]).toLowerCase()
    if (Object.hasOwn(headers, name)) throw repeated(name)
    headers[name] = String(flat[i + 1])
  }
  const dressed = (request: TransportRequest) => ({ ...request, headers: { ...request.headers, ...headers } })
  return {
    request: (request) => transport.request(dressed(request)),
    stream: (request) => transport.stream(dressed(request)),
    [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
  }
}

/** What may stand in the name of a header stays; all else, and the percent sign itself, is escaped byte by byte. */
function escapedKey(key: string): string {
  if (key === '') throw unfit('a key of extra')
  const percent = (byte: number) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
  return [...Buffer.from(key)]
    .map((byte) =>
      /[A-Za-z0-9!#$&'*+.^_`|~-]/.test(String.fromCharCode(byte)) ? String.fromCharCode(byte) : percent(byte),
    )
    .join('')
}

/** Headers carry bytes: text beyond ASCII goes as UTF-8, as the server reads it. */
function plain(name: string, value: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  if (value === '' || /[\x00-\x1f\x7f]/.test(value)) throw unfit(name)
  return Buffer.from(value).toString('latin1')
}

function repeated(name: string): KubeConfigError {
  return new KubeConfigError({
    message: `A transport of one's own cannot send ${name} more than once`,
    hint: 'Impersonate one group, and one value for each extra, or connect by HTTP.',
  })
}

function nobody(): KubeConfigError {
  return new KubeConfigError({
    message: 'Groups, uid or extras are impersonated, but no user',
    hint: 'Name the user too: "as" in the kubeconfig, or impersonate.user; the server refuses the others without it.',
  })
}

function unfit(name: string): KubeConfigError {
  return new KubeConfigError({
    message: `What is impersonated cannot be sent as ${name}: it is empty, or has line breaks or control characters`,
    hint: 'Correct as, as-uid, as-groups or as-user-extra in the kubeconfig, or the option impersonate.',
  })
}
