/**
 * Keeps ClusterRoles that are made of others in step with them, as the controller of the same name does.
 * Guarantees: follows from changes alone; a role that is already as it should be is not written.
 */
import { aggregatedRules } from '../access/aggregation.ts'
import { equalJson, type Json } from '../json.ts'
import type { Backend } from '../request/backend.ts'
import type { Table } from '../storage/table.ts'
import type { Work } from './work.ts'

const tableName = 'rbac.authorization.k8s.io/clusterroles'

export class Aggregation {
  readonly #backend: Backend
  readonly #work: Work

  constructor(backend: Backend, work: Work) {
    this.#backend = backend
    this.#work = work
    backend.storage.onChange((table) => this.#see(table))
  }

  #see(table: Table): void {
    if (table.id === tableName) this.#work.add('aggregation', () => this.#process())
  }

  #process(): void {
    const table = this.#backend.storage.table(tableName)
    const roles = table.list('').map(({ object }) => object)
    for (const role of roles) {
      const rules = aggregatedRules(role, roles)
      if (rules === undefined || equalJson(rules, (role.rules ?? []) as Json)) continue
      this.#backend.storage.put(table, role.metadata.name ?? '', { ...role, rules })
    }
  }
}
