import { messageOf } from '@binnacle/core'
import { Cron } from 'croner'
import { DeclarationError } from './declaration-error.ts'

/** Moments by the calendar. */
export interface Schedule {
  /** The first moment after the given one; undefined when there is none any more. */
  next(after: Date): Date | undefined
}

const EXAMPLE = "schedule: '*/5 * * * *', timeZone: 'Europe/Berlin'"

/**
 * A cron expression, read in a time zone.
 * Guarantees: pure: it asks no clock and sets no timer; an expression or a zone that cannot be read, or never comes to pass, is a
 * DeclarationError. A moment that a change of the clocks leaves out is an hour late; one that comes twice counts once.
 */
export function scheduleOf(expression: string, timeZone: string | undefined, id: string): Schedule {
  try {
    // Without a function croner only calculates.
    const cron = new Cron(expression, { timezone: timeZone ?? 'Etc/UTC' })
    const next = (after: Date) => cron.nextRun(after) ?? undefined
    if (next(new Date(0))) return { next }
  } catch (error) {
    throw unreadable(id, expression, timeZone, messageOf(error))
  }
  throw unreadable(id, expression, timeZone, 'there is no such day')
}

function unreadable(id: string, expression: string, timeZone: string | undefined, why: string): DeclarationError {
  const zone = timeZone === undefined ? '' : ` in the time zone ${JSON.stringify(timeZone)}`
  return new DeclarationError({
    message: `Timer "${id}" has the schedule ${JSON.stringify(expression)}${zone}, which cannot be followed: ${why}`,
    hint: 'Give minute, hour, day of the month, month and day of the week, with seconds before them if need be, and a zone by its IANA name.',
    fix: EXAMPLE,
  })
}
