/** What a client sends and what it wants back: media types and their parameters. Pure functions of the headers. */
import { notAcceptable } from './status.ts'

export interface MediaType {
  readonly type: string
  readonly parameters: ReadonlyMap<string, string>
  readonly quality: number
}

/** How an answer is to look. */
export interface Format {
  readonly encoding: 'json' | 'yaml' | 'protobuf'
  /** The whole object, or a row or its metadata alone in a version of meta.k8s.io. */
  readonly as: 'object' | 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList'
  readonly version: 'v1' | 'v1beta1'
}

const served = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf']
const streamed = ['application/json;stream=watch', 'application/vnd.kubernetes.protobuf;stream=watch']
export const protobufType = 'application/vnd.kubernetes.protobuf'
const plain: Format = { encoding: 'json', as: 'object', version: 'v1' }

/** The first acceptable clause, by quality and then by order. `binary`: the kind can be written in protobuf. */
export function negotiate(accept: string | undefined, watch = false, binary = false): Format {
  if (accept === undefined || accept.trim() === '') return plain
  const clauses = parseAccept(accept)
  for (const clause of clauses) {
    const format = formatOf(clause, binary)
    if (format && !(watch && format.encoding === 'yaml')) return format
  }
  throw refusal(clauses, watch)
}

function formatOf(clause: MediaType, binary: boolean): Format | undefined {
  const encoding = encodingOf(clause.type)
  const as = clause.parameters.get('as')
  // Rows and bare metadata are written as JSON only: who asks for them in protobuf names JSON too.
  if (!encoding || (encoding === 'protobuf' && (!binary || as !== undefined))) return undefined
  if (as === undefined) return { ...plain, encoding }
  const version = clause.parameters.get('v')
  if (clause.parameters.get('g') !== 'meta.k8s.io' || (version !== 'v1' && version !== 'v1beta1')) return undefined
  return isShown(as) ? { encoding, as, version } : undefined
}

function encodingOf(type: string): Format['encoding'] | undefined {
  if (type === protobufType) return 'protobuf'
  if (type === 'application/json' || type === '*/*') return 'json'
  return type === 'application/yaml' ? 'yaml' : undefined
}

const isShown = (as: string): as is 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList' =>
  as === 'Table' || as === 'PartialObjectMetadata' || as === 'PartialObjectMetadataList'

function refusal(clauses: readonly MediaType[], watch: boolean) {
  const known = clauses.some((clause) => served.includes(clause.type))
  if (known) {
    return notAcceptable(`only the following media types are accepted: ${(watch ? streamed : served).join(', ')}`)
  }
  const all = watch ? [...served, ...streamed] : served
  return notAcceptable(`406: Not Acceptable\n\nAvailable representations: ${all.join(', ')}`, {})
}

export function parseAccept(accept: string): readonly MediaType[] {
  const clauses = accept.split(',').map((clause) => parseMediaType(clause))
  return clauses.filter((clause) => clause.quality > 0).sort((a, b) => b.quality - a.quality)
}

export function parseMediaType(text: string): MediaType {
  const [type = '', ...rest] = text.split(';').map((piece) => piece.trim())
  const parameters = new Map(rest.map((piece) => splitParameter(piece)))
  const quality = Number(parameters.get('q') ?? 1)
  return { type: type.toLowerCase(), parameters, quality: Number.isNaN(quality) ? 1 : quality }
}

function splitParameter(piece: string): [string, string] {
  const at = piece.indexOf('=')
  return at === -1 ? [piece.toLowerCase(), ''] : [piece.slice(0, at).trim().toLowerCase(), piece.slice(at + 1).trim()]
}
