/** Named formats: format.dns1123Label().validate(x) gives what is wrong, or nothing. */

import { hasFormat } from '../../schema/formats.ts'
import { type Overload, overloads, type Signatures } from '../function.ts'
import { Opaque, Optional, type Value } from '../value.ts'

type Check = (text: string) => readonly string[]

class FormatValue extends Opaque {
  readonly typeName = 'kubernetes.NamedFormat'
  readonly name: string
  readonly check: Check

  constructor(name: string, check: Check) {
    super()
    this.name = name
    this.check = check
  }

  equals(other: Opaque): boolean {
    return other instanceof FormatValue && other.name === this.name
  }
}

const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?'
const labelMessage =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
const subdomainMessage =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
const dns1035Message =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"
const qualifiedMessage =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
const valueMessage =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"

function limited(limit: number, shape: RegExp, message: string): Check {
  return (text) => [
    ...(text.length > limit ? [`must be no more than ${limit} bytes`] : []),
    ...(shape.test(text) ? [] : [message]),
  ]
}

/** A prefix of a generated name may end in a dash. */
const asPrefix =
  (check: Check): Check =>
  (text) =>
    check(text.replace(/-+$/, 'a'))

const dns1123Label = limited(63, new RegExp(`^${label}$`), labelMessage)
const dns1123Subdomain = limited(253, new RegExp(`^${label}(\\.${label})*$`), subdomainMessage)
const dns1035Label = limited(63, /^[a-z]([-a-z0-9]*[a-z0-9])?$/, dns1035Message)

function qualifiedName(text: string): readonly string[] {
  const parts = text.split('/')
  const name = parts.at(-1) ?? ''
  if (parts.length > 2)
    return [
      `a qualified name ${qualifiedMessage.replace(/^name part /, '')} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ]
  const prefix = parts.length === 2 ? dns1123Subdomain(parts[0] ?? '').map((why) => `prefix part ${why}`) : []
  if (parts.length === 2 && parts[0] === '') return ['prefix part must be non-empty']
  if (name === '') return [...prefix, 'name part must be non-empty', qualifiedMessage]
  return [...prefix, ...limited(63, /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/, qualifiedMessage)(name)]
}

const schemaFormat =
  (format: string, message: string): Check =>
  (text) =>
    hasFormat(text, format) ? [] : [message]

const known = new Map<string, Check>([
  ['dns1123Label', dns1123Label],
  ['dns1123Subdomain', dns1123Subdomain],
  ['dns1035Label', dns1035Label],
  ['qualifiedName', qualifiedName],
  ['dns1123LabelPrefix', asPrefix(dns1123Label)],
  ['dns1123SubdomainPrefix', asPrefix(dns1123Subdomain)],
  ['dns1035LabelPrefix', asPrefix(dns1035Label)],
  ['labelValue', limited(63, /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/, valueMessage)],
  ['uri', schemaFormat('uri', 'invalid URI')],
  ['uuid', schemaFormat('uuid', 'does not match the UUID format')],
  ['byte', schemaFormat('byte', 'invalid base64')],
  ['date', schemaFormat('date', 'invalid date')],
  ['datetime', schemaFormat('date-time', 'invalid datetime')],
])

function named(name: string): Optional {
  const check = known.get(name)
  return new Optional(check && new FormatValue(name, check))
}

export function formats(): readonly Overload[] {
  const found: Record<string, Signatures[string]> = {
    'format.named(string) -> optional(format)': named,
    'format.validate(string) -> optional(list(string))': (format: FormatValue, text: string) => {
      const causes: readonly Value[] = format.check(text)
      return new Optional(causes.length === 0 ? undefined : causes)
    },
  }
  for (const [name, check] of known) found[`format.${name}() -> format`] = () => new FormatValue(name, check)
  return overloads(found).map((overload) =>
    overload.name === 'format.validate'
      ? {
          ...overload,
          name: 'validate',
          method: true,
          parameters: [{ kind: 'opaque', name: 'kubernetes.NamedFormat' }, ...overload.parameters] as const,
        }
      : overload,
  )
}
