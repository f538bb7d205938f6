import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { BinnacleError, isPlainObject } from '@binnacle/core'
import { usageError } from './command-line.ts'

const require = createRequire(import.meta.url)
/** Read with the first file: most clusters start without one, and sooner. */
const yaml = (): typeof import('yaml') => require('yaml')

/** An object as it stands in a file. */
export interface Manifest {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly [field: string]: unknown }
  readonly [field: string]: unknown
}

/** The objects of YAML or JSON files, in order; a document may hold a List. */
export function readManifests(files: readonly string[], cwd: string): readonly Manifest[] {
  return files.flatMap((file) => parseManifests(read(file, cwd), file))
}

/** As `readManifests`, for files that may hold CustomResourceDefinitions only. */
export function readCRDs(files: readonly string[], cwd: string): readonly Manifest[] {
  return files.flatMap((file) =>
    parseManifests(read(file, cwd), file).map((manifest) => {
      if (isCRD(manifest)) return manifest
      throw usageError(
        `${file} holds the ${manifest.kind} "${manifest.metadata.name}", and --crd takes CustomResourceDefinitions only`,
        `Give the file with --apply instead.`,
      )
    }),
  )
}

export function isCRD(manifest: Manifest): boolean {
  return manifest.kind === 'CustomResourceDefinition' && manifest.apiVersion.startsWith('apiextensions.k8s.io/')
}

function parseManifests(text: string, file: string): readonly Manifest[] {
  return yaml()
    .parseAllDocuments(text)
    .flatMap((document) => {
      const [error] = document.errors
      if (error) throw unusable(`${file} is not YAML: ${error.message.split('\n')[0]}`)
      return itemsOf(document.toJS({ maxAliasCount: 100 })).map((item) => checked(item, file))
    })
}

function itemsOf(content: unknown): readonly unknown[] {
  if (content === null || content === undefined) return []
  if (isPlainObject(content) && content['kind'] === 'List' && Array.isArray(content['items'])) return content['items']
  return [content]
}

function checked(item: unknown, file: string): Manifest {
  if (!isPlainObject(item)) throw unusable(`${file} holds something that is not an object`)
  const { apiVersion, kind, metadata } = item
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') {
    throw unusable(`${file} holds an object without apiVersion or kind`)
  }
  if (!isPlainObject(metadata) || typeof metadata['name'] !== 'string') {
    throw unusable(`${file} holds a ${kind} without metadata.name`)
  }
  return item as unknown as Manifest
}

function unusable(message: string): BinnacleError {
  return new BinnacleError('BIN_RESOURCE', {
    message,
    hint: 'A manifest has apiVersion, kind and metadata.name; several of them are parted by lines of `---`.',
  })
}

function read(file: string, cwd: string): string {
  try {
    return readFileSync(resolve(cwd, file), 'utf8')
  } catch (error) {
    throw usageError(`${file} cannot be read: ${reasonOf(error)}`, 'Check the path; it is relative to where you are.')
  }
}

/** Why a file could not be read, in words. */
export function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'ENOENT') return 'there is no such file'
  if (code === 'EACCES' || code === 'EPERM') return 'permission denied'
  if (code === 'EISDIR') return 'it is a directory'
  return message
}
