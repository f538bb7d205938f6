import { expect } from 'vitest'
import {
  type DeletedObject,
  type ResourceEventHandler,
  SharedIndexInformer,
  type SharedInformerOptions,
} from '../src/index.ts'
import { FakeServer, type Thing } from './fake-server.ts'
import { settle, virtualSurroundings } from './surroundings.ts'

const bySize = { size: (thing: Thing) => [String(thing.spec.size)] }

/** An informer on virtual time; at its `end` nothing may be left of it. */
export function informed(server: FakeServer, options: SharedInformerOptions<Thing> = {}) {
  const surroundings = virtualSurroundings()
  const informer = new SharedIndexInformer<Thing, typeof bySize>(server, {
    ...surroundings,
    indexers: bySize,
    ...options,
  })
  const stop = new AbortController()
  const end = async () => {
    stop.abort()
    await run.ended
    expect([server.openWatches, surroundings.clock.sleeping]).toEqual([0, 0])
  }
  const run: { ended?: Promise<void> } = {}
  const start = async () => {
    run.ended = informer.run(stop.signal)
    await settle()
  }
  return { ...surroundings, informer, server, start, end, stop }
}

/** A handler that writes down what it is told. */
export function ledger() {
  const lines: string[] = []
  const handler: ResourceEventHandler<Thing> = {
    onAdd: ({ metadata, spec }, initial) =>
      void lines.push(`+${metadata.name}=${spec.size}${initial ? ' (initial)' : ''}`),
    onUpdate: (old, { metadata, spec }) => void lines.push(`${metadata.name}: ${old.spec.size}→${spec.size}`),
    onDelete: ({ key, object, finalStateUnknown }: DeletedObject<Thing>) =>
      void lines.push(`-${key}=${object?.spec.size}${finalStateUnknown ? '?' : ''}`),
  }
  return { lines, handler }
}

/** A server with one object. */
export const filled = () => {
  const server = new FakeServer()
  server.put('a', 1)
  return server
}
