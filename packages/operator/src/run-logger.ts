import { type Clock, createLogger, type Logger } from '@binnacle/core'
import { fromPino, isPinoLike, type PinoLike } from './pino-logger.ts'
import type { LoggingOptions } from './run-options.ts'

/** The logger of a run: the given one, or one that writes lines to the standard output. */
export function runLogger(given: Logger | PinoLike | LoggingOptions | undefined, clock: Clock): Logger {
  if (given && 'child' in given) return isPinoLike(given) ? fromPino(given) : given
  const { write = (line: string) => void process.stdout.write(`${line}\n`), ...options } = given ?? {}
  const terminal = given?.write === undefined && process.stdout.isTTY === true
  return createLogger({
    ...options,
    format: options.format ?? (terminal ? 'text' : 'json'),
    color: terminal && process.env['NO_COLOR'] === undefined,
    write,
    now: () => clock.now(),
  })
}
