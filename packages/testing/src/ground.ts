import type { Client } from '@binnacle/client'
import type { Cluster, Faults, RecordedRequest } from '@binnacle/cluster'
import type { Clock, Duration } from '@binnacle/core'
import type { Link } from './link.ts'

/** A way to the cluster for one operator, which can be cut. */
export interface Connection extends AsyncDisposable {
  readonly client: Client
  readonly link: Link
}

/** What can be done to the requests of operators, and seen of them. */
export interface FaultLine {
  readonly faults: Faults
  readonly requests: readonly RecordedRequest[]
}

/** Where an operator is tried: which cluster, and whose time. */
export interface Ground extends AsyncDisposable {
  /** Time stands still unless it is moved. */
  readonly virtual: boolean
  readonly clock: Clock
  /** Chance for operators, from the seed of the world. */
  readonly random: () => number
  /** An administrator's client, whose line is never cut. */
  readonly admin: Client
  /** The embedded cluster; undefined where the cluster is somebody else's. */
  readonly cluster: Cluster | undefined
  /** The embedded cluster, or a proxy before somebody else's; undefined where there is neither. */
  readonly faultLine: FaultLine | undefined
  /** A line for the program of this name, which keeps to this clock. */
  connect(userAgent: string, clock: Clock): Promise<Connection>
  /** Waits until nothing is in flight; for so many turns of the event loop at the most, where time is virtual. */
  settle(limit?: number): Promise<void>
  /** As `settle`, but does not wait for handlers that wait for time themselves. In real time it waits for nothing. */
  rest(): Promise<void>
  /** Lets time pass. */
  pass(duration: Duration): Promise<void>
  /** Lets as little time pass as can make a difference, `limit` at the most, and then rests; false when nothing would. Assumes: all is at rest. */
  step(limit: number): Promise<boolean>
}

/** What grounds are laid with. */
export interface GroundOptions {
  readonly seed: number
  readonly objects: readonly object[]
  readonly version?: `1.${number}`
}
