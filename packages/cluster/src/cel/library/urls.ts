/** URLs, as Go's url.Parse reads them: absolute, or a path. */
import { EvaluationError } from '../ast.ts'
import { type Overload, overloads } from '../function.ts'
import { LiteralMap, Opaque, type Value } from '../value.ts'

class UrlValue extends Opaque {
  readonly typeName = 'kubernetes.URL'
  readonly text: string
  readonly url: URL | undefined

  constructor(text: string, url: URL | undefined) {
    super()
    this.text = text
    this.url = url
  }

  equals(other: Opaque): boolean {
    return other instanceof UrlValue && other.text === this.text
  }
}

const base = 'http://0.invalid'

/** Undefined when it is no URL. */
function parsed(text: string): UrlValue | undefined {
  if (/\p{Cc}/u.test(text) || /^[^/?#]*(\/\/)?[^/?#]* /.test(text) || /%(?![0-9a-fA-F]{2})/.test(text)) return undefined
  if (text.startsWith('/')) return URL.canParse(text, base) ? new UrlValue(text, undefined) : undefined
  return /^[a-zA-Z][a-zA-Z0-9+.-]*:/.test(text) && URL.canParse(text) ? new UrlValue(text, new URL(text)) : undefined
}

const whole = (url: UrlValue) => url.url ?? new URL(url.text, base)

/** What stands in the text: the parser of the platform drops a default port and lower-cases hosts. */
function authority(url: UrlValue): string {
  const match = /^[a-zA-Z][a-zA-Z0-9+.-]*:\/\/(?:[^/?#@]*@)?([^/?#]*)/.exec(url.text)
  return match?.[1] ?? ''
}

const port = (host: string) => /:(\d*)$/.exec(host.replace(/^\[.*\]/, ''))?.[1] ?? ''
const hostname = (host: string) => host.replace(/:\d*$/, '').replace(/^\[(.*)\]$/, '$1')

function query(url: UrlValue): LiteralMap {
  const values = new Map<string, Value[]>()
  for (const [name, value] of whole(url).searchParams) values.set(name, [...(values.get(name) ?? []), value])
  return LiteralMap.of(values)
}

function path(url: UrlValue): string {
  if (url.url === undefined) return url.text.replace(/[?#].*$/, '')
  const match = /^[a-zA-Z][a-zA-Z0-9+.-]*:\/\/[^/?#]*([^?#]*)/.exec(url.text)
  return match?.[1] ?? ''
}

function url(text: string): UrlValue {
  const found = parsed(text)
  if (!found)
    throw new EvaluationError(
      `URL parse error during conversion from string: parse ${JSON.stringify(text)}: invalid URI for request`,
    )
  return found
}

export const urls = (): readonly Overload[] =>
  overloads({
    'url(string) -> URL': url,
    'isURL(string) -> bool': (text: string) => parsed(text) !== undefined,
    'URL.getScheme() -> string': (value: UrlValue) => value.url?.protocol.slice(0, -1) ?? '',
    'URL.getHost() -> string': authority,
    'URL.getHostname() -> string': (value: UrlValue) => hostname(authority(value)),
    'URL.getPort() -> string': (value: UrlValue) => port(authority(value)),
    'URL.getEscapedPath() -> string': path,
    'URL.getQuery() -> map(string, list(string))': query,
  })
