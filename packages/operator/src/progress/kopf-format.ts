import { isPlainObject, type KubeObject } from '@binnacle/core'
import { readAnnotation } from './annotations.ts'
import { blake2b } from './blake2b.ts'
import { contentOf, isSame, unboundDiffBase } from './last-handled.ts'
import type { Progress } from './progress.ts'
import { packed, unpacked } from './size-guard.ts'
import type { DiffBaseStorage, ProgressStorage } from './storage.ts'
import { annotate, progressFrom, unannotate, withoutPrefix } from './store.ts'

/**
 * The marks of Kopf on objects, for an operator that takes over from one written with it.
 * Guarantees: what Kopf has stored under the same handler ids is understood, in both forms of its keys, so that nothing which it has handled is
 * handled again; what we store, Kopf understands, unless it is too large.
 * Assumes: only one of the two operators runs at a time.
 */
export function kopfPersistence(options: { readonly prefix?: string; readonly finalizer?: string } = {}): {
  readonly finalizer: string
  readonly progressStorage: ProgressStorage
  readonly diffbaseStorage: DiffBaseStorage
} {
  const { prefix = 'kopf.zalando.org', finalizer = 'kopf.zalando.org/KopfFinalizerMarker' } = options
  return { finalizer, progressStorage: progressUnder(prefix), diffbaseStorage: diffBaseUnder(prefix) }
}

const LONGEST_NAME = 63

function progressUnder(prefix: string): ProgressStorage {
  return {
    fetch(id, body) {
      const found = keysOf(prefix, id, body).map((key) => readAnnotation(body.metadata.annotations, key))
      return found.map(fromKopf).find((record) => record !== undefined)
    },
    store(id, record, body, patch) {
      const [key = '', ...older] = keysOf(prefix, id, body)
      annotate(patch, body.metadata.annotations, key, JSON.stringify(record))
      for (const former of older) unannotate(patch, body.metadata.annotations, former)
    },
    purge(id, body, patch) {
      for (const key of keysOf(prefix, id, body)) unannotate(patch, body.metadata.annotations, key)
      unannotate(patch, body.metadata.annotations, `${prefix}/touch-dummy`)
    },
    clear: (essence) => withoutPrefix(essence, prefix),
  }
}

function diffBaseUnder(prefix: string): DiffBaseStorage {
  return unboundDiffBase(({ sizeLimits }) => {
    const fetch = (body: KubeObject) => {
      const texts = keysOf(prefix, 'last-handled-configuration', body).map((key) => body.metadata.annotations?.[key])
      return texts.map(unpacked).find((state) => state !== undefined)
    }
    return {
      build: (body, extraFields) => withoutPrefix(contentOf(body, extraFields, {}), prefix),
      fetch,
      store(body, patch, essence) {
        const [key = ''] = keysOf(prefix, 'last-handled-configuration', body)
        if (isSame(fetch(body), essence)) return
        annotate(patch, body.metadata.annotations, key, `${packed(essence, sizeLimits)}\n`)
      },
    }
  })
}

/** Kopf writes no digest of the state that a handler saw: that it is unknown is said by an empty one. Null is its way to say "none". */
function fromKopf(record: unknown): Progress | undefined {
  if (!isPlainObject(record)) return undefined
  const present = Object.entries(record).filter(([, value]) => value !== null)
  return progressFrom({ essence: '', success: false, failure: false, retries: 0, ...Object.fromEntries(present) })
}

/** The key as Kopf forms it today, and as it formed it before, if that is another one. */
export function keysOf(prefix: string, id: string, body: KubeObject): readonly string[] {
  const name = isCopyOfItsOwner(body) ? `${id}-ofDRS` : id
  const safe = name.replaceAll('/', '.').replace(/[<>]/g, '_')
  const today = `${prefix}/${cut(safe, LONGEST_NAME, name)}`
  const before = `${prefix}/${cut(safe, LONGEST_NAME - prefix.length - 1, safe)}`
  return today === before ? [today] : [today, before]
}

function cut(name: string, longest: number, digested: string): string {
  if (name.length <= longest) return name
  const suffix = Buffer.from(blake2b(Buffer.from(digested), 4))
    .toString('base64')
    .replaceAll('+', '-')
    .replaceAll('/', '.')
    .replace(/[=.-]+$/, '')
  return `${name.slice(0, Math.max(0, longest - suffix.length - 1))}-${suffix}`
}

/** Kubernetes copies the annotations of a Deployment down to its ReplicaSets: marks of one would be taken for those of the other. */
function isCopyOfItsOwner({ kind, metadata }: KubeObject): boolean {
  return kind === 'ReplicaSet' && (metadata.ownerReferences ?? []).some((owner) => owner.kind === 'Deployment')
}
