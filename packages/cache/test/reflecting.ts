import { expect } from 'vitest'
import { Indexer, type ListerWatcher, metaNamespaceKeyFunc, Reflector, type ReflectorOptions } from '../src/index.ts'
import type { FakeServer, Thing } from './fake-server.ts'
import { virtualSurroundings } from './surroundings.ts'

/** A reflector that runs on virtual time and fills an indexer; at its `end` nothing may be left of it. */
export function reflecting<S extends ListerWatcher<Thing>>(server: S, options: ReflectorOptions = {}) {
  const surroundings = virtualSurroundings()
  const errors: unknown[] = []
  const versions: string[] = []
  const store = new Indexer<Thing>(metaNamespaceKeyFunc)
  const told = Object.assign(store, { updateResourceVersion: (version: string) => void versions.push(version) })
  const reflector = new Reflector(server, told, {
    ...surroundings,
    onWatchError: (error) => errors.push(error),
    ...options,
  })
  const stop = new AbortController()
  const run = reflector.run(stop.signal)
  const end = async () => {
    stop.abort()
    await run
    const { openWatches = 0 } = server as unknown as Partial<FakeServer>
    expect([openWatches, surroundings.clock.sleeping]).toEqual([0, 0])
  }
  return { ...surroundings, server, store, reflector, errors, versions, stop, run, end }
}

export const sizes = (store: Iterable<Thing>) =>
  Object.fromEntries(Array.from(store, ({ metadata, spec }) => [metadata.name, spec.size]))
