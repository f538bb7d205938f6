// Every event of the watch, as it comes.
import { operator } from 'binnacle'

export const op = operator('watcher')

op.on.event('kopfexamples.kopf.dev', function alwaysFails() {
  throw new Error('Nobody will try this again')
})

op.on.event('kopfexamples.kopf.dev', function print({ type, name, spec, logger }) {
  logger.info(`${type ?? 'LISTED'} ${name}: ${spec.field}`)
})
