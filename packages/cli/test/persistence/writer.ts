/**
 * A process that writes until it is killed: step after step, each acknowledged on standard output after the cluster has acknowledged it.
 *   node writer.js FILE FIRST-STEP
 */
import { writeSync } from 'node:fs'
import { Cluster } from '@binnacle/cluster'
import { stepOf } from './steps.ts'

const [file = '', first = '0', durability = 'process'] = process.argv.slice(2)
const data = { file, durability: durability as 'process' | 'machine' }
const cluster = await Cluster.start({ listen: false, data })
const transport = cluster.transport()
const signal = new AbortController().signal

writeSync(1, 'ready\n')
for (let n = Number(first); ; n++) {
  const { method, path, body } = stepOf(n)
  const headers = { 'content-type': 'application/json' }
  const answer = await transport.request({ method, path, headers, body: Buffer.from(JSON.stringify(body)), signal })
  if (answer.status >= 300) throw new Error(`Step ${n} was refused: ${Buffer.from(answer.body)}`)
  writeSync(1, `${n}\n`)
}
