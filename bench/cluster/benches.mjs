/**
 * The embedded cluster beside a real kube-apiserver: `npm run bench -- cluster`.
 *
 * Both speak TLS, ask who it is, and enforce permissions; etcd does not sync, as the embedded cluster writes to no disk. Figures "plain HTTP" are those of an
 * embedded cluster as it starts without any option, beside the same of the original. The same driver asks the same of
 * both, from a process of its own; where it is slower than a server, it holds back the faster one more. Memory of the original is that of kube-apiserver and
 * etcd.
 *
 * What decides the figures: of a boot, the modules that are read before it listens; of a write, the size of the object, which is read, checked, owned
 * field by field, and printed once for all; of a list, whether bytes that are there can be joined.
 */
import { figuresOf, nodeProgram } from '../programs.mjs'
import { embedded, original } from './servers.mjs'

/** @typedef {import('../bench.mjs').Bench} Bench */
/** @typedef {import('../bench.mjs').Figures} Figures */
/** @typedef {import('../bench.mjs').Reach} Reach */
/** @typedef {import('./servers.mjs').Server} Server */

const PEER = 'kube-apiserver'
const tasks = new URL('tasks.mjs', import.meta.url)
/** @param {string} figure @returns {Reach} */
const beside = (figure) => ({ figure, peer: PEER })

/** @type {{ readonly [name: string]: { readonly n: number, readonly reaches: readonly Reach[] } }} */
const TASKS = {
  writes: { n: 2000, reaches: ['creates/s', 'create p99 ms', 'patches/s', 'patch p99 ms'].map(beside) },
  latency: { n: 300, reaches: ['write to event p50 ms', 'write to event p99 ms'].map(beside) },
  'fan-out': { n: 50, reaches: [beside('deliveries/s')] },
  list: { n: 10_000, reaches: ['list ms', 'list at "0" ms'].map(beside) },
}
const MEMORY = { 'memory-10k': 10_000, 'memory-100k': 100_000 }
export const names = ['boot', ...Object.keys(TASKS), ...Object.keys(MEMORY)]

/** @param {string} name @param {{ readonly quick: boolean }} options @returns {Promise<Bench>} */
export async function open(name, { quick }) {
  if (name === 'boot') return boot()
  const objects = MEMORY[/** @type {keyof typeof MEMORY} */ (name)]
  return objects === undefined ? onBoth(name, quick) : memory(name, quick ? objects / 10 : objects)
}

/** @param {Server} server */
async function ended(server) {
  await server.stop()
  return server.ms
}

/** @returns {Bench} */
function boot() {
  return {
    name: 'boot to ready',
    contenders: {
      ours: async () => ({
        ...(await figuresOf(nodeProgram(new URL('library.mjs', import.meta.url), []))),
        'ready ms': await ended(await embedded([])),
        'with TLS and RBAC ms': await ended(await embedded()),
      }),
      [PEER]: async () => {
        const ms = await ended(await original({ controllerManager: false }))
        return { 'library ms': ms, 'ready ms': ms, 'with TLS and RBAC ms': ms }
      },
    },
    reaches: [
      { figure: 'library ms', atMost: 150 },
      { figure: 'library ms', peer: PEER, atMost: 0.05 },
      { figure: 'ready ms' },
      beside('with TLS and RBAC ms'),
      { figure: 'import ms' },
      { figure: 'start ms' },
    ],
    close: async () => {},
  }
}

/** What users have who ask for nothing; the original speaks TLS only. @param {Figures} figures @returns {Figures} */
const overHttp = (figures) =>
  Object.fromEntries(Object.entries(figures).map(([name, value]) => [`${name}, plain HTTP`, value]))

/** @param {string} name @param {boolean} quick @returns {Promise<Bench>} */
async function onBoth(name, quick) {
  const { n, reaches } = TASKS[name] ?? { n: 0, reaches: [] }
  const count = quick ? n / 10 : n
  const servers = [await embedded(), await embedded([]), await original()]
  const [ours, plain, theirs] = servers.map(
    (server) => () => figuresOf(nodeProgram(tasks, [server.kubeconfig, name, String(count)])),
  )
  return {
    name: `cluster ${name}, ${count} objects of 1 KB`,
    contenders: {
      ours: async () => ({ ...(await ours?.()), ...overHttp((await plain?.()) ?? {}) }),
      [PEER]: async () => {
        const figures = (await theirs?.()) ?? {}
        return { ...figures, ...overHttp(figures) }
      },
    },
    reaches: reaches.flatMap((reach) => [reach, { ...reach, figure: `${reach.figure}, plain HTTP` }]),
    close: async () => {
      for (const server of servers) await server.stop()
    },
  }
}

/** Each round on fresh servers, since what was given back is not always returned to the system. @param {string} name @param {number} n @returns {Bench} */
function memory(name, n) {
  /** @param {() => Promise<Server>} start @returns {() => Promise<Figures>} */
  const filled = (start) => async () => {
    const server = await start()
    try {
      const idle = server.rssMB()
      await figuresOf(nodeProgram(tasks, [server.kubeconfig, 'fill', String(n)]))
      return { 'idle MB': idle, 'full MB': server.rssMB(), 'KB per object': ((server.rssMB() - idle) * 1024) / n }
    } finally {
      await server.stop()
    }
  }
  return {
    name: `cluster ${name}, ${n} objects of 1 KB`,
    contenders: { ours: filled(embedded), [PEER]: filled(original) },
    reaches: ['idle MB', 'full MB', 'KB per object'].map(beside),
    close: async () => {},
  }
}
