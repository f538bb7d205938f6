import { type Logger, VirtualClock } from '@binnacle/core'

/** Time that stands still until the test moves it, no chance, and lines that the test can read. */
export function virtualSurroundings() {
  const lines: string[] = []
  const write = (level: string) => (message: string | Error) => {
    lines.push(`${level}: ${message instanceof Error ? message.message : message}`)
  }
  const logger: Logger = {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    child: () => logger,
  }
  const clock = new VirtualClock({ settle })
  return { clock, random: () => 0, logger, lines }
}

/** Lets everything run that waits for nothing but its turn. Microtasks only: whatever needs more than those is a bug. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 200; turn++) await undefined
}
