// Runs the program on an embedded cluster.
import { Cluster } from '@binnacle/cluster'
import { connect, toCRD } from 'binnacle'
import { KopfExample } from '../01-hello/resource.ts'
import { sample } from '../sample.ts'
import { program } from './program.ts'

await using cluster = await Cluster.start({ crds: [toCRD(KopfExample)] })
await using client = await connect({ kubeconfig: cluster.connection })
const stop = new AbortController()
process.once('SIGINT', () => stop.abort())

await program(
  async ({ names }) => {
    process.stdout.write('The operator is ready, and the program goes on\n')
    await client.create(KopfExample, { ...sample, metadata: { ...sample.metadata, namespace: 'default' } })
    while (names.size === 0) await new Promise((resolve) => setTimeout(resolve, 10))
    process.stdout.write(`The program knows of ${[...names].join(', ')}, and ends\n`)
  },
  { client, signal: stop.signal },
)
