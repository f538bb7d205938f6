import type { Client, ConnectionInfo, KubeConfig } from '@binnacle/client'
import type { Clock, LogFormat, Logger, LogLevel, Metrics } from '@binnacle/core'
import type { Observer } from './report/observer.ts'
import type { SettingsInput } from './settings.ts'

export interface LoggingOptions {
  /** @default 'info' */
  readonly level?: LogLevel
  /** @default 'text' on a terminal, 'json' elsewhere */
  readonly format?: LogFormat
  /** Begin text lines with `[namespace/name]`. @default true in text */
  readonly prefix?: boolean
  /** The field of JSON lines that holds the reference to the object. @default 'object' */
  readonly refkey?: string
  /** @default to the standard output */
  readonly write?: (line: string) => void
}

export interface RunOptions {
  /** Stops the operator. */
  readonly signal?: AbortSignal
  /** A loaded configuration, a connection, or a path. @default as kubectl finds it, else the service account of the pod */
  readonly kubeconfig?: KubeConfig | ConnectionInfo | string
  readonly context?: string
  /** A ready client instead of a kubeconfig; the caller disposes of it. */
  readonly client?: Client
  /**
   * Names, patterns with `*` and `?`, or regular expressions; `!` excludes, and the last one that fits a name decides. `'*'` is the whole
   * cluster. Namespaces are watched for patterns only. @default '*'
   */
  readonly namespaces?: string | RegExp | readonly (string | RegExp)[]
  readonly settings?: SettingsInput
  readonly metrics?: Metrics
  readonly logger?: Logger | LoggingOptions
  /** Is told what the operator does: for test kits, timelines, dashboards. */
  readonly observer?: Observer
  readonly clock?: Clock
  readonly random?: () => number
}
