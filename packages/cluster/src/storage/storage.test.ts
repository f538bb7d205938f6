import { expect, it } from 'vitest'
import type { KubeObject } from '../object.ts'
import { Storage } from './storage.ts'

const object = (name: string): KubeObject => ({ kind: 'Thing', apiVersion: 'v1', metadata: { name } })

it('tells every listener in the order of versions, also of what a listener itself commits', () => {
  const storage = new Storage(10)
  const table = storage.table('things')
  const heard: string[] = []
  storage.onChange((_, { record }) => {
    if (record.name === 'a') storage.put(table, 'b', object('b'))
  })
  storage.onChange((_, { type, record }) => heard.push(`${type} ${record.name}@${record.revision}`))
  storage.put(table, 'a', object('a'))
  storage.remove(table, 'b')
  expect(heard).toEqual(['ADDED a@101', 'ADDED b@102', 'DELETED b@103'])
})

it('does not spend a version on removing what is not there', () => {
  const storage = new Storage(10)
  expect(storage.remove(storage.table('things'), 'none')).toBeUndefined()
  expect(storage.revision.current).toBe(100)
})
