/**
 * What is asked of a server, in a process of its own: prints one line of figures.
 *
 *     node tasks.mjs KUBECONFIG writes|latency|fan-out|list|fill N
 */
import { configMap, lineTo, many, quantile } from './line.mjs'

/** @typedef {import('./line.mjs').Line} Line */

const [, , kubeconfig = '', task = '', count = '0'] = process.argv
const n = Number(count)
const namespace = `bench-${process.pid}`
const path = `/api/v1/namespaces/${namespace}/configmaps`

/** Creation and merge patches by 16 at once, on servers that are warm. @param {Line} line */
async function writes(line) {
  /** @param {(i: number) => Promise<unknown>} write */
  const timed = async (write) => {
    /** @type {number[]} */
    const times = []
    const begun = performance.now()
    await many(n, 16, async (i) => {
      const sent = performance.now()
      await write(i)
      times.push(performance.now() - sent)
    })
    return { rate: (n * 1000) / (performance.now() - begun), p99: quantile(times, 0.99) }
  }
  // A server that has just started is slow in ways that nobody waits for.
  await many(300, 16, (i) => line.ask('POST', path, configMap(`w-${i}`)))
  const created = await timed((i) => line.ask('POST', path, configMap(`c-${i}`)))
  const patch = JSON.stringify({ data: { b: 'changed' } })
  const patched = await timed((i) => line.ask('PATCH', `${path}/c-${i}`, patch, 'application/merge-patch+json'))
  return {
    'creates/s': created.rate,
    'create p99 ms': created.p99,
    'patches/s': patched.rate,
    'patch p99 ms': patched.p99,
  }
}

/** Opens a watch; `seen` is called for each event. @param {Line} line @param {(events: number) => void} seen */
async function watch(line, seen) {
  const { body, statusCode } = await line.open('GET', `${path}?watch=true`)
  if (statusCode !== 200) throw new Error(`A watch was answered with ${statusCode}`)
  body.on('error', () => {})
  body.on('data', (/** @type {Buffer} */ chunk) => {
    let events = 0
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) events++
    if (events > 0) seen(events)
  })
}

/** From the request to the event, one at a time. @param {Line} line */
async function latency(line) {
  let wake = () => {}
  await watch(line, () => wake())
  /** @type {number[]} */
  const times = []
  for (let i = 0; i < n; i++) {
    const arrived = new Promise((resolve) => {
      wake = () => resolve(undefined)
    })
    const sent = performance.now()
    const written = line.ask('POST', path, configMap(`l-${i}`))
    await arrived
    times.push(performance.now() - sent)
    await written
  }
  return { 'write to event p50 ms': quantile(times, 0.5), 'write to event p99 ms': quantile(times, 0.99) }
}

/** Events to 1,000 watchers of one namespace. @param {Line} line */
async function fanOut(line) {
  const watchers = 1000
  let delivered = 0
  let done = () => {}
  const all = new Promise((resolve) => {
    done = () => resolve(undefined)
  })
  await many(watchers, 50, () =>
    watch(line, (events) => {
      delivered += events
      if (delivered >= watchers * n) done()
    }),
  )
  const begun = performance.now()
  await many(n, 4, (i) => line.ask('POST', path, configMap(`f-${i}`)))
  await all
  return { 'deliveries/s': (watchers * n * 1000) / (performance.now() - begun) }
}

/** @param {Line} line */
async function list(line) {
  await many(n, 16, (i) => line.ask('POST', path, configMap(`o-${i}`)))
  /** @param {string} query */
  const timed = async (query) => {
    const times = []
    for (let i = 0; i < 5; i++) {
      const begun = performance.now()
      const { body } = await line.open('GET', `${path}${query}`)
      let bytes = 0
      for await (const chunk of body) bytes += chunk.length
      if (bytes < n * 900) throw new Error(`A list of ${n} had ${bytes} bytes only`)
      times.push(performance.now() - begun)
    }
    return quantile(times, 0.5)
  }
  return { 'list ms': await timed(''), 'list at "0" ms': await timed('?resourceVersion=0') }
}

/** @param {Line} line */
async function fill(line) {
  await many(n, 16, (i) => line.ask('POST', path, configMap(`m-${i}`)))
  return { objects: n }
}

const TASKS = { writes, latency, 'fan-out': fanOut, list, fill }
const line = lineTo(kubeconfig, task === 'fan-out' ? 1008 : 17)
await line.ask('POST', '/api/v1/namespaces', JSON.stringify({ metadata: { name: namespace } }))
const figures = await TASKS[/** @type {keyof typeof TASKS} */ (task)](line)
console.log(JSON.stringify(figures))
await line.close()
