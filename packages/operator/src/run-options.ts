import type { Client, ConnectionInfo, KubeConfig } from '@binnacle/client'
import type { Clock, LogFormat, Logger, LogLevel, Metrics } from '@binnacle/core'
import type { PinoLike } from './pino-logger.ts'
import type { HealthOptions } from './report/health-server.ts'
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
  /** Where health (`/healthz`, `/readyz`, `/startupz`) and `/metrics` are served: a port, or more about it. @default nowhere */
  readonly health?: number | HealthOptions
  /** Where figures go. @default a registry of this run, which `/metrics` prints */
  readonly metrics?: Metrics
  /** A logger, such as that of pino, or how to log. @default lines to the standard output */
  readonly logger?: Logger | PinoLike | LoggingOptions
  /** For the desk: objects out of the cache are frozen all the way down, so that a handler that writes to one hears of it. @default false */
  readonly dev?: boolean
  /** Is told what the operator does: for test kits, timelines, dashboards. */
  readonly observer?: Observer
  readonly clock?: Clock
  readonly random?: () => number
}
