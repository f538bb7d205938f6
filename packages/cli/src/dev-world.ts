import { install, withNamespaces } from './install.ts'
import type { Io } from './io.ts'
import { exportLine, KubeconfigFile } from './kubeconfig-file.ts'
import { isCRD, type Manifest } from './manifests.ts'
import type { EmbeddedCluster, Parts, ServerChoice } from './parts.ts'
import { definitionsOf } from './resource-definitions.ts'
import type { ResourceShape } from './shapes.ts'

export interface DevWorldOptions {
  readonly io: Io
  readonly parts: Parts
  /** The cluster that was named; without it an embedded one is started. */
  readonly server: ServerChoice | undefined
  /** What to install before the operator starts, as the files have it now. */
  manifests(): readonly Manifest[]
}

/**
 * The cluster that `dev` runs on.
 * Guarantees: on a cluster that was named, nothing is installed but the manifests that were named too; an embedded one, its kubeconfig
 * and the change of KUBECONFIG are gone after disposal.
 */
export class DevWorld implements AsyncDisposable {
  readonly #options: DevWorldOptions
  readonly #embedded: Embedded | undefined
  /** What was installed last, so that a reload does not undo what has been done to the objects since. */
  readonly #installed = new Map<string, string>()

  static async open(options: DevWorldOptions): Promise<DevWorld> {
    if (options.server) await options.parts.checkKubeconfig(options.server)
    return new DevWorld(options, options.server ? undefined : await startEmbedded(options))
  }

  private constructor(options: DevWorldOptions, embedded: Embedded | undefined) {
    this.#options = options
    this.#embedded = embedded
  }

  /** How operators reach it. */
  get choice(): ServerChoice {
    return this.#embedded ? { kubeconfig: this.#embedded.file.path } : (this.#options.server ?? {})
  }

  /** What points kubectl at it; undefined for a cluster that was named. */
  get exportLine(): string | undefined {
    return this.#embedded && exportLine(this.#embedded.file.path)
  }

  /** Brings the world up to what the operator needs: definitions of declared resources, and the manifests; what is there stays. */
  async install(resources: readonly ResourceShape[]): Promise<void> {
    const { manifests, parts, io } = this.#options
    const given = manifests()
    const wanted = this.#embedded ? withNamespaces([...missing(resources, given), ...given]) : given
    const fresh = wanted.filter((manifest) => this.#installed.get(idOf(manifest)) !== JSON.stringify(manifest))
    if (fresh.length === 0) return
    await using server = await parts.connect(this.choice)
    await install(server, fresh, io.clock)
    for (const manifest of fresh) this.#installed.set(idOf(manifest), JSON.stringify(manifest))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#embedded?.close()
  }
}

/** Whoever gave a definition by hand knows better than the schema in the code. */
function missing(resources: readonly ResourceShape[], given: readonly Manifest[]): readonly Manifest[] {
  const names = new Set(given.filter(isCRD).map((crd) => crd.metadata.name))
  return definitionsOf(resources.filter(({ plural, group }) => !names.has(`${plural}.${group}`)))
}

function idOf({ apiVersion, kind, metadata }: Manifest): string {
  return [apiVersion, kind, metadata.namespace, metadata.name].join(' ')
}

interface Embedded {
  readonly file: KubeconfigFile
  close(): Promise<void>
}

async function startEmbedded({ io, parts }: DevWorldOptions): Promise<Embedded> {
  const cluster = await parts.startCluster({})
  try {
    const file = new KubeconfigFile(io)
    file.write(cluster.kubeconfig())
    // Also for whatever the user's file connects to by itself: it must not reach the cluster of everyday work by accident.
    const before = io.env['KUBECONFIG']
    io.env['KUBECONFIG'] = file.path
    return { file, close: () => closeEmbedded(io, cluster, file, before) }
  } catch (error) {
    await cluster.stop()
    throw error
  }
}

async function closeEmbedded(
  io: Io,
  cluster: EmbeddedCluster,
  file: KubeconfigFile,
  before: string | undefined,
): Promise<void> {
  if (before === undefined) delete io.env['KUBECONFIG']
  else io.env['KUBECONFIG'] = before
  file[Symbol.dispose]()
  await cluster.stop()
}
