import type { FaultMatch, OperatorUnderTest, World } from '@binnacle/testing'
import { World as Worlds } from '@binnacle/testing'
import { type Operator, resource } from 'binnacle'
import { describe, expect, it } from 'vitest'

/** What published bugs are re-created about: a loose kind, with a status subresource. */
export const App = resource({ group: 'published.example.com', version: 'v1', kind: 'App' })

/** A child of an App that has a life of its own. */
export const Node = resource({ group: 'published.example.com', version: 'v1', kind: 'Node' })

/** A controller in a world: an imitation with the flaw, or an operator of Binnacle. */
export interface Subject extends AsyncDisposable {
  /** The name that its requests go by. */
  readonly program: string
  /** Kills it as soon as a request of its own that matches has been carried out, and starts it anew. */
  crashAfter(match: FaultMatch): Promise<void>
  restart(): Promise<void>
  /** It is not to act any more: another instance leads. */
  pause(): Promise<void>
  stop(): Promise<void>
}

/** Starts the controller; what its handlers do goes into `calls`. */
export type Start = (world: World, calls: string[]) => Promise<Subject>

/** What happens to the controller; throws with what went wrong. */
export type Story = (world: World, start: () => Promise<Subject>, calls: readonly string[]) => Promise<void>

export interface PublishedBug {
  /** `project#number`, with what goes wrong as a sentence. */
  readonly name: string
  readonly story: Story
  /** The flaw, imitated. */
  readonly flawed: Start
  /** What the story says of it. */
  readonly message: string
  readonly binnacle: Start
}

/** The same story twice: on the flaw, where it must fail with these words, and on Binnacle. */
export function published({ name, story, flawed, message, binnacle }: PublishedBug): void {
  const tell = async (start: Start) => {
    await using world = await Worlds.virtual({ resources: [App, Node] })
    const calls: string[] = []
    const subjects: Subject[] = []
    const started = async () => {
      const subject = await start(world, calls)
      subjects.push(subject)
      return subject
    }
    try {
      await story(world, started, calls)
    } finally {
      for (const subject of subjects) await subject.stop()
    }
  }
  describe(name, () => {
    it('fails on an imitation of the flaw, with a message that says so', async () => {
      await expect(tell(flawed)).rejects.toThrow(message)
    })
    it('passes on Binnacle', () => tell(binnacle))
  })
}

/** An operator of Binnacle as the subject of a story. */
export const binnacle =
  (make: (calls: string[], world: World) => Operator): Start =>
  async (world, calls) =>
    new OperatorSubject(world, await world.start(make(calls, world)))

class OperatorSubject implements Subject {
  readonly program = 'operator'
  readonly #world: World
  readonly #operator: OperatorUnderTest

  constructor(world: World, operator: OperatorUnderTest) {
    this.#world = world
    this.#operator = operator
  }

  crashAfter(match: FaultMatch): Promise<void> {
    return this.#world.crashAfter(this.#operator, match)
  }

  restart(): Promise<void> {
    return this.#operator.restart()
  }

  pause(): Promise<void> {
    return this.#operator.running.pause()
  }

  stop(): Promise<void> {
    return this.#operator.stop()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop()
  }
}

/** Throws with the words unless it holds. */
export function ensure(holds: boolean, words: string): void {
  if (!holds) throw new Error(words)
}

/** What a config map holds; undefined if there is none. */
export async function dataOf({ client }: World, name: string): Promise<Readonly<Record<string, string>> | undefined> {
  return (await client.find('configmaps', name))?.data
}
