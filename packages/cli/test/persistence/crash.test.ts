import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Cluster } from '@binnacle/cluster'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { stateAfter } from './steps.ts'

/** In one file, so that a process starts in a moment. */
const directory = mkdtempSync(join(tmpdir(), 'crash-'))
const program = join(directory, 'writer.mjs')
beforeAll(async () => {
  const entry = fileURLToPath(new URL('writer.ts', import.meta.url))
  const banner = { js: "import { createRequire as of } from 'node:module'; const require = of(import.meta.url);" }
  const alias = { '@binnacle/cluster': fileURLToPath(new URL('../../../cluster/src/index.ts', import.meta.url)) }
  await build({ entryPoints: [entry], outfile: program, bundle: true, platform: 'node', format: 'esm', banner, alias })
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

/** Runs the writer until it has acknowledged so many steps, kills it there and then, and tells what it had acknowledged. */
function killedAfter(acknowledgements: number, file: string, first: number, durability: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program, file, String(first), durability], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let [text, problem] = ['', '']
    child.stderr.on('data', (chunk) => (problem += chunk))
    child.stdout.on('data', (chunk) => {
      text += chunk
      if (text.split('\n').length - 2 >= acknowledgements) child.kill('SIGKILL')
    })
    child.on('close', (_, signal) => {
      if (signal !== 'SIGKILL') return reject(new Error(`The writer ended by itself: ${problem}`))
      // The last line may be cut off by the kill as well: what is not whole is not acknowledged.
      const lines = text.slice(0, text.lastIndexOf('\n')).split('\n').slice(1)
      resolve(lines.length === 0 ? first : Number(lines.at(-1)) + 1)
    })
  })
}

async function present(file: string): Promise<Record<string, string>> {
  await using cluster = await Cluster.start({ listen: false, data: file })
  const { body: bytes } = await cluster.transport().request({
    ...{ method: 'GET', path: '/api/v1/namespaces/default/configmaps', headers: {} },
    signal: new AbortController().signal,
  })
  const body = JSON.parse(Buffer.from(bytes).toString())
  return Object.fromEntries(
    body.items.map((item: { metadata: { name: string }; data: { n: string } }) => [item.metadata.name, item.data.n]),
  )
}

it.each([
  ['process', [0, 1, 3, 17, 40, 121, 7, 260]],
  ['machine', [2, 31]],
])(
  'loses nothing that was acknowledged when it is killed at any moment, again and again (%s)',
  async (durability, kills) => {
    const file = join(directory, durability)
    let done = 0
    for (const acknowledgements of kills) {
      const acknowledged = await killedAfter(acknowledgements, file, done, durability)
      const state = await present(file)
      // One step may have been kept that nobody was told of any more; never two, and never one without those before it.
      const steps = [acknowledged, acknowledged + 1].find(
        (count) => JSON.stringify(stateAfter(count)) === JSON.stringify(sorted(state, count)),
      )
      expect(steps, `${JSON.stringify(state)} after ${acknowledged} steps`).toBeDefined()
      done = steps ?? 0
    }
  },
  60_000,
)

/** The same keys in the order of the model. */
function sorted(state: Record<string, string>, count: number): Record<string, string> {
  const keys = [...new Set([...Object.keys(stateAfter(count)), ...Object.keys(state)])]
  return Object.fromEntries(keys.flatMap((key) => (state[key] === undefined ? [] : [[key, state[key]]])))
}
