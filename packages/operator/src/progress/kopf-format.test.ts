import { describe, expect, it } from 'vitest'
import { kex } from '../../test/sample.ts'
import { patchDraft } from '../outcome/patch.ts'
import { keysOf, kopfPersistence } from './kopf-format.ts'
import type { DiffBaseStorage, StoragePatch } from './storage.ts'

const PREFIX = 'kopf.zalando.org'
const LONG = 'create_fn/a-rather-long-path.of.keys/that-goes-on-and-on-and-on-for-ever'

// Expected values come from Python's hashlib by the rules of Kopf.
describe('keys are formed as Kopf forms them', () => {
  it.each([
    ['create_fn', [`${PREFIX}/create_fn`]],
    ['create_fn/spec.field', [`${PREFIX}/create_fn.spec.field`]],
    ['<lambda>', [`${PREFIX}/_lambda_`]],
    [
      LONG,
      [
        `${PREFIX}/create_fn.a-rather-long-path.of.keys.that-goes-on-and-on-uGSsZg`,
        `${PREFIX}/create_fn.a-rather-long-path.of.keys.th-fH9HSw`,
      ],
    ],
    [
      'create_fn/spec.a-field-of-middling-length-indeed',
      [
        `${PREFIX}/create_fn.spec.a-field-of-middling-length-indeed`,
        `${PREFIX}/create_fn.spec.a-field-of-middling-leng-yZybbQ`,
      ],
    ],
  ])('%s', (id, keys) => {
    expect(keysOf(PREFIX, id, kex())).toEqual(keys)
  })

  it('and a ReplicaSet of a Deployment has its own, since it inherits annotations', () => {
    const owner = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'x', uid: 'x' }
    const body = { ...kex({ ownerReferences: [owner] }), kind: 'ReplicaSet' }
    expect(keysOf(PREFIX, 'fn', body)).toEqual([`${PREFIX}/fn-ofDRS`])
  })
})

describe('what Kopf has stored is understood', () => {
  const { progressStorage, diffbaseStorage } = kopfPersistence()
  const owner = { name: 'x', prefix: 'x.binnacle.dev', sizeLimits: { compress: 1000, digest: 1000 } }
  const diffBase = diffbaseStorage.bind?.(owner) as DiffBaseStorage

  it('a record of progress, under the key of today and of former times', () => {
    const text =
      '{"started":"2020-02-02T00:00:00.123456+00:00","delayed":"2020-02-02T00:01:00.000000+00:00","purpose":"create","retries":1,"success":false,"failure":false,"message":null}'
    for (const key of keysOf(PREFIX, LONG, kex())) {
      const body = kex({ annotations: { [key]: text } })
      expect(progressStorage.fetch(LONG, body)).toMatchObject({ purpose: 'create', retries: 1, essence: '' })
      const patch = patchDraft().patch as StoragePatch
      progressStorage.purge(LONG, body, patch)
      expect(patch.metadata.annotations).toEqual({ [key]: null })
    }
  })

  it('the last-handled state, and ours is written as Kopf writes it', () => {
    const key = `${PREFIX}/last-handled-configuration`
    const body = kex({ annotations: { [key]: '{"spec":{"a":1}}\n' } }, { spec: { a: 1 } })
    expect(diffBase.fetch(body)).toEqual({ spec: { a: 1 } })
    const patch = patchDraft().patch as StoragePatch
    diffBase.store(body, patch, { spec: { a: 2 } })
    expect(patch.metadata.annotations).toEqual({ [key]: '{"spec":{"a":2}}\n' })
  })
})
