/**
 * What `npm start` shows: an embedded cluster, the hello-world operator on it, and a sample object from its creation to its end.
 * Guarantees: when it returns, nothing of it is left: no process, no socket, no file.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Cluster } from '@binnacle/cluster'
import { type AnyObject, type Client, connect, silentLogger, toCRD } from 'binnacle'
import { op } from '../01-hello/operator.ts'
import { KopfExample } from '../01-hello/resource.ts'
import { Timeline } from './timeline.ts'

export interface TourOptions {
  /** Delete the sample and end by itself; otherwise it stays up until the signal. */
  readonly exit: boolean
  readonly signal: AbortSignal
  readonly write: (line: string) => void
  readonly color: boolean
}

const SAMPLE = { namespace: 'default', name: 'sample' }

export async function tour(options: TourOptions): Promise<void> {
  const start = performance.now()
  const elapsed = () => (performance.now() - start) / 1000
  const timeline = new Timeline({ write: options.write, color: options.color, elapsed })

  await using cluster = await Cluster.start({ crds: [toCRD(KopfExample)] })
  timeline.note(
    'cluster',
    `an embedded Kubernetes API server listens on ${cluster.url}, and serves kopfexamples.kopf.dev`,
  )
  const kubeconfig = cluster.connection
  await using operator = await op.start({
    kubeconfig,
    logger: silentLogger,
    observer: timeline,
    signal: options.signal,
  })
  timeline.note('cluster', `operator "${op.name}" is ready: ${op.describe().handlers.length} handlers`)
  await using you = await connect({ kubeconfig })

  await tellTheStory(you, timeline, options)
  if (options.exit) return
  await using file = await kubeconfigFile(cluster.kubeconfig())
  options.write('\nStill running. Look around, change the sample and watch this timeline; Ctrl-C ends everything:\n')
  options.write(`  export KUBECONFIG=${file.path}; kubectl get kopfexamples\n`)
  await operator.ended
}

async function tellTheStory(you: Client, timeline: Timeline, { exit, signal }: TourOptions): Promise<void> {
  timeline.note('you', 'create KopfExample default/sample with spec.field = "a compass"')
  await you.create(KopfExample, { metadata: SAMPLE, spec: { field: 'a compass' } }, { signal })
  await until(you, (sample) => isHandled(sample, 'a compass'), signal)

  timeline.note('you', 'change spec.field to "a map"')
  await you.patch(KopfExample, SAMPLE, { spec: { field: 'a map' } }, { signal })
  await until(you, (sample) => isHandled(sample, 'a map'), signal)

  if (!exit) return
  timeline.note('you', 'delete KopfExample default/sample')
  await you.delete(KopfExample, SAMPLE, { signal })
  await until(you, (sample) => sample === undefined, signal)
  timeline.note('cluster', 'KopfExample default/sample is gone')
}

/** The operator notes what it has handled, after everything else. */
function isHandled(sample: AnyObject | undefined, field: string): boolean {
  return sample?.metadata.annotations?.[`${op.name}.binnacle.dev/last-handled-configuration`]?.includes(field) ?? false
}

/** Watches the sample until it is as wanted. The watch begins where the list ends, so that nothing falls in between. */
async function until(
  you: Client,
  wanted: (sample: AnyObject | undefined) => boolean,
  signal: AbortSignal,
): Promise<void> {
  const options = { namespace: SAMPLE.namespace, fields: { 'metadata.name': SAMPLE.name }, signal }
  const { items, metadata } = await you.list('kopfexamples.kopf.dev', options)
  if (wanted(items[0])) return
  const from = { ...options, resourceVersion: metadata.resourceVersion }
  for await (const event of you.watch('kopfexamples.kopf.dev', from)) {
    if (event.type === 'BOOKMARK' || event.type === 'ERROR') continue
    if (wanted(event.type === 'DELETED' ? undefined : event.object)) return
  }
}

async function kubeconfigFile(content: string): Promise<AsyncDisposable & { readonly path: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'binnacle-'))
  const path = join(folder, 'kubeconfig')
  await writeFile(path, content, { mode: 0o600 })
  return { path, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) }
}
