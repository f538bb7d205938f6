import type { Cluster, FaultMatch, Occasion } from '@binnacle/cluster'
import { warn } from '@binnacle/cluster'
import type { Clock } from '@binnacle/core'
import type { Run } from 'binnacle'
import type { OperatorUnderTest } from '../operator-under-test.ts'
import { isByTheClock } from './account.ts'
import { type CatalogueFault, catalogueFault } from './catalogue.ts'
import { Doubt } from './doubt.ts'
import { matchOf, PLACES, type Place } from './place.ts'
import type { PlannedFault } from './plan.ts'

/** A run of a handler that ended by itself, as opposed to one that was cut off. */
const ENDED: ReadonlySet<Run['outcome']> = new Set(['success', 'temporary', 'permanent', 'ignored'])

/**
 * What goes wrong in one world, and where it could have: a plan is carried out, and places are counted on the way.
 * Guarantees: with the same plan, seed and story the same things are struck.
 */
export class Disturbance {
  readonly #plan: readonly PlannedFault[]
  readonly #counts = new Map<Place, number>(PLACES.map((place) => [place, 0]))
  readonly #operators = new Map<string, OperatorUnderTest>()
  readonly #doubt = new Doubt()
  #cluster: Cluster | undefined
  #clock: Clock | undefined
  #strikes = 0
  #recovered = 0
  /** By the clock of the world. */
  #struckAt: number | undefined
  #lastSign = 0
  #longestRecovery = 0
  #kills = 0
  /** Whether a write was kept back, and whether somebody had to end: both together leave it in doubt. */
  #withheld = false
  #terminated = false

  constructor(plan: readonly PlannedFault[]) {
    this.#plan = plan
  }

  /** How often each place has come by. */
  get counts(): ReadonlyMap<Place, number> {
    return this.#counts
  }

  /** How many faults have struck. */
  get strikes(): number {
    return this.#strikes
  }

  get kills(): number {
    return this.#kills
  }

  /** Seconds from a strike to the last sign of recovery from it. */
  get recoverySeconds(): number {
    return this.#longestRecovery
  }

  /** How often handlers may run again because of what has struck, by their key in the account. */
  get spare(): ReadonlyMap<string, number> {
    return this.#doubt.spare
  }

  /** Whether something has struck from which the world has not recovered yet. */
  get struck(): boolean {
    return this.#strikes > this.#recovered
  }

  begin(cluster: Cluster, clock: Clock): void {
    this.#cluster = cluster
    this.#clock = clock
    // Looking at every occasion is all that these rules do: their conditions never hold.
    for (const place of PLACES) {
      const match = matchOf(place)
      if (match) cluster.faults.always({ ...match, when: () => this.#count(place) }, warn(''))
    }
    for (const planned of this.#plan) this.#lay(planned, catalogueFault(planned.fault))
  }

  attend(operator: OperatorUnderTest): void {
    this.#operators.set(operator.name, operator)
    operator.ledger.tell({
      run: (run) => {
        // What runs by the clock goes on for ever: it says nothing of recovery.
        if (!isByTheClock(run)) this.#sign()
        this.#doubt.run(operator.name, run)
        if (ENDED.has(run.outcome)) this.#passBy('run', operator)
      },
      write: (write) => {
        this.#sign()
        this.#doubt.acknowledged(operator.name, write)
        this.#passBy('written', operator)
      },
    })
  }

  /** The world has had its time since so many strikes; those that came meanwhile need time of their own. */
  recoveredFrom(strikes: number): void {
    this.#recovered = strikes
    if (this.struck || this.#struckAt === undefined) return
    this.#longestRecovery = Math.max(this.#longestRecovery, this.#lastSign - this.#struckAt)
    this.#struckAt = undefined
  }

  /** Nothing more goes wrong. */
  end(): void {
    this.#cluster?.faults.clear()
  }

  #lay({ at }: PlannedFault, fault: CatalogueFault): void {
    const match = matchOf(fault.place)
    if (!match || !this.#cluster) return
    let count = 0
    const when = (occasion: Occasion) => ++count === at && this.#strike(fault, this.#operatorOf(occasion))
    const lasting: FaultMatch = { ...match, ...fault.only, when: fault.lasting ? (o) => count >= at || when(o) : when }
    this.#cluster.faults.always(lasting, fault.effect ?? warn('killed'))
  }

  /** Places that only the ledger sees: handlers that ended, and writes that were acknowledged. */
  #passBy(place: Place, operator: OperatorUnderTest): void {
    this.#count(place)
    const now = this.#counts.get(place)
    for (const planned of this.#plan) {
      const fault = catalogueFault(planned.fault)
      if (fault.place === place && planned.at === now) this.#strike(fault, operator)
    }
  }

  #strike(fault: CatalogueFault, operator: OperatorUnderTest | undefined): true {
    this.#strikes++
    this.#struckAt = this.#now
    this.#lastSign = this.#now
    this.#withheld ||= fault.withholds === true
    this.#terminated ||= fault.terminates === true
    const cutShort = this.#withheld && this.#terminated && (fault.withholds || fault.terminates)
    if (fault.mayRepeat || cutShort) this.#doubt.strike()
    if (fault.kills) {
      this.#kills++
      operator?.kill()
    }
    if (fault.terminates) operator?.terminate()
    if (fault.parts !== undefined && operator) this.#part(operator, fault.parts)
    if (this.#cluster) fault.act?.(this.#cluster)
    return true
  }

  /** The line of that moment: whoever is killed meanwhile comes back with a line of his own. */
  #part({ link }: OperatorUnderTest, seconds: number): void {
    link.sever()
    void this.#clock?.sleep(seconds).then(() => link.restore())
  }

  #operatorOf({ userAgent }: Occasion): OperatorUnderTest | undefined {
    return this.#operators.get(userAgent.slice('operator/'.length))
  }

  #count(place: Place): false {
    this.#counts.set(place, (this.#counts.get(place) ?? 0) + 1)
    return false
  }

  #sign(): void {
    this.#lastSign = this.#now
  }

  get #now(): number {
    return this.#clock?.monotonic() ?? 0
  }
}
