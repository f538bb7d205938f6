import { describe, expect, it } from 'vitest'
import { OneByOne } from './one-by-one.ts'

/** What happens to the source is noted. */
function source(...batches: (readonly number[] | Error)[]) {
  const log: string[] = []
  async function* run(): AsyncGenerator<Iterable<number>> {
    log.push('begun')
    try {
      for (const batch of batches) {
        if (batch instanceof Error) throw batch
        yield batch
      }
    } finally {
      log.push('ended')
    }
  }
  return { log, batches: run() }
}

describe('batches, one by one', () => {
  it('are the members in order, and begin with the first question', async () => {
    const { log, batches } = source([1, 2], [], [3])
    const members = new OneByOne(batches, 100)
    expect(log).toEqual([])
    const seen: number[] = []
    for await (const member of members) seen.push(member)
    expect([seen, log]).toEqual([
      [1, 2, 3],
      ['begun', 'ended'],
    ])
    expect(await members.next()).toEqual({ done: true, value: undefined })
  })

  it('are answered in the order of the questions, even if nobody waits for the answers', async () => {
    const members = new OneByOne(source([1, 2], [3, 4]).batches, 2)
    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => members.next()))
    expect(answers.map(({ value }) => value)).toEqual([1, 2, 3, 4, undefined])
  })

  it('end their source when they are left, also in the middle of a batch', async () => {
    const { log, batches } = source([1, 2, 3])
    for await (const member of new OneByOne(batches, 100)) if (member === 2) break
    expect(log).toEqual(['begun', 'ended'])
    const untouched = source([1])
    await new OneByOne(untouched.batches, 100).return()
    expect(untouched.log).toEqual([])
  })

  it('tell of what stands before an error, then of the error, and then nothing more', async () => {
    const damaged = function* () {
      yield 1
      throw new Error('the second is damaged')
    }
    const log: string[] = []
    const batches = async function* (): AsyncGenerator<Iterable<number>> {
      try {
        yield damaged()
        yield [2]
      } finally {
        log.push('ended')
      }
    }
    for (const perTurn of [1, 100]) {
      const members = new OneByOne(batches(), perTurn)
      expect(await members.next()).toEqual({ done: false, value: 1 })
      await expect(members.next()).rejects.toThrow('the second is damaged')
      expect(await members.next()).toEqual({ done: true, value: undefined })
    }
    expect(log).toEqual(['ended', 'ended'])
  })

  it('end with the error of their source', async () => {
    const members = new OneByOne(source([1], new Error('cut')).batches, 100)
    await members.next()
    await expect(members.next()).rejects.toThrow('cut')
    expect(await members.next()).toEqual({ done: true, value: undefined })
  })

  it('let others have their turn, however large a batch is', async () => {
    let turns = 0
    const others = setInterval(() => turns++, 0)
    const members = new OneByOne(source(Array.from({ length: 20_000 }, (_, i) => i)).batches, 100)
    for await (const member of members) if (member < 0) break
    clearInterval(others)
    expect(turns).toBeGreaterThan(0)
  })
})
