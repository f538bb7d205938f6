/** The command line as a function, for whoever wants to run it inside of another program. */
export type { Io, Output, SignalSource, StopSignal } from './io.ts'
export { main } from './main.ts'
export type { ClusterOptions, EmbeddedCluster, Parts, Server, ServerChoice } from './parts.ts'
