import type { Clock } from '@binnacle/core'

/** A stream that lines are written to. */
export interface Output {
  write(text: string): unknown
  readonly isTTY?: boolean | undefined
}

export type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP'

/** Where requests to stop come from; `process` fits. */
export interface SignalSource {
  on(signal: StopSignal, listener: (signal: StopSignal) => void): unknown
  off(signal: StopSignal, listener: (signal: StopSignal) => void): unknown
}

/**
 * Everything that a command may touch of the process it runs in. `bin.ts` hands in the real one, a test its own.
 * Guarantees: no other file of this package reads `process`, the console or the system's clock.
 */
export interface Io {
  readonly stdout: Output
  readonly stderr: Output
  /** The environment; `dev` points KUBECONFIG at its cluster while it runs. */
  readonly env: { [name: string]: string | undefined }
  /** What relative paths are relative to. */
  readonly cwd: string
  /** Where temporary folders are made. */
  readonly temp: string
  readonly signals: SignalSource
  readonly clock: Clock
  /** Ends the process at once, without waiting for anything. */
  exit(code: number): void
  /** Calls the function when the process ends in whichever way; the returned function takes that back. */
  atExit(callback: () => void): () => void
  /** Loads a module by its address. */
  import(url: string): Promise<object>
}
