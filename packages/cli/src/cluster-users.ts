import { resolve } from 'node:path'
import { usageError } from './command-line.ts'
import type { Io } from './io.ts'
import { KubeconfigFile } from './kubeconfig-file.ts'
import type { Manifest } from './manifests.ts'
import type { EmbeddedCluster } from './parts.ts'

interface UserFile {
  readonly name: string
  readonly file: KubeconfigFile
}

const ACCOUNT = /^system:serviceaccount:([a-z0-9][-a-z0-9]*):([a-z0-9][-.a-z0-9]*)$/

/**
 * The users that a cluster was started for, and the kubeconfig of each.
 * Guarantees: a name or a file that cannot be used is refused before anything has been started; the files stay afterwards, as they were
 * asked for by name.
 */
export class ClusterUsers {
  readonly #users: readonly UserFile[]

  constructor(io: Io, given: readonly string[], adminFile: string | undefined) {
    const taken = new Map<string, string>(adminFile === undefined ? [] : [[resolve(io.cwd, adminFile), '--kubeconfig']])
    this.#users = given.map((text) => userFile(io, text, taken))
    const names = this.#users.map(({ name }) => name)
    const twice = names.find((name, i) => names.indexOf(name) !== i)
    if (twice !== undefined) throw usageError(`--user names "${twice}" twice`, 'Give each user once.')
  }

  /** Those who sign in by a token of their own. */
  get people(): readonly { readonly name: string }[] {
    return this.#users.filter(({ name }) => !ACCOUNT.test(name)).map(({ name }) => ({ name }))
  }

  /** Service accounts are objects: whoever is to be one must be there. */
  get accounts(): readonly Manifest[] {
    return this.#users.flatMap(({ name: user }) => {
      const [, namespace, name] = ACCOUNT.exec(user) ?? []
      if (namespace === undefined || name === undefined) return []
      return [{ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { namespace, name } }]
    })
  }

  write(cluster: EmbeddedCluster): void {
    for (const { name, file } of this.#users) file.write(cluster.kubeconfig(name))
  }

  /** Who has which file. */
  get files(): readonly { readonly name: string; readonly path: string }[] {
    return this.#users.map(({ name, file }) => ({ name, path: file.path }))
  }
}

function userFile(io: Io, text: string, taken: Map<string, string>): UserFile {
  const at = text.indexOf('=')
  const [name, path] = [text.slice(0, Math.max(at, 0)), text.slice(at + 1)]
  if (name === '' || path === '') {
    throw usageError(`--user is NAME=FILE, and got "${text}"`, 'For example: --user jane=jane.kubeconfig')
  }
  if (name.startsWith('system:') && !ACCOUNT.test(name)) {
    throw usageError(
      `--user cannot be "${name}": names that begin with system: belong to the cluster`,
      'Take another name, or a service account: system:serviceaccount:NAMESPACE:NAME',
    )
  }
  if (name === 'kubernetes-admin') {
    throw usageError('--user cannot be "kubernetes-admin": that is the administrator', 'His file is --kubeconfig.')
  }
  const full = resolve(io.cwd, path)
  const other = taken.get(full)
  if (other !== undefined) {
    throw usageError(`${full} is to be the kubeconfig of ${other} and of "${name}"`, 'Give each a file of its own.')
  }
  taken.set(full, `"${name}"`)
  return { name, file: new KubeconfigFile(io, path) }
}
