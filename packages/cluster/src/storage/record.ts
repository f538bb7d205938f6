/**
 * One stored state of one object, with its bytes.
 * Guarantees: the object never changes; each representation is serialised at most once and shared by everybody who asks.
 */
import { bytesOf, type JsonObject, printJson } from '../json.ts'
import { type KubeObject, withMetadata } from '../object.ts'
import { carryForms } from './forms.ts'

/** A way to show an object: a served version of it, or its metadata alone. */
export interface View {
  /** Equal ids show equal bytes. */
  readonly id: string
  render(object: KubeObject): JsonObject
}

export class StoredRecord {
  readonly key: string
  readonly object: KubeObject
  readonly revision: number
  /** The object as read differs from the object as written, because the schema has changed since. The next write is no no-op. */
  readonly stale: boolean
  #encodings: Map<string, Uint8Array> | undefined

  constructor(key: string, object: KubeObject, revision: number, stale = false) {
    this.key = key
    this.object = object
    this.revision = revision
    this.stale = stale
  }

  get name(): string {
    return this.object.metadata.name ?? ''
  }

  get namespace(): string {
    return this.object.metadata.namespace ?? ''
  }

  encoded(view: View): Uint8Array {
    this.#encodings ??= new Map()
    let bytes = this.#encodings.get(view.id)
    if (bytes === undefined) {
      bytes = bytesOf(printJson(view.render(this.object)))
      this.#encodings.set(view.id, bytes)
    }
    return bytes
  }

  /** The same content under a later version: what a watcher is told of an object that left its sight. */
  at(revision: number): StoredRecord {
    const metadata = { ...this.object.metadata, resourceVersion: String(revision) }
    const later = withMetadata(this.object, metadata)
    carryForms(this.object, later)
    return new StoredRecord(this.key, later, revision)
  }
}
