// Timers: at intervals, on a grid, and when nothing has changed for a while.
import { operator } from 'binnacle'

export const op = operator('timers')

op.timer('kopfexamples.kopf.dev', { interval: '1m', sharp: true }, function count({ status, patch }) {
  patch.status.minutes = (status.minutes ?? 0) + 1
})

op.timer('kopfexamples.kopf.dev', { idle: '10m' }, function archive({ spec, patch }) {
  patch.status.archived = spec.field
})

op.timer(
  'kopfexamples.kopf.dev',
  { interval: '30s', initialDelay: '5s', finalizer: false },
  function look({ name, logger }) {
    logger.info(`${name} is still there`)
  },
)
