export * from '@binnacle/cluster'
export { scaledClock, VirtualClock, type VirtualClockOptions } from '@binnacle/core'
export { type Simulated, type SimulatedLog, type SimulateOptions, simulate } from 'binnacle'
export { ExpectationError } from './expectation-error.ts'
export type { Expectations } from './expectations.ts'
export { attempt, type CampaignOptions, placesInWords, plans, shrunk, type Tried } from './faults/campaign.ts'
export { CATALOGUE, type CatalogueFault } from './faults/catalogue.ts'
export type { Disturbance } from './faults/disturbance.ts'
export type { Place } from './faults/place.ts'
export { type FaultPlan, type PlannedFault, parsePlan, printPlan } from './faults/plan.ts'
export { type Aftermath, isClean, type Reference, reference, type Scenario, type Verdict } from './faults/trial.ts'
export { failure, type UnderFaultsOptions, type UnderFaultsResult, underFaults } from './faults/under-faults.ts'
export type { FinalizerEntry, Finalizers } from './finalizer-ledger.ts'
export { type Harness, type HarnessOptions, harness, type TestCluster } from './harness.ts'
export { Ledger, type LogEntry, type Runs } from './ledger.ts'
export type { Link } from './link.ts'
export type { OperatorUnderTest, TestRunOptions } from './operator-under-test.ts'
export {
  type EmbeddedWorldOptions,
  type ExistingWorldOptions,
  type Installable,
  type VirtualWorldOptions,
  World,
  type WorldOptions,
} from './world.ts'
