import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Case } from './case.ts'
import { cases } from './cases.ts'
import { type AccessServer, ask, openServer, type Reply, real } from './server.ts'

/**
 * Every answer about permissions compared with what a live kube-apiserver 1.36 answered to the same question, word by word.
 * With BINNACLE_WORLD=real the live one itself is compared with its own record; with BINNACLE_RECORD too, the record is written anew.
 */
const file = fileURLToPath(new URL('answers.jsonl', import.meta.url))
const recording = real && process.env['BINNACLE_RECORD'] !== undefined
const recorded: ReadonlyMap<string, Reply> = recording
  ? new Map()
  : new Map(readFileSync(file, 'utf8').trim().split('\n').map(entry))

function entry(line: string): [string, Reply] {
  const { name, code, body } = JSON.parse(line)
  return [name, { code, body }]
}

const replies = new Map<string, Reply>()
let server: AccessServer
beforeAll(async () => {
  server = await openServer()
  for (const question of cases) {
    replies.set(question.name, await answered(question))
    if (real && question.after) await new Promise((resolve) => setTimeout(resolve, (question.after ?? 0) * 1000))
  }
  if (recording)
    writeFileSync(file, [...replies].map(([name, reply]) => `${JSON.stringify({ name, ...reply })}\n`).join(''))
}, 120_000)
afterAll(() => server?.[Symbol.asyncDispose]())

async function answered({ as, method = 'GET', path, body, contentType, headers = [], keep }: Case): Promise<Reply> {
  const sent = body === undefined ? undefined : withTokens(JSON.stringify(body))
  const reply = await ask(server, {
    method,
    path,
    headers: [
      ...['Host', new URL(server.url).host, 'User-Agent', 'conformance', 'Accept', 'application/json'],
      ...authorization(as),
      ...headers,
      ...(sent === undefined ? [] : ['Content-Type', contentType ?? 'application/json']),
      ...(sent === undefined ? [] : ['Content-Length', String(Buffer.byteLength(sent))]),
    ],
    ...(sent === undefined ? {} : { body: sent }),
  })
  if (keep) server.tokens.set(keep, (reply.body as { status: { token: string } }).status.token)
  return normal(reply) as Reply
}

function authorization(as: Case['as']): readonly string[] {
  if (as === 'nobody') return []
  if (as.startsWith('header ')) return ['Authorization', as.slice('header '.length)]
  return ['Authorization', `Bearer ${server.tokens.get(as.replace(/^token /, ''))}`]
}

const withTokens = (text: string) => text.replace(/\$(\w+)/g, (_, name) => server.tokens.get(name) ?? '')

const accidental = new Set(['uid', 'resourceVersion', 'creationTimestamp', 'time', 'token', 'expirationTimestamp'])

/** Without what differs between two runs of the same server. */
function normal(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(normal)
  if (typeof value === 'string')
    return value.replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'UUID')
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, accidental.has(key) ? '*' : normal(item)]))
}

/** The original tells rules in the order of a hash table. */
function inOrder({ code, body }: Reply): Reply {
  const { kind, status } = body as { kind?: string; status?: Record<string, unknown> }
  if (kind !== 'SelfSubjectRulesReview' || !status) return { code, body }
  const sorted = (list: unknown) => (Array.isArray(list) ? list.map((item) => JSON.stringify(item)).sort() : list)
  const { resourceRules, nonResourceRules, ...rest } = status
  return { code, body: { ...rest, resourceRules: sorted(resourceRules), nonResourceRules: sorted(nonResourceRules) } }
}

/** Only the code is compared, because of a difference that docs/cluster-support.md names. */
const differing = new Set(['a token bound to a secret'])

describe('permissions are answered as the original answers them', () => {
  it.each(cases.map(({ name }) => name))('%s', (name) => {
    const reply = replies.get(name) as Reply
    const expected = recorded.get(name) ?? reply
    if (!real && differing.has(name)) expect(reply.code).toBe(expected.code)
    else expect(inOrder(reply)).toEqual(inOrder(expected))
  })

  it('and no two questions have one name', () => {
    expect(new Set(cases.map(({ name }) => name)).size).toBe(cases.length)
  })
})
