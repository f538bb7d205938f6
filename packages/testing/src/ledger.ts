import type { Ref } from '@binnacle/client'
import { type Logger, type LogLevel, parseObjectName } from '@binnacle/core'
import type { Observer, Run, Said, Write } from 'binnacle'
import { type Finalizers, finalizersIn } from './finalizer-ledger.ts'

/** Every handler call so far, in order; one entry for each, with its latest outcome. */
export interface Runs extends ReadonlyArray<Run> {
  /** Those of one handler, and of one object if it is named; a name alone is meant in every namespace. */
  of(handler: string, ref?: Ref): readonly Run[]
}

export interface LogEntry {
  readonly level: Exclude<LogLevel, 'silent'>
  readonly message: string
  readonly fields: object
}

/** What an operator under test has done, written down as it happened. */
export class Ledger implements Observer {
  readonly #runs: Run[] = []
  readonly writes: Write[] = []
  readonly logs: LogEntry[] = []
  /** What was said about objects, to be posted as Kubernetes events. */
  readonly events: Said[] = []
  readonly #timeline: string[] = []
  readonly #witnesses = new Set<Observer>()

  get runs(): Runs {
    const { of } = this
    return Object.assign([...this.#runs], { of: of.bind(this) })
  }

  of(handler: string, ref?: Ref): readonly Run[] {
    return this.#runs.filter((run) => run.handler === handler && (ref === undefined || isAbout(run.object, ref)))
  }

  /** What was done with the finalizer, object by object. */
  get finalizers(): Finalizers {
    return finalizersIn(this.writes)
  }

  /** The whole story, one line for each thing that happened. */
  get timeline(): string {
    return this.#timeline.join('\n') || 'nothing happened'
  }

  /** Tells somebody else too, after it is written down. */
  tell(witness: Observer): void {
    this.#witnesses.add(witness)
  }

  run(run: Run): void {
    if (run.outcome === 'running') {
      this.#runs.push(run)
    } else {
      this.#runs[this.#runs.findLastIndex((begun) => begun.outcome === 'running' && isSameCall(begun, run))] = run
    }
    const attempt = run.attempt > 0 ? `, attempt ${run.attempt + 1}` : ''
    const error = run.error === undefined ? '' : `: ${String(run.error)}`
    this.note(run.at, `${run.object}: ${run.cause} handler "${run.handler}"${attempt} ${run.outcome}${error}`)
    for (const witness of this.#witnesses) witness.run?.(run)
  }

  write(write: Write): void {
    this.writes.push(write)
    const paths = write.operations.map(({ op, path }) => `${op} ${path}`).join(', ')
    const finalizer = { hold: ', which holds it', release: ', which lets it go' }
    const meaning = write.finalizer ? finalizer[write.finalizer] : ''
    this.note(write.at, `${write.object}: wrote to its ${write.to}: ${paths}${meaning}`)
    for (const witness of this.#witnesses) witness.write?.(write)
  }

  event(said: Said): void {
    this.events.push(said)
    this.note(said.at, `${said.about}: event ${said.type} ${said.reason}: ${said.message}`)
    for (const witness of this.#witnesses) witness.event?.(said)
  }

  note(at: Date, line: string): void {
    this.#timeline.push(`${at.toISOString()}  ${line}`)
  }

  logger(inherited: object = {}): Logger {
    const log =
      (level: LogEntry['level']) =>
      (message: string | Error, fields: object = {}) => {
        this.logs.push({ level, message: String(message), fields: { ...inherited, ...fields } })
      }
    return {
      debug: log('debug'),
      info: log('info'),
      warn: log('warn'),
      error: log('error'),
      child: (fields) => this.logger({ ...inherited, ...fields }),
    }
  }
}

function isSameCall(a: Run, b: Run): boolean {
  return a.handler === b.handler && a.uid === b.uid && a.attempt === b.attempt && +a.at === +b.at
}

/** Whether `kind namespace/name` is the object that is named. */
function isAbout(object: string, ref: Ref): boolean {
  const asked = typeof ref === 'string' ? parseObjectName(ref) : 'metadata' in ref ? ref.metadata : ref
  const { name, namespace } = parseObjectName(object.slice(object.indexOf(' ') + 1))
  return name === asked.name && (!asked.namespace || asked.namespace === namespace)
}
