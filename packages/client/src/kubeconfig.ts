import { homedir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { KubeConfigError } from '@binnacle/core'
import type { ConnectionInfo } from './connection.ts'
import { concealed } from './connection.ts'
import { serviceAccount, thisPod } from './in-cluster.ts'
import type { Entry, KubeConfigFile, Section } from './kubeconfig-file.ts'
import {
  booleanField,
  locate,
  mergeKubeConfigs,
  parseKubeConfig,
  readKubeConfigFile,
  textField,
} from './kubeconfig-file.ts'

export interface KubeConfigOptions {
  /** @default the file's current-context */
  readonly context?: string
}

/** What a configuration is made of: files with contexts, or a single connection. */
type Source =
  | { readonly from: 'file'; readonly config: KubeConfigFile; readonly context: string | undefined }
  | { readonly from: 'connection'; readonly connection: ConnectionInfo }

/**
 * A parsed kubeconfig: merged files, with the first value winning.
 * Guarantees: errors name file and field and never a value; printing it shows no secrets.
 * Does not guarantee: that the server answers, or accepts the credentials: nothing is asked before the first request.
 */
export class KubeConfig {
  readonly #source: Source

  private constructor(source: Source) {
    this.#source = source
  }

  /** Files of KUBECONFIG, else the file in the home directory, else the service account of the pod. */
  static async load(options: KubeConfigOptions = {}): Promise<KubeConfig> {
    const named = (process.env.KUBECONFIG ?? '').split(delimiter).filter((path) => path !== '')
    const paths = named.length > 0 ? named : [join(homedir(), '.kube', 'config')]
    const files = (await Promise.all(paths.map((path) => readKubeConfigFile(path)))).filter(
      (file) => file !== undefined,
    )
    if (files.length > 0) return KubeConfig.#fromFiles(files, options)
    if (named.length > 0) throw missing(`KUBECONFIG names ${named.join(', ')}, but there is no such file`)
    const inCluster = await KubeConfig.inCluster()
    if (inCluster) return inCluster
    throw missing(`There is no kubeconfig: KUBECONFIG is not set, ${paths[0]} does not exist, and this is not a pod`)
  }

  static async fromFile(path: string, options: KubeConfigOptions = {}): Promise<KubeConfig> {
    const file = await readKubeConfigFile(path)
    if (!file) throw missing(`${path} does not exist`)
    return KubeConfig.#fromFiles([file], options)
  }

  /** Relative paths in it are relative to the working directory. */
  static fromString(yaml: string, options: KubeConfigOptions = {}): KubeConfig {
    return KubeConfig.#fromFiles([parseKubeConfig(yaml, 'the given kubeconfig', process.cwd())], options)
  }

  static fromConnection(connection: ConnectionInfo): KubeConfig {
    return new KubeConfig({ from: 'connection', connection: concealed(connection) })
  }

  /** The service account that Kubernetes mounts into a pod; undefined outside of a cluster. */
  static async inCluster(): Promise<KubeConfig | undefined> {
    const connection = await serviceAccount(thisPod())
    return connection && KubeConfig.fromConnection(connection)
  }

  /** A context that is asked for must exist; that of the file is looked at when it is needed, as `withContext` may replace it. */
  static #fromFiles(files: readonly KubeConfigFile[], { context }: KubeConfigOptions): KubeConfig {
    const config = mergeKubeConfigs(files)
    const parsed = new KubeConfig({ from: 'file', config, context: config.currentContext })
    return context === undefined ? parsed : parsed.withContext(context)
  }

  get contexts(): readonly string[] {
    return this.#source.from === 'file' ? [...this.#source.config.contexts.keys()] : []
  }

  get currentContext(): string | undefined {
    return this.#source.from === 'file' ? this.#source.context : undefined
  }

  /** The namespace of the context. */
  get namespace(): string {
    if (this.#source.from === 'connection') return this.#source.connection.defaultNamespace ?? 'default'
    const context =
      this.#source.context === undefined ? undefined : this.#source.config.contexts.get(this.#source.context)
    return (context && textField(context.fields, 'namespace', context.place)) || 'default'
  }

  withContext(name: string): KubeConfig {
    if (this.#source.from === 'connection') {
      throw new KubeConfigError({
        message: `There is no context "${name}": this configuration is a single connection`,
        hint: 'Leave the context out, or name a kubeconfig file.',
      })
    }
    const { config } = this.#source
    if (!config.contexts.has(name)) throw unknownContext(name, config)
    return new KubeConfig({ from: 'file', config, context: name })
  }

  /** Where the server of the context is and who we are there. */
  async connection(signal?: AbortSignal): Promise<ConnectionInfo> {
    signal?.throwIfAborted()
    if (this.#source.from === 'connection') return this.#source.connection
    const { config, context } = this.#source
    if (context === undefined) throw noContext(config)
    return concealed({ ...connectionOf(config, context), defaultNamespace: this.namespace })
  }
}

function connectionOf(config: KubeConfigFile, contextName: string): ConnectionInfo {
  const context = config.contexts.get(contextName)
  if (!context) throw unknownContext(contextName, config)
  const cluster = referred(config, 'clusters', context, 'cluster')
  if (!cluster) throw lacking(context, 'cluster', 'Name one of the clusters of the file.')
  const user = referred(config, 'users', context, 'user')
  return { ...clusterPart(cluster), ...(user && userPart(user)) }
}

/** The entry that a context names; undefined if it names none. */
function referred(config: KubeConfigFile, section: Section, context: Entry, field: string): Entry | undefined {
  const name = textField(context.fields, field, context.place)
  if (!name) return undefined
  const entry = config[section].get(name)
  if (entry) return entry
  throw new KubeConfigError({
    message: `${locate(context.place, field)} names "${name}", which is not among its ${section}`,
    hint: `There are: ${listed([...config[section].keys()])}.`,
  })
}

function clusterPart(cluster: Entry): ConnectionInfo {
  refuse(cluster, 'proxy-url', 'Proxies are not supported yet: make the server reachable directly, or by a tunnel.')
  const server = textField(cluster.fields, 'server', cluster.place)
  if (!server) throw lacking(cluster, 'server', 'It is the address of the API server, such as https://10.0.0.1:6443.')
  const tlsServerName = textField(cluster.fields, 'tls-server-name', cluster.place)
  const ca = dataOrPath(cluster, 'certificate-authority', 'caData', 'caPath')
  const insecure = booleanField(cluster.fields, 'insecure-skip-tls-verify', cluster.place)
  if (insecure && Object.keys(ca).length > 0) throw contradiction(cluster)
  return { server, ...ca, ...(insecure && { insecure }), ...(tlsServerName && { tlsServerName }) }
}

function userPart(user: Entry): Partial<ConnectionInfo> {
  refuse(
    user,
    'exec',
    'Programs that print credentials are not supported yet: use a token, a tokenFile or a client certificate.',
  )
  refuse(
    user,
    'auth-provider',
    'Kubernetes removed auth providers in 1.26: use a token, a tokenFile or a client certificate.',
  )
  for (const field of ['as', 'as-uid', 'as-groups', 'as-user-extra']) {
    refuse(user, field, 'Impersonation is not supported yet: use credentials of the user itself.')
  }
  return {
    ...optional(user, 'token', 'token'),
    ...optional(user, 'username', 'username'),
    ...optional(user, 'password', 'password'),
    ...pathField(user, 'tokenFile', 'tokenPath'),
    ...dataOrPath(user, 'client-certificate', 'certificateData', 'certificatePath'),
    ...dataOrPath(user, 'client-key', 'privateKeyData', 'privateKeyPath'),
  }
}

type TextName = Exclude<keyof ConnectionInfo, 'server' | 'insecure'>

function optional(entry: Entry, field: string, name: TextName): Partial<ConnectionInfo> {
  const value = textField(entry.fields, field, entry.place)
  return value ? { [name]: value } : {}
}

function pathField(entry: Entry, field: string, name: TextName): Partial<ConnectionInfo> {
  const path = textField(entry.fields, field, entry.place)
  return path ? { [name]: resolve(entry.place.directory, path) } : {}
}

/** Data wins over the path, as in kubectl. */
function dataOrPath(entry: Entry, field: string, data: TextName, path: TextName): Partial<ConnectionInfo> {
  const given = optional(entry, `${field}-data`, data)
  return Object.keys(given).length > 0 ? given : pathField(entry, field, path)
}

function refuse(entry: Entry, field: string, hint: string): void {
  const value = Object.hasOwn(entry.fields, field) ? entry.fields[field] : undefined
  if (value === undefined || value === null || value === '') return
  throw new KubeConfigError({ message: `${locate(entry.place, field)} cannot be used`, hint })
}

function lacking(entry: Entry, field: string, hint: string): KubeConfigError {
  return new KubeConfigError({ message: `${locate(entry.place, field)} is missing`, hint })
}

function contradiction(cluster: Entry): KubeConfigError {
  return new KubeConfigError({
    message: `${locate(cluster.place, 'insecure-skip-tls-verify')} contradicts the certificate authority of the same cluster`,
    hint: 'Remove insecure-skip-tls-verify, so that the certificate is checked.',
  })
}

function missing(message: string): KubeConfigError {
  return new KubeConfigError({
    message,
    hint: 'Name an existing file by KUBECONFIG or by the option kubeconfig, or start a cluster.',
  })
}

function unknownContext(name: string, config: KubeConfigFile): KubeConfigError {
  return new KubeConfigError({
    message: `There is no context "${name}" in ${config.file}`,
    hint: `There are: ${listed([...config.contexts.keys()])}.`,
  })
}

function noContext(config: KubeConfigFile): KubeConfigError {
  return new KubeConfigError({
    message: `current-context is not set in ${config.file}`,
    hint: `Choose a context, such as by "kubectl config use-context". There are: ${listed([...config.contexts.keys()])}.`,
  })
}

function listed(names: readonly string[]): string {
  return names.length === 0 ? 'none' : names.map((name) => `"${name}"`).join(', ')
}
