import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Cluster } from '@binnacle/cluster'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'

/**
 * The programs of docs/explanation/informers.md, one for each part, each run as it stands there: against the embedded cluster over HTTP or, with
 * BINNACLE_WORLD=real, against the cluster of BINNACLE_KUBECONFIG.
 */

/** What each must have printed, among other things that a cluster may have. */
const PRINTS: { readonly [program: string]: readonly string[] } = {
  'lister-watcher': ['listed 1', 'watched MODIFIED'],
  store: ['shop/b 3 false', '1'],
  indexer: ['b,c', '2', 'shop/a shop,kube-system', '1'],
  queues: ['newest 2', 'deltas Added, Deleted', 'batch ReplacedAll', 'batch Updated'],
  reflector: ['red', 'watching true true'],
  controller: ['true true'],
  'shared-informer': ['here is settings true', 'true'],
  factory: ['default 0', 'true 2', 'namespaces'],
  'work-queue': ['default/settings is there'],
  'own-writes': ['2', '2'],
}

const directory = mkdtempSync(join(tmpdir(), 'programs-'))
let cluster: Cluster
beforeAll(async () => {
  cluster = await Cluster.start()
  const kubeconfig = join(directory, 'config')
  writeFileSync(kubeconfig, cluster.kubeconfig())
  const real = process.env['BINNACLE_WORLD'] === 'real' ? process.env['BINNACLE_KUBECONFIG'] : undefined
  vi.stubEnv('KUBECONFIG', real ?? kubeconfig)
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await cluster.stop()
  rmSync(directory, { recursive: true })
})
afterEach(() => vi.restoreAllMocks())

const names = readdirSync(fileURLToPath(new URL('programs', import.meta.url))).map((path) => path.replace('.ts', ''))

it.each(names)('the program about %s', async (name) => {
  const lines: string[] = []
  vi.spyOn(console, 'log').mockImplementation((...words) => void lines.push(words.join(' ')))
  await import(`./programs/${name}.ts`)
  expect(PRINTS).toHaveProperty([name])
  expect(lines).toEqual(expect.arrayContaining([...(PRINTS[name] ?? [])]))
})
