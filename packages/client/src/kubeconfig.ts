import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import { KubeConfigError } from '@binnacle/core'
import type { ConnectionInfo } from './connection.ts'
import { concealed } from './connection.ts'
import type { ExecPolicy } from './exec-policy.ts'
import { serviceAccount, thisPod } from './in-cluster.ts'
import type { Entry, KubeConfigFile, Section } from './kubeconfig-file.ts'
import { lacking, locate, mergeKubeConfigs, parseKubeConfig, readKubeConfigFile, textField } from './kubeconfig-file.ts'
import { clusterPart, userPart } from './kubeconfig-parts.ts'

export interface KubeConfigOptions {
  /** @default the file's current-context */
  readonly context?: string
}

/** What a configuration is made of: files with contexts, or a single connection. */
type Source =
  | {
      readonly from: 'file'
      readonly config: KubeConfigFile
      readonly context: string | undefined
      readonly execPlugins: ExecPolicy
    }
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
    return KubeConfig.#fromFiles([parseKubeConfig(yaml, 'the given kubeconfig', process.cwd())], options, 'deny')
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
  static #fromFiles(
    files: readonly KubeConfigFile[],
    { context }: KubeConfigOptions,
    execPlugins: ExecPolicy = 'allow',
  ): KubeConfig {
    const config = mergeKubeConfigs(files)
    const parsed = new KubeConfig({ from: 'file', config, context: config.currentContext, execPlugins })
    return context === undefined ? parsed : parsed.withContext(context)
  }

  get contexts(): readonly string[] {
    return this.#source.from === 'file' ? [...this.#source.config.contexts.keys()] : []
  }

  get currentContext(): string | undefined {
    return this.#source.from === 'file' ? this.#source.context : undefined
  }

  /** Whether programs that it names may run unless something else is said: those of files on this machine, as kubectl runs them. */
  get execPlugins(): ExecPolicy {
    return this.#source.from === 'file' ? this.#source.execPlugins : 'deny'
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
    return new KubeConfig({ ...this.#source, context: name })
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
  return { ...clusterPart(cluster), ...(user && userPart(user, cluster)) }
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
