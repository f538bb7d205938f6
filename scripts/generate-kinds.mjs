/**
 * Writes what the embedded cluster and @binnacle/kinds know about built-in kinds, as a real kube-apiserver tells it.
 *
 *   npm run generate:kinds [-- --binaries DIR]
 *
 * Guarantees: the same version of Kubernetes gives the same files, byte for byte; nothing is written unless all of it was read.
 * Assumes: the Go module cache holds the modules that the control plane was built from.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startControlPlane } from '../conformance/control-plane/control-plane.mjs'
import { observeDefaults } from './generate-kinds/defaults.mjs'
import { packed, plain } from './generate-kinds/files.mjs'
import { readMessages } from './generate-kinds/messages.mjs'
import { Observer } from './generate-kinds/observer.mjs'
import { splitSchemas } from './generate-kinds/schemas.mjs'
import { typesOf } from './generate-kinds/types.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const data = join(root, 'packages/cluster/src/kinds/data')

const at = process.argv.indexOf('--binaries')
const binaries = at === -1 ? undefined : process.argv[at + 1]
const server = await startControlPlane({ controllerManager: false, ...(binaries ? { binaries } : {}) })
try {
  const observer = new Observer(server.kubeconfig)
  const kinds = await observer.kinds()
  const documents = await observer.schemas(kinds)
  const columns = await observer.columns(kinds)
  const policy = await observer.policy()
  const defaults = await observeDefaults(observer, documents)
  const { structure, descriptions, roots } = splitSchemas(documents)
  const messages = readMessages(root, Object.values(roots))
  mkdirSync(data, { recursive: true })
  write(join(data, 'discovery.ts'), plain('discovered', 'DiscoveredKind', kinds))
  write(join(data, 'defaults.ts'), plain('typeDefaults', 'TypeDefaults', defaults))
  write(join(data, 'schemas.ts'), packed('schemas', { roots, structure }))
  write(join(data, 'descriptions.ts'), packed('descriptions', descriptions))
  write(join(data, 'columns.ts'), packed('columns', columns))
  write(join(data, 'messages.ts'), packed('messages', messages))
  write(join(data, 'policy.ts'), packed('policy', policy))
  write(join(root, 'packages/kinds/src/index.ts'), typesOf(kinds, structure, roots))
  spawnSync('npx', ['biome', 'check', '--write', data, join(root, 'packages/kinds/src')], {
    cwd: root,
    stdio: 'inherit',
  })
} finally {
  await server.stop()
}

/** @param {string} file @param {string} text */
function write(file, text) {
  writeFileSync(file, text)
  console.log(`${file.slice(root.length + 1)}: ${text.length} bytes`)
}
