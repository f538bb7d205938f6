/** DER, the one way to write ASN.1: a tag, a length, the content. Only what a certificate needs. */

function tagged(tag: number, ...content: readonly Uint8Array[]): Uint8Array {
  const body = Buffer.concat(content)
  if (body.length < 0x80) return Buffer.concat([Buffer.from([tag, body.length]), body])
  const hex = body.length.toString(16)
  const length = Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex')
  return Buffer.concat([Buffer.from([tag, 0x80 | length.length]), length, body])
}

export const sequence = (...items: readonly Uint8Array[]) => tagged(0x30, ...items)
export const set = (...items: readonly Uint8Array[]) => tagged(0x31, ...items)
export const octets = (value: Uint8Array) => tagged(0x04, value)
export const bits = (value: Uint8Array, unused = 0) => tagged(0x03, Buffer.from([unused]), value)
export const text = (value: string) => tagged(0x0c, Buffer.from(value))
export const yes = tagged(0x01, Buffer.from([0xff]))
/** A field that is told by its number instead of its type; explicit ones hold a value of their own. */
export const explicit = (number: number, ...content: readonly Uint8Array[]) => tagged(0xa0 | number, ...content)
export const implicit = (number: number, content: Uint8Array) => tagged(0x80 | number, content)

/** A number that is not negative, from its bytes, the highest first. */
export function integer(bytes: Uint8Array): Uint8Array {
  const from = bytes.findIndex((byte) => byte !== 0)
  const digits = from === -1 ? Buffer.from([0]) : Buffer.from(bytes).subarray(from)
  // The first bit is the sign.
  return (digits[0] ?? 0) & 0x80 ? tagged(0x02, Buffer.from([0]), digits) : tagged(0x02, digits)
}

export function objectIdentifier(dotted: string): Uint8Array {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  return tagged(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]))
}

/** Seven bits a byte, and the eighth for "there is more". */
function base128(number: number): number[] {
  const groups = [number % 128]
  for (let left = Math.floor(number / 128); left > 0; left = Math.floor(left / 128)) groups.unshift((left % 128) | 0x80)
  return groups
}

/** To the second. Years from 2050 on have a form of their own, with four digits. */
export function time(date: Date): Uint8Array {
  const digits = `${date.toISOString().replace(/[-:T]|\.\d+Z/g, '')}Z`
  const year = date.getUTCFullYear()
  const short = year >= 1950 && year < 2050
  return tagged(short ? 0x17 : 0x18, Buffer.from(short ? digits.slice(2) : digits))
}
