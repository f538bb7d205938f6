import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { getOwn, isPlainObject, KubeConfigError, type PlainObject } from '@binnacle/core'
import { loadYaml, loadYamlNow, type Yaml } from './yaml.ts'

/**
 * The text of one kubeconfig → its entries, each with the place it came from.
 * Guarantees: every refusal names the file and the field; no message shows a value, because values may be secret.
 */

export type Section = 'clusters' | 'users' | 'contexts'

/** A named entry of a kubeconfig. */
export interface Entry {
  readonly name: string
  readonly fields: PlainObject
  /** As a message names it: `users[name=admin].user in /home/a/.kube/config`. */
  readonly place: Place
}
export interface Place {
  readonly file: string
  readonly path: string
  /** Relative paths in the file are relative to this directory. */
  readonly directory: string
}

export interface KubeConfigFile {
  readonly file: string
  readonly currentContext: string | undefined
  readonly clusters: ReadonlyMap<string, Entry>
  readonly users: ReadonlyMap<string, Entry>
  readonly contexts: ReadonlyMap<string, Entry>
}

const SINGULAR = { clusters: 'cluster', users: 'user', contexts: 'context' } as const

/** The file's entries; undefined if there is no such file. */
export async function readKubeConfigFile(file: string, signal?: AbortSignal): Promise<KubeConfigFile | undefined> {
  let text: string
  try {
    text = await readFile(file, { encoding: 'utf8', ...(signal && { signal }) })
  } catch (error) {
    signal?.throwIfAborted()
    if ((error as { code?: string }).code === 'ENOENT') return undefined
    throw unreadable(file, error)
  }
  return parseKubeConfig(text, file, dirname(resolve(file)), await loadYaml())
}

export function parseKubeConfig(text: string, file: string, directory: string, yaml = loadYamlNow()): KubeConfigFile {
  const root = parseYaml(text, file, yaml)
  const read = (section: Section) => entriesOf(root, section, file, directory)
  return {
    file,
    currentContext: textField(root, 'current-context', { file, path: '', directory }) || undefined,
    clusters: read('clusters'),
    users: read('users'),
    contexts: read('contexts'),
  }
}

/** The first file that has an entry, or a current context, wins; so does kubectl. */
export function mergeKubeConfigs(files: readonly KubeConfigFile[]): KubeConfigFile {
  const merged = (section: Section) => {
    const entries = new Map<string, Entry>()
    for (const entry of files.flatMap((file) => [...file[section].values()])) {
      if (!entries.has(entry.name)) entries.set(entry.name, entry)
    }
    return entries
  }
  return {
    file: files.map(({ file }) => file).join(', '),
    currentContext: files.find(({ currentContext }) => currentContext)?.currentContext,
    clusters: merged('clusters'),
    users: merged('users'),
    contexts: merged('contexts'),
  }
}

/** A field that is text or absent. */
export function textField(fields: PlainObject, name: string, place: Place): string | undefined {
  const value = getOwn(fields, name)
  if (value === undefined || value === null) return undefined
  if (typeof value === 'string') return value
  throw wrongType(place, name, 'text', value, 'Put it in quotes.')
}

export function booleanField(fields: PlainObject, name: string, place: Place): boolean {
  const value = getOwn(fields, name)
  if (value === undefined || value === null) return false
  if (typeof value === 'boolean') return value
  throw wrongType(place, name, 'true or false', value, 'Write it without quotes.')
}

export function listField(fields: PlainObject, name: string, place: Place): readonly unknown[] {
  const value = getOwn(fields, name)
  if (value === undefined || value === null) return []
  if (Array.isArray(value)) return value
  throw wrongType(place, name, 'a list', value)
}

export function mapField(fields: PlainObject, name: string, place: Place): PlainObject {
  const value = getOwn(fields, name)
  if (value === undefined || value === null) return {}
  if (isPlainObject(value)) return value
  throw wrongType(place, name, 'a mapping', value)
}

/** `users[name=admin].user.token in /home/a/.kube/config` */
export function locate(place: Place, field: string): string {
  return `${place.path === '' ? field : `${place.path}.${field}`} in ${place.file}`
}

export function lacking({ place }: { readonly place: Place }, field: string, hint: string): KubeConfigError {
  return new KubeConfigError({ message: `${locate(place, field)} is missing`, hint })
}

function parseYaml(text: string, file: string, { LineCounter, parseDocument }: Yaml): PlainObject {
  const lineCounter = new LineCounter()
  // Pretty errors would quote the line, which may hold a token.
  // kubectl reads YAML 1.1, in which "yes" and "n" are no text.
  const document = parseDocument(text, { lineCounter, prettyErrors: false, version: '1.1' })
  const [error] = document.errors
  if (error) {
    const { line, col } = lineCounter.linePos(error.pos[0])
    throw new KubeConfigError({
      message: `${file} is not valid YAML: ${error.code.toLowerCase().replaceAll('_', ' ')} at line ${line}, column ${col}`,
      hint: 'Correct the file there; wrong indentation and tabs are the usual reasons.',
    })
  }
  const root = contentOf(document, file)
  if (isPlainObject(root)) return root
  // As "touch ~/.kube/config" leaves it.
  if (root === null || root === undefined) return {}
  throw new KubeConfigError({
    message: `${file} is not a kubeconfig: expected a mapping with clusters, users and contexts, got ${typeOf(root)}`,
    hint: 'Check the path, or write the file anew with "kubectl config set-cluster".',
  })
}

/** Aliases that multiply are refused by the parser, by an error of its own. */
function contentOf(document: ReturnType<Yaml['parseDocument']>, file: string): unknown {
  try {
    return document.toJS()
  } catch {
    throw new KubeConfigError({
      message: `${file} cannot be read: its aliases (*name) refer to nothing, or multiply beyond measure`,
      hint: 'Write out what the aliases stand for.',
    })
  }
}

function entriesOf(root: PlainObject, section: Section, file: string, directory: string): ReadonlyMap<string, Entry> {
  const list = getOwn(root, section) ?? []
  const place = { file, path: '', directory }
  if (!Array.isArray(list)) throw wrongType(place, section, 'a list', list)
  const entries = new Map<string, Entry>()
  list.forEach((item: unknown, index) => {
    const entry = entryOf(item, section, { ...place, path: `${section}[${index}]` })
    if (entries.has(entry.name)) throw twice(entry.name, section, file)
    entries.set(entry.name, entry)
  })
  return entries
}

function entryOf(item: unknown, section: Section, place: Place): Entry {
  const name = isPlainObject(item) ? textField(item, 'name', place) : undefined
  if (!isPlainObject(item) || name === undefined) {
    throw new KubeConfigError({
      message: `${place.path} in ${place.file} has no name`,
      hint: 'Every entry needs a name, by which contexts refer to it.',
    })
  }
  const member = SINGULAR[section]
  const fields = getOwn(item, member) ?? {}
  if (!isPlainObject(fields)) throw wrongType(place, member, 'a mapping', fields)
  return { name, fields, place: { ...place, path: `${section}[name=${name}].${member}` } }
}

/** So does kubectl: which of them is meant, nobody can know. */
function twice(name: string, section: Section, file: string): KubeConfigError {
  return new KubeConfigError({
    message: `${section} in ${file} has two entries of the name ${JSON.stringify(name)}`,
    hint: 'Remove or rename one of them.',
  })
}

function wrongType(place: Place, field: string, expected: string, value: unknown, hint?: string): KubeConfigError {
  return new KubeConfigError({
    message: `${locate(place, field)} must be ${expected}, but is ${typeOf(value)}`,
    ...(hint !== undefined && { hint }),
  })
}

function typeOf(value: unknown): string {
  if (value === null || value === undefined) return 'empty'
  return Array.isArray(value) ? 'a list' : typeof value === 'object' ? 'a mapping' : `a ${typeof value}`
}

function unreadable(file: string, error: unknown): KubeConfigError {
  const code = (error as { code?: string }).code ?? 'unknown error'
  const words = code === 'EACCES' ? 'permission denied' : code === 'EISDIR' ? 'it is a directory' : code
  return new KubeConfigError({
    message: `${file} cannot be read: ${words}`,
    hint: 'Check the path and who may read the file, or name another one by KUBECONFIG.',
  })
}
