/** The string formats that Kubernetes checks. An unknown format checks nothing. */
import { isIPv4, isIPv6 } from 'node:net'

const dateTime = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/
const date = /^\d{4}-\d\d-\d\d$/
const uuid = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i
const email = /^[^\s@]+@[^\s@]+$/
const hostname =
  /^(?=.{1,253}$)[a-zA-Z0-9]([-a-zA-Z0-9]{0,61}[a-zA-Z0-9])?(\.[a-zA-Z0-9]([-a-zA-Z0-9]{0,61}[a-zA-Z0-9])?)*$/
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/
const goDuration = /^[-+]?(\d+(\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h)((\d+(\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h))*$|^0$/
const wordDuration =
  /^\d+ *(ns|nanos?|us|micros?|ms|millis?|s|secs?|seconds?|m|mins?|minutes?|h|hours?|d|days?|w|weeks?)$/i

const formats = new Map<string, (text: string) => boolean>([
  ['date-time', (text) => dateTime.test(text) && !Number.isNaN(Date.parse(text))],
  ['date', (text) => date.test(text) && !Number.isNaN(Date.parse(text))],
  ['uuid', (text) => uuid.test(text)],
  ['email', (text) => email.test(text)],
  ['hostname', (text) => hostname.test(text)],
  ['ipv4', isIPv4],
  ['ipv6', isIPv6],
  ['cidr', isCidr],
  ['byte', (text) => base64.test(text)],
  ['uri', (text) => URL.canParse(text)],
  ['duration', (text) => goDuration.test(text) || wordDuration.test(text)],
])

function isCidr(text: string): boolean {
  const [address = '', bits = ''] = text.split('/')
  if (!/^\d+$/.test(bits)) return false
  return (isIPv4(address) && Number(bits) <= 32) || (isIPv6(address) && Number(bits) <= 128)
}

export function hasFormat(text: string, format: string): boolean {
  return formats.get(format)?.(text) ?? true
}

const known = new Set([
  ...formats.keys(),
  ...['int32', 'int64', 'float', 'double', 'password', 'bsonobjectid', 'mac', 'uuid3', 'uuid4', 'uuid5', 'isbn'],
  ...['isbn10', 'isbn13', 'creditcard', 'ssn', 'hexcolor', 'rgbcolor', 'datetime', 'k8s-short-name', 'k8s-long-name'],
])

export const isKnownFormat = (format: string) => known.has(format)
