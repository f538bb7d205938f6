/** What all requests share: the state of the cluster and where time and chance come from. */
import type { Access } from '../access/access.ts'
import type { User } from '../access/user.ts'
import type { Clock } from '../clock.ts'
import type { ByteStream } from '../http/byte-stream.ts'
import type { Call } from '../http/message.ts'
import type { Target } from '../http/router.ts'
import { initializing } from '../http/status.ts'
import type { WebhookCaller } from '../http/webhook-call.ts'
import { type Kind, tableId } from '../kinds/kind.ts'
import type { Kinds } from '../kinds/kinds.ts'
import type { Random } from '../random.ts'
import type { Storage } from '../storage/storage.ts'
import type { Table } from '../storage/table.ts'
import type { Timetable } from '../timetable.ts'

export interface Backend {
  readonly clock: Clock
  readonly random: Random
  readonly storage: Storage
  readonly kinds: Kinds
  readonly timetable: Timetable
  /** Who may come in, and what he may do. */
  readonly access: Access
  /** The minor version of Kubernetes to be like, e.g. '1.36'. */
  readonly version: string
  /** host:port for discovery; empty when nothing listens. */
  address: string
  /** How webhooks are reached. */
  readonly callWebhook: WebhookCaller
  /** Where the services of webhooks listen: url by namespace/name, or namespace/name:port. */
  readonly services: ReadonlyMap<string, string>
  /** Open watches. */
  readonly streams: Set<ByteStream>
}

export const tableOf = (backend: Backend, kind: Kind): Table => backend.storage.table(tableId(kind))

/** Throws while the kind is being rebuilt. */
export function checkReady({ backend, kind }: Operation): void {
  if (!kind.builtIn && tableOf(backend, kind).readyAt > backend.clock.monotonic()) throw initializing()
}

/** One request for objects: who asks for what. */
export interface Operation extends Target {
  readonly backend: Backend
  /** Who asks; himself, or whom he acts as. */
  readonly user: User
  readonly call: Call
}
