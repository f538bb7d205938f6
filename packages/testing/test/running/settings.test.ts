import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { respond } from '@binnacle/cluster'
import { operator, resource, type SettingsInput } from 'binnacle'
import { describe, expect, it } from 'vitest'
import { type Harness, harness } from '../../src/index.ts'
import { Kex } from '../kex.ts'

const Other = resource({ group: 'kopf.dev', version: 'v1', kind: 'Other' })

/** What was asked about the kind, lists and watches alike. */
const questions = ({ cluster }: Harness, parameter: string) =>
  cluster.requests
    .filter(({ verb, path, user }) => (verb === 'list' || verb === 'watch') && path.includes('/kopfexamples') && user)
    .map(({ path }) => new URL(path, 'http://cluster').searchParams.get(parameter))

/** An operator that has begun to watch, with these settings. */
async function watching(settings: SettingsInput): Promise<Harness> {
  const op = operator('tuned', { settings })
  op.on.create(Kex, { id: 'made' }, () => {})
  return harness(op, { resources: [Kex] })
}

describe('settings of watching', () => {
  it('watchList: false asks for pages, of pageSize objects each', async () => {
    await using t = await watching({ watching: { watchList: false, pageSize: 7 } })
    expect(questions(t, 'limit')).toContain('7')
    expect(questions(t, 'sendInitialEvents')).not.toContain('true')
  })

  it('watchList: true, as it is without a word, asks for a streamed list', async () => {
    await using t = await watching({})
    expect(questions(t, 'sendInitialEvents')).toContain('true')
    expect(questions(t, 'limit').every((limit) => limit === null)).toBe(true)
  })

  it('serverTimeout is what a watch lasts at least, and twice that at most', async () => {
    await using t = await watching({ watching: { serverTimeout: '20m' } })
    const [seconds] = questions(t, 'timeoutSeconds').filter((asked) => asked !== null)
    expect(Number(seconds)).toBeGreaterThanOrEqual(1200)
    expect(Number(seconds)).toBeLessThanOrEqual(2400)
  })

  it.each([1, 20])(
    'reconnectBackoff: a watch that has failed is tried again after %s s, or a little later',
    async (first) => {
      await using t = await watching({ watching: { reconnectBackoff: first } })
      t.cluster.faults.always({ verb: ['list', 'watch'], resource: Kex }, respond(500))
      t.cluster.actor.cutWatches()
      await t.advance(first * 4)
      const tries = t.cluster.faults.firings
      const waits = tries.slice(1).map(({ at }, i) => (at.getTime() - (tries[i]?.at.getTime() ?? 0)) / 1000)
      expect(Math.max(...waits)).toBeGreaterThanOrEqual(first)
      expect(Math.min(...waits.filter((wait) => wait > 0))).toBeLessThanOrEqual(first * 2)
    },
  )
})

describe('settings of queueing', () => {
  it('workerLimitPerKind keeps one kind from taking all the places', async () => {
    const running = new Map<string, number>()
    const most = new Map<string, number>()
    const op = operator('tuned', { settings: { queueing: { workerLimitPerKind: { 'kopfexamples.kopf.dev': 2 } } } })
    for (const kind of [Kex, Other] as const) {
      op.on.create(kind, { id: 'busy' }, async ({ resource: { plural } }) => {
        running.set(plural, (running.get(plural) ?? 0) + 1)
        most.set(plural, Math.max(most.get(plural) ?? 0, running.get(plural) ?? 0))
        await t.clock.sleep(1)
        running.set(plural, (running.get(plural) ?? 0) - 1)
      })
    }
    await using t: Harness = await harness(op, { resources: [Kex, Other] })
    for (const kind of [Kex, Other] as const) {
      for (let n = 0; n < 6; n++) await t.cluster.create(kind, { metadata: { name: `o${n}` }, spec: {} })
    }
    await t.advance('10s')
    expect([...running.values()]).toEqual([0, 0])
    expect([...most]).toEqual([
      ['kopfexamples', 2],
      ['others', 6],
    ])
  })
})

/** A server that never has anything but this answer, and what it was asked for. */
async function answering(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const asked: (string | undefined)[] = []
  const server = createServer((request, response) => {
    asked.push(request.url)
    answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    asked,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** What an operator says that cannot start there. */
async function refusal(server: string, networking: SettingsInput['networking']): Promise<string> {
  const op = operator('tuned', { settings: { networking: networking ?? {} } })
  op.on.create(Kex, { id: 'made' }, () => {})
  const starting = op.start({ kubeconfig: { server }, logger: { level: 'silent' } })
  return starting.then(
    () => 'started',
    (error: Error) => error.message,
  )
}

describe('settings of networking', () => {
  it('requestTimeout ends a request that nobody answers', async () => {
    await using server = await answering(() => {})
    expect(await refusal(server.url, { requestTimeout: '200ms', errorBackoffs: [] })).toMatch(
      /0\.2 s|200 ms|timed out|deadline/i,
    )
  })

  it('errorBackoffs is how often a request is repeated', async () => {
    await using server = await answering((_, response) => void response.writeHead(503).end())
    const times = () => server.asked.filter((path) => path === server.asked[0]).length
    await refusal(server.url, { errorBackoffs: [] })
    expect(times()).toBe(1)
    await refusal(server.url, { errorBackoffs: ['1ms', '1ms'] })
    expect(times()).toBe(1 + 3)
  })
})
