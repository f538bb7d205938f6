/** IP addresses as numbers. Four-byte addresses inside of longer ones, zones and leading zeros are refused, as Kubernetes does. */
import { isIPv4, isIPv6 } from 'node:net'

export interface Address {
  readonly bits: 32 | 128
  readonly number: bigint
}

export function parseAddress(text: string): Address | undefined {
  if (isIPv4(text)) return { bits: 32, number: fromBytes(text.split('.').map(Number)) }
  if (!isIPv6(text) || text.includes('%')) return undefined
  return { bits: 128, number: parseLong(text) }
}

const fromBytes = (bytes: readonly number[]) => bytes.reduce((all, byte) => (all << 8n) | BigInt(byte), 0n)

function parseLong(text: string): bigint {
  const tail = /(\d+\.\d+\.\d+\.\d+)$/.exec(text)?.[1]
  const plain = tail === undefined ? text : text.slice(0, -tail.length) + shortGroups(tail)
  const [head = '', rest] = plain.split('::')
  const groups = (part: string) => part.split(':').filter((group) => group !== '')
  const [front, back] = [groups(head), groups(rest ?? '')]
  const missing = rest === undefined ? 0 : 8 - front.length - back.length
  const all = [...front, ...new Array<string>(Math.max(0, missing)).fill('0'), ...back]
  return all.reduce((number, group) => (number << 16n) | BigInt(`0x${group}`), 0n)
}

function shortGroups(text: string): string {
  const number = fromBytes(text.split('.').map(Number))
  return `${(number >> 16n).toString(16)}:${(number & 0xffffn).toString(16)}`
}

export const isMapped = ({ bits, number }: Address) => bits === 128 && number >> 32n === 0xffffn

export function printAddress({ bits, number }: Address): string {
  if (bits === 32) return [24n, 16n, 8n, 0n].map((shift) => String((number >> shift) & 255n)).join('.')
  const groups = Array.from({ length: 8 }, (_, i) => ((number >> BigInt(112 - 16 * i)) & 0xffffn).toString(16))
  const zeros = longestZeros(groups)
  if (zeros.length < 2) return groups.join(':')
  return `${groups.slice(0, zeros.start).join(':')}::${groups.slice(zeros.start + zeros.length).join(':')}`
}

function longestZeros(groups: readonly string[]): { readonly start: number; readonly length: number } {
  let best = { start: 0, length: 0 }
  for (let start = 0; start < groups.length; start++) {
    let length = 0
    while (groups[start + length] === '0') length++
    if (length > best.length) best = { start, length }
  }
  return best
}

export interface Network {
  readonly address: Address
  readonly length: number
}

export function parseNetwork(text: string): Network | undefined {
  const match = /^([^/]+)\/(0|[1-9]\d{0,2})$/.exec(text)
  const address = match && parseAddress(match[1] ?? '')
  const length = Number(match?.[2])
  return address && length <= address.bits ? { address, length } : undefined
}

export function masked({ address, length }: Network): Address {
  const rest = BigInt(address.bits - length)
  return { bits: address.bits, number: (address.number >> rest) << rest }
}

export function within(address: Address, network: Network): boolean {
  const rest = BigInt(network.address.bits - network.length)
  return address.bits === network.address.bits && address.number >> rest === network.address.number >> rest
}
