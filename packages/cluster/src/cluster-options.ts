/** What a cluster can be started with. */
import type { Clock } from './clock.ts'
import type { Durability } from './persist/journal.ts'

export interface ClusterOptions {
  /** CustomResourceDefinition manifests, established when start returns. Those that `data` holds already are left as they are. @default [] */
  readonly crds?: readonly object[]
  /**
   * Manifests of any kind, created in their order, after the definitions, with the status that they carry. Missing namespaces are
   * created too; objects that `data` holds already are left as they are. @default []
   */
  readonly objects?: readonly object[]
  /** Where timestamps, bookmarks and deadlines come from. @default the system's clock */
  readonly clock?: Clock
  /** Where uids and generated names come from: numbers from 0 to below 1. @default Math.random */
  readonly random?: () => number
  /** Instead of `random`: the same seed gives the same uids and names. */
  readonly seed?: number
  /** Which Kubernetes to be like. @default '1.36' */
  readonly version?: `1.${number}`
  /** The port to listen on; 0: a free one. @default 0 */
  readonly port?: number
  /** The address to listen on. One that other machines reach needs TLS, and with it authentication. @default '127.0.0.1' */
  readonly host?: string
  /** False: no socket, only the in-process transport. @default true */
  readonly listen?: boolean
  /**
   * Where the services of webhooks listen, because there is no network: a port of this machine or a url, by `namespace/name` or
   * `namespace/name:port`. @default {}
   */
  readonly services?: Readonly<Record<string, string | number>>
  /** How many changes of each kind are remembered for watches that reconnect, and for pages of lists. @default 8192 */
  readonly historySize?: number
  /** Whether faults can be laid from outside: under /binnacle/, and by the header x-binnacle-fault. @default false */
  readonly faultControl?: boolean
  /**
   * HTTPS, with an authority of its own or with certificates that are given, and authentication with it.
   * @default false, and true as soon as there are `users` or `rbac`, since Go clients send no credentials over plain HTTP
   */
  readonly tls?: boolean | TlsFiles
  /** Permissions by Roles and ClusterRoles, with those that every cluster starts with; else everybody who gets in may do everything. @default false */
  readonly rbac?: boolean
  /** Who may sign in, beside the administrator and service accounts. @default [] */
  readonly users?: readonly ClusterUser[]
  /** Whether somebody without credentials is system:anonymous; else he is answered with 401. @default the value of `rbac` */
  readonly anonymous?: boolean
  /** A file to keep objects, versions and secrets in, from one run to the next. @default none: all is gone at the end */
  readonly data?: string | DataOptions
  /** Runs the controllers that make workloads look alive: docs/how-to/run-a-cluster.md names them. @default false */
  readonly controllers?: boolean
  /** Told what is worth knowing and stops nobody, such as an unfinished write that was dropped. @default nobody */
  readonly warn?: (message: string) => void
}

/** PEM. */
export interface TlsFiles {
  /** What the server shows; for every name by which it is called. */
  readonly cert: string
  readonly key: string
  /** Whoever signed it: what clients are told to trust. */
  readonly ca: string
}

export interface ClusterUser {
  readonly name: string
  /** Beside system:authenticated. @default [] */
  readonly groups?: readonly string[]
  readonly uid?: string
  /** What kubeconfig() hands out. Certificates need TLS. @default 'token' */
  readonly signIn?: 'token' | 'certificate'
  /** @default a random one, kept in `data` */
  readonly token?: string
}

export interface DataOptions {
  readonly file: string
  /** What an acknowledged write survives: the death of this process, or of the whole machine too, for a disk write each. @default 'process' */
  readonly durability?: Durability
}

const loopback = new Set(['127.0.0.1', '::1', 'localhost'])

/** Whether the listener speaks TLS. */
export function tlsOf({ tls, rbac, users }: ClusterOptions): boolean | TlsFiles {
  return tls ?? (rbac === true || (users?.length ?? 0) > 0)
}

/** Throws for options that contradict each other, before anything has been started. */
export function checkOptions(options: ClusterOptions): void {
  const { host = '127.0.0.1', listen } = options
  if (listen !== false && !loopback.has(host) && tlsOf(options) === false) {
    throw new Error(
      `Without TLS the embedded cluster asks nobody who he is, and listens on loopback only, not on "${host}". Add "tls: true", or use 127.0.0.1 or ::1.`,
    )
  }
  checkUsers(options)
}

function checkUsers(options: ClusterOptions): void {
  const names = new Set(['kubernetes-admin', 'system:anonymous'])
  const tokens = new Set<string>()
  for (const { name, token, signIn } of options.users ?? []) {
    if (name === '' || names.has(name)) {
      throw new Error(`The user name "${name}" is empty, taken, or reserved: give each user a name of his own.`)
    }
    if (token !== undefined && (token === '' || /\s/.test(token) || tokens.has(token))) {
      throw new Error(`The token of user "${name}" is empty, has spaces, or is that of another user: give another one.`)
    }
    if (signIn === 'certificate' && tlsOf(options) === false) {
      throw new Error(`User "${name}" signs in by certificate, which needs TLS: remove "tls: false".`)
    }
    names.add(name)
    if (token !== undefined) tokens.add(token)
  }
}
