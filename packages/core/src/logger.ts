export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent'

/** A small structured logger. Fields come after the message; `run` also takes a logger of pino, where they come before it. */
export interface Logger {
  debug(message: string, fields?: object): void
  info(message: string, fields?: object): void
  warn(message: string, fields?: object): void
  error(message: string | Error, fields?: object): void
  child(fields: object): Logger
  /** Whether lines of this level are shown to anybody. Where it is missing, they are. */
  isLevelEnabled?(level: Exclude<LogLevel, 'silent'>): boolean
}

export const silentLogger: Logger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  child: () => silentLogger,
  isLevelEnabled: () => false,
}
