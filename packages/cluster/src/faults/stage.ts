/** What faults need of the place where they strike: an embedded cluster, or a proxy before another one. */
import type { Clock } from '../clock.ts'
import type { ByteStream } from '../http/byte-stream.ts'
import type { Backend } from '../request/backend.ts'
import type { Timetable } from '../timetable.ts'
import { Chronicle } from './chronicle.ts'

export interface FaultStage {
  readonly clock: Clock
  readonly timetable: Timetable
  /** Open watches. */
  readonly streams: Set<ByteStream>
  /** The newest version so many seconds ago. */
  revisionAgo(seconds: number): number
}

/** An embedded cluster remembers which version was when. */
export function stageOn({ clock, timetable, streams, storage }: Backend): FaultStage {
  const chronicle = new Chronicle(() => clock.monotonic())
  chronicle.note(storage.revision.current)
  storage.onChange((_, { revision }) => chronicle.note(revision))
  return { clock, timetable, streams, revisionAgo: (seconds) => chronicle.ago(seconds) }
}
