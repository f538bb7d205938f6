import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

// Many minutes, so it is told by hand, and on the embedded cluster alone: the heap of an operator does not depend on whose server it talks to.
//
//     BINNACLE_LIVES=10000 BINNACLE_WORLD=embedded npx vitest run conformance/end-to-end/many-lives

const OBJECTS = Number(process.env['BINNACLE_LIVES'])
const ROUNDS = 5
/** At the peak of each round: everything is listed anew, which once kept a whole list in memory for as long as its watch lived. */
const RELISTS = 1
/** Bytes that may be left of each life: less than a uid takes, so that nothing that knows of an object can be among it. */
const NOTHING = 40

/** What the program prints after each round. */
interface Round {
  readonly peak: { readonly objects: number; readonly background: { readonly running: number } }
  readonly counts: { readonly timers: number }
  readonly heap: number
}

async function told(...args: readonly number[]) {
  const script = fileURLToPath(new URL('./many-lives.mjs', import.meta.url))
  const child = spawn(process.execPath, ['--expose-gc', script, ...args.map(String)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines: Record<string, unknown>[] = []
  createInterface({ input: child.stdout }).on('line', (line) => void lines.push(JSON.parse(line)))
  const [code] = await once(child, 'close')
  expect(code).toBe(0)
  const [first, ...others] = lines
  return {
    baseline: first?.['baseline'] as Round,
    rounds: others.filter((line) => 'round' in line) as unknown as Round[],
    last: others.at(-1),
  }
}

it('objects that are created and deleted five times over leave neither tasks nor timers nor listeners nor heap behind', async () => {
  const { baseline, rounds, last } = await told(OBJECTS, ROUNDS, RELISTS)
  expect(rounds).toHaveLength(ROUNDS)
  for (const { peak, counts } of rounds) {
    expect(peak).toMatchObject({ objects: OBJECTS, background: { running: 2 * OBJECTS } })
    // One more than at the beginning has been seen after a list, and it is not known whose it is; one for each object, or each round, would be more.
    expect(counts).toEqual({ ...baseline.counts, timers: expect.any(Number) })
    expect(counts.timers).toBeLessThanOrEqual(baseline.counts.timers + 2)
  }
  // From the first round to the last: neither what is kept of each object, nor a single step after a list, may hide in it.
  const heaps = rounds.map(({ heap }) => heap)
  const lives = OBJECTS * (ROUNDS - 1)
  expect(((heaps.at(-1) ?? 0) - (heaps[0] ?? 0)) / lives, `heaps: ${heaps}`).toBeLessThan(NOTHING)
  expect(last).toMatchObject({ calls: { create: expect.any(Number), daemon: expect.any(Number) } })
}, 1_800_000)
