import { convert } from '../kinds/views.ts'
import type { KubeObject } from '../object.ts'
import type { Pending } from '../pending.ts'
import type { Operation } from '../request/backend.ts'
export function inStorageVersion(
  next: KubeObject,
  _old: KubeObject | undefined,
  { kind }: Operation,
): Pending<KubeObject> {
  return convert(next, kind, kind.storage)
}
