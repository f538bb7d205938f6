/**
 * A cluster in a process of its own, whose memory is watched. Reads one command per line: `make N` creates N ConfigMaps, `list` lists them
 * as a whole and in pages, `end` stops. Each is answered by a line of JSON with the largest memory so far.
 */
import { createInterface } from 'node:readline'
import { Cluster } from '@binnacle/cluster'

const LIST = '/api/v1/namespaces/default/configmaps'
const PAGE = 10_000
const AT_ONCE = 200

const cluster = await Cluster.start()
const transport = cluster.transport()
const { signal } = new AbortController()

/** The system's own figure: a look now and then would miss what comes and goes between two looks. @param {object} more */
function say(more) {
  console.log(JSON.stringify({ ...more, peakMegabytes: Math.round((process.resourceUsage().maxRSS * 1024) / 1e6) }))
}

/** @param {number} count */
async function make(count) {
  const headers = { 'content-type': 'application/json' }
  for (let i = 0; i < count; i += AT_ONCE) {
    const names = Array.from({ length: AT_ONCE }, (_, k) => `m${i + k}`)
    await Promise.all(
      names.map((name) => {
        const body = Buffer.from(JSON.stringify({ metadata: { name }, data: { k: 'v' } }))
        return transport.request({ method: 'POST', path: LIST, headers, signal, body })
      }),
    )
  }
  return { made: count }
}

/** @param {string} query @returns {Promise<Uint8Array>} */
async function read(query) {
  return (await transport.request({ method: 'GET', path: `${LIST}${query}`, headers: {}, signal })).body
}

async function list() {
  const whole = (await read('')).length
  let [items, token] = [0, '']
  do {
    const { metadata, items: page } = JSON.parse(Buffer.from(await read(`?limit=${PAGE}&continue=${token}`)).toString())
    items += page.length
    token = metadata.continue ?? ''
  } while (token !== '')
  return { items, wholeMegabytes: Math.round(whole / 1e6) }
}

say({ url: cluster.url })
for await (const line of createInterface({ input: process.stdin })) {
  const [command, count] = line.split(' ')
  if (command === 'end') break
  say(command === 'make' ? await make(Number(count)) : command === 'list' ? await list() : {})
}
await transport[Symbol.asyncDispose]()
await cluster.stop()
