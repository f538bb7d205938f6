import { expect, it } from 'vitest'
import { indexing } from './indexer.ts'

it('finds pods by namespace, node and phase', () => {
  const lines: unknown[][] = []
  indexing((...line) => lines.push(line))
  expect(lines).toEqual([
    ['stored', ['default/pod-1', 'default/pod-2', 'kube-system/pod-3'], true, 3],
    ['with pod-1', ['pod-1', 'pod-2']],
    ['on node2', ['pod-2', 'pod-3']],
    ['keys', ['kube-system/pod-3']],
    ['values', ['node1', 'node2']],
    ['indices', ['namespace', 'nodeName']],
    ['unknown', ['pod-1', 'pod-2', 'pod-3']],
    ['node1', ['default/pod-1']],
    ['raw', ['pod-1']],
  ])
})
