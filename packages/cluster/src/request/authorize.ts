/** Permissions that follow from what a request turns out to do, beyond what its path says. */
import { resourceAttributes } from '../access/attributes.ts'
import type { Operation } from './backend.ts'

/** A write that finds nothing to change and creates instead: whoever may update need not be one who may create. */
export function requireCreate({ backend, user, kind, namespace, name }: Operation): void {
  const wanted = { verb: 'create', group: kind.group, resource: kind.plural, namespace, name }
  backend.access.require(user, resourceAttributes(wanted))
}
