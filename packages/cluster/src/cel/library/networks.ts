/** IP addresses and CIDRs. */
import { EvaluationError } from '../ast.ts'
import { type Overload, overloads, type Signatures } from '../function.ts'
import { Opaque } from '../value.ts'
import {
  type Address,
  isMapped,
  masked,
  type Network,
  parseAddress,
  parseNetwork,
  printAddress,
  within,
} from './address.ts'

class IpValue extends Opaque {
  readonly typeName = 'net.IP'
  readonly address: Address

  constructor(address: Address) {
    super()
    this.address = address
  }

  equals(other: Opaque): boolean {
    return (
      other instanceof IpValue &&
      other.address.bits === this.address.bits &&
      other.address.number === this.address.number
    )
  }
}

class CidrValue extends Opaque {
  readonly typeName = 'net.CIDR'
  readonly network: Network

  constructor(network: Network) {
    super()
    this.network = network
  }

  equals(other: Opaque): boolean {
    return other instanceof CidrValue && text(other) === text(this)
  }
}

const text = ({ network }: CidrValue) => `${printAddress(network.address)}/${network.length}`

function ip(words: string): IpValue {
  const address = usable(words)
  if (!address)
    throw new EvaluationError(
      `IP Address ${JSON.stringify(words)} parse error during conversion from string: ParseAddr(${JSON.stringify(words)}): unable to parse IP`,
    )
  return new IpValue(address)
}

function usable(words: string): Address | undefined {
  const address = parseAddress(words)
  return address && !isMapped(address) ? address : undefined
}

function cidr(words: string): CidrValue {
  const network = parseNetwork(words)
  if (!network || isMapped(network.address)) {
    const why = words.includes('/') ? 'invalid address or prefix length' : "no '/'"
    const what = 'network address parse error during conversion from string'
    throw new EvaluationError(`${what}: ${what}: netip.ParsePrefix(${JSON.stringify(words)}): ${why}`)
  }
  return new CidrValue(network)
}

const first = ({ address }: IpValue, bits: number) => Number(address.number >> BigInt(address.bits - bits))
const is4 = (value: IpValue) => value.address.bits === 32

const addresses: Signatures = {
  'ip(string) -> IP': ip,
  'ip(IP) -> IP': (value: IpValue) => value,
  'isIP(string) -> bool': (words: string) => usable(words) !== undefined,
  'ip.isCanonical(string) -> bool': (words: string) => printAddress(ip(words).address) === words,
  'string(IP) -> string': (value: IpValue) => printAddress(value.address),
  'IP.family() -> int': (value: IpValue) => (is4(value) ? 4n : 6n),
  'IP.isUnspecified() -> bool': (value: IpValue) => value.address.number === 0n,
  'IP.isLoopback() -> bool': (value: IpValue) => (is4(value) ? first(value, 8) === 127 : value.address.number === 1n),
  'IP.isLinkLocalMulticast() -> bool': (value: IpValue) =>
    is4(value) ? first(value, 24) === 0xe00000 : (first(value, 16) & 0xff0f) === 0xff02,
  'IP.isLinkLocalUnicast() -> bool': (value: IpValue) =>
    is4(value) ? first(value, 16) === 0xa9fe : first(value, 10) === 0xfe80 >> 6,
  'IP.isGlobalUnicast() -> bool': isGlobal,
}

function isGlobal(value: IpValue): boolean {
  const { number } = value.address
  if (number === 0n) return false
  if (is4(value)) {
    return number !== 0xffffffffn && first(value, 8) !== 127 && first(value, 4) !== 14 && first(value, 16) !== 0xa9fe
  }
  return number !== 1n && first(value, 8) !== 0xff && first(value, 10) !== 0xfe80 >> 6
}

const ranges: Signatures = {
  'cidr(string) -> CIDR': cidr,
  'isCIDR(string) -> bool': (words: string) => {
    const network = parseNetwork(words)
    return network !== undefined && !isMapped(network.address)
  },
  'string(CIDR) -> string': text,
  'CIDR.ip() -> IP': (value: CidrValue) => new IpValue(value.network.address),
  'CIDR.prefixLength() -> int': (value: CidrValue) => BigInt(value.network.length),
  'CIDR.masked() -> CIDR': (value: CidrValue) => new CidrValue({ ...value.network, address: masked(value.network) }),
  'CIDR.containsIP(IP) -> bool': (value: CidrValue, other: IpValue) => within(other.address, value.network),
  'CIDR.containsIP(string) -> bool': (value: CidrValue, other: string) => within(ip(other).address, value.network),
  'CIDR.containsCIDR(CIDR) -> bool': (value: CidrValue, other: CidrValue) => covers(value, other),
  'CIDR.containsCIDR(string) -> bool': (value: CidrValue, other: string) => covers(value, cidr(other)),
}

const covers = (value: CidrValue, other: CidrValue) =>
  other.network.length >= value.network.length && within(other.network.address, value.network)

export const networks = (): readonly Overload[] => overloads({ ...addresses, ...ranges })
