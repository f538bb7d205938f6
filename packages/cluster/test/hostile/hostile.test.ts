import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Cluster, type Transport } from '../../src/index.ts'
import { settled, VirtualClock } from '../virtual-clock.ts'
import { type HostileRequest, hostileRequest } from './requests.ts'

/** How many requests of each kind: some thousands here, as many as one likes with BINNACLE_FUZZ. */
const RUNS = Number(process.env['BINNACLE_FUZZ'] ?? 3000)

const schema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        color: { type: 'string', enum: ['red', 'blue'] },
        replicas: { type: 'integer' },
        items: {
          ...{ type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] },
          items: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
        },
      },
      'x-kubernetes-validations': [{ rule: '!has(self.replicas) || self.replicas < 10' }],
    },
    status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  },
}
const scale = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' }
const widgets = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    ...{ group: 'example.com', scope: 'Namespaced', names: { plural: 'widgets', kind: 'Widget' } },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: schema },
        subresources: { status: {}, scale },
      },
    ],
  },
}

const clock = new VirtualClock()
let cluster: Cluster
let transport: Transport
beforeAll(async () => {
  cluster = await Cluster.start({ listen: false, clock, crds: [widgets] })
  transport = cluster.transport()
})
afterAll(async () => {
  await transport[Symbol.asyncDispose]()
  await cluster.stop()
})

interface Told {
  readonly status: number
  readonly text: string
}

/** Sends a request, and reads its answer; a watch is read as far as it has come. */
async function told(request: HostileRequest): Promise<Told> {
  const end = new AbortController()
  const asked = transport.stream({ ...request, signal: end.signal })
  let waits = true
  const answered = asked.finally(() => {
    waits = false
  })
  answered.catch(() => {})
  // Whoever waits for a version that is not there yet, or for a definition to be ready, is given the time.
  for (let i = 0; i < 3 && waits; i++) await settled()
  while (waits) await clock.advance(5)
  const { status, body } = await answered
  const chunks: Uint8Array[] = []
  const reading = (async () => {
    for await (const chunk of body) chunks.push(chunk)
  })().catch(() => {})
  await Promise.race([reading, settled().then(settled)])
  end.abort()
  await reading
  return { status, text: Buffer.concat(chunks).toString() }
}

/** The words of a program that stumbled, as against those of one that refuses. */
const STUMBLED =
  /Cannot (read|set|convert|destructure|mix)|undefined|is not (a function|iterable|a constructor|defined|extensible)|of null|call stack|Invalid (array length|string length)|circular|TypeError|RangeError|\[object/i

function check(request: HostileRequest, { status, text }: Told): void {
  const what = `${request.method} ${request.path} ${Buffer.from(request.body ?? [])
    .toString()
    .slice(0, 300)}`
  expect(status, what).toBeGreaterThanOrEqual(200)
  expect(status, what).toBeLessThan(600)
  if (status < 500) return
  const message = /"message":"((?:[^"\\]|\\.)*)"/.exec(text)?.[1] ?? text
  expect(message, `${what} was answered with ${status} and no reason: ${text}`).not.toBe('')
  expect(message, `${what} made the server stumble`).not.toMatch(STUMBLED)
}

describe('whatever somebody sends', () => {
  it('is answered, with a reason where it fails, and leaves every prototype alone (property)', async () => {
    await fc.assert(
      fc.asyncProperty(hostileRequest, async (request) => {
        check(request, await told(request))
        expect(Reflect.get({}, 'polluted')).toBeUndefined()
        expect(Object.keys(Object.prototype)).toEqual([])
      }),
      { numRuns: RUNS },
    )
    // It is as well as before.
    const after = await told({ method: 'GET', path: '/api/v1/namespaces/default', headers: {} })
    expect(after.status).toBe(200)
  }, 300_000)
})
