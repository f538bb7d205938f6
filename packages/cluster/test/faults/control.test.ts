import { expect, it } from 'vitest'
import { Cluster } from '../../src/index.ts'
import { type Any, configMaps } from '../api.ts'

async function asked(url: string, method = 'GET', body?: unknown, headers: Record<string, string> = {}) {
  const answer = await fetch(url, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return { status: answer.status, body: (await answer.json()) as Any }
}

it('lays, shows and lifts faults by requests, for programs of any language', async () => {
  await using cluster = await Cluster.start({ faultControl: true })
  const faults = `${cluster.url}/binnacle/faults`
  const plan = { match: { verb: 'list' }, trigger: { when: 'first', n: 2 }, effect: { kind: 'respond', code: 429 } }
  expect(await asked(faults, 'POST', plan)).toEqual({ status: 200, body: { id: 1 } })
  expect((await asked(cluster.url + configMaps)).status).toBe(429)
  expect((await asked(faults)).body).toMatchObject({ faults: [{ id: 1, fired: 1, ...plan }] })
  expect((await asked(`${cluster.url}/binnacle/firings`)).body).toMatchObject({ firings: [{ fault: 1, verb: 'list' }] })
  await asked(`${faults}/1`, 'DELETE')
  expect((await asked(cluster.url + configMaps)).status).toBe(200)
  await asked(faults, 'POST', { preset: 'throttled' })
  await asked(faults, 'DELETE')
  expect((await asked(faults)).body).toEqual({ faults: [] })
  expect((await asked(`${cluster.url}/binnacle/actor/compact`, 'POST')).status).toBe(200)
})

it('strikes the request that asks for it', async () => {
  await using cluster = await Cluster.start({ faultControl: true })
  const header = { 'x-binnacle-fault': JSON.stringify({ kind: 'respond', code: 503 }) }
  expect((await asked(cluster.url + configMaps, 'GET', undefined, header)).status).toBe(503)
  expect((await asked(cluster.url + configMaps)).status).toBe(200)
})

it('breaks the socket of a program outside, after the write', async () => {
  await using cluster = await Cluster.start({ faultControl: true })
  await asked(`${cluster.url}/binnacle/faults`, 'POST', {
    match: { verb: 'create' },
    effect: { kind: 'lose response' },
  })
  await expect(asked(cluster.url + configMaps, 'POST', { metadata: { name: 'a' } })).rejects.toThrow('fetch failed')
  expect((await asked(`${cluster.url + configMaps}/a`)).status).toBe(200)
})

it.each([
  [{ effect: { kind: 'explode' } }, '"effect.kind" must be one of: respond, delay'],
  [{ effect: { kind: 'respond' } }, '"effect.code" must be a number from 0 on, not undefined'],
  [{ match: { verbs: 'list' }, effect: { kind: 'garble' } }, 'Unknown field "verbs" in match. Known: verb,'],
  [{ trigger: { when: 'never' }, effect: { kind: 'garble' } }, '"trigger.when" must be one of: always, nth'],
  [{ match: { labels: { a: 1 } }, effect: { kind: 'garble' } }, '"match.labels" must be an object of texts'],
])('refuses what makes no sense, and says what does: %j', async (plan, message) => {
  await using cluster = await Cluster.start({ faultControl: true })
  const refused = await asked(`${cluster.url}/binnacle/faults`, 'POST', plan)
  expect(refused.status).toBe(400)
  expect(refused.body.message).toContain(message)
  expect((await asked(`${cluster.url}/binnacle/faults`)).body).toEqual({ faults: [] })
})

it('is not there unless it is asked for', async () => {
  await using cluster = await Cluster.start()
  expect((await fetch(`${cluster.url}/binnacle/faults`)).status).toBe(404)
})
