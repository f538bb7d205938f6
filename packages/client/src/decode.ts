import { type Cut, type MemberPath, MemberScanner, memberPath } from './member-scan.ts'

/**
 * Bytes of one JSON object → the object, with `metadata.managedFields` left out or kept.
 * Guarantees: the same as JSON.parse and a later deletion, at about half of the cost: in many objects managedFields is a third of the
 * bytes and half of the memory.
 */

/** Whether objects keep `metadata.managedFields`, which only those need who look at who owns which field. */
export type ManagedFields = 'drop' | 'keep'

/** Where in a document the managedFields of an object stand. */
export const IN_OBJECT = memberPath('metadata', 'managedFields')
export const IN_EVENT = memberPath('object', 'metadata', 'managedFields')

const NAME = Buffer.from('managedFields"')
const QUOTE = 0x22
const COLON = 0x3a
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d

/** Used within one call only. Larger than almost every object. */
const scratch = Buffer.allocUnsafeSlow(64 * 1024)

export function managedFieldsScanner(path: MemberPath): MemberScanner {
  return new MemberScanner(path, 'cut')
}

/** An object or an answer of any other form. */
export function decodeObject(bytes: Uint8Array, managedFields: ManagedFields, path: MemberPath): unknown {
  const buffer = asBuffer(bytes)
  return decodeRange(buffer, 0, buffer.length, managedFields, path)
}

/** The object that stands from `start` to `end`. */
export function decodeRange(
  bytes: Buffer,
  start: number,
  end: number,
  managedFields: ManagedFields,
  path: MemberPath,
): unknown {
  if (managedFields === 'keep') return JSON.parse(bytes.toString('utf8', start, end))
  const cuts = likelyCuts(bytes.subarray(start, end), path)
  if (cuts) {
    try {
      return withoutManagedFields(JSON.parse(textWithout(bytes, start, end, cuts)), path)
    } catch {
      // A wrong guess, or no JSON at all: the careful way tells one from the other.
    }
  }
  const scanner = managedFieldsScanner(path)
  scanner.scan(bytes, start, end, start)
  return withoutManagedFields(JSON.parse(textWithout(bytes, start, end, scanner.cuts)), path)
}

/**
 * Where managedFields stand, without a look at each byte; undefined if it takes that to know.
 * That its name is in its place is made sure of. That its list ends at the next `]` is a guess: owned fields are written without lists. If it
 * is wrong, that bracket stands in a string, and what is left without it has an odd number of quotes, which JSON.parse refuses.
 */
function likelyCuts(bytes: Buffer, path: MemberPath): readonly Cut[] | undefined {
  const name = bytes.indexOf(NAME)
  if (name === -1) return []
  const list = name + NAME.length + 1
  if (bytes[name - 1] !== QUOTE || bytes[list - 1] !== COLON || bytes[list] !== OPEN_LIST) return undefined
  const end = bytes.indexOf(CLOSE_LIST, list) + 1
  const inner = bytes.indexOf(OPEN_LIST, list + 1)
  if (end === 0 || (inner !== -1 && inner < end)) return undefined
  const scanner = managedFieldsScanner(path)
  scanner.scan(bytes, 0, name - 1, 0)
  const cut = scanner.cutOf(name - 1, end, bytes[end])
  return cut && [cut]
}

/** The text from `start` to `end` without the cuts, whose positions count from `start`. */
export function textWithout(bytes: Buffer, start: number, end: number, cuts: readonly Cut[]): string {
  if (cuts.length === 0) return bytes.toString('utf8', start, end)
  // Bytes are joined rather than strings: JSON.parse would copy joined strings once more, and all of it is garbage a moment later.
  const room = end - start <= scratch.length ? scratch : Buffer.allocUnsafe(end - start)
  let length = 0
  let from = start
  for (const cut of cuts) {
    length += bytes.copy(room, length, from, start + cut.start)
    from = start + cut.end
  }
  length += bytes.copy(room, length, from, end)
  return room.toString('utf8', 0, length)
}

/** For names that the scanner does not recognize, such as those written with escapes. */
export function withoutManagedFields(value: unknown, path: MemberPath): unknown {
  let holder: unknown = value
  for (let i = 0; i < path.names.length - 1; i++) holder = ownMember(holder, path.names[i] as string)
  if (ownMember(holder, 'managedFields') !== undefined) Reflect.deleteProperty(holder as object, 'managedFields')
  return value
}

function ownMember(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return (value as Record<string, unknown>)[name]
}

export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
