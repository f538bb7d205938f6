// Something to test: a handler that needs a second attempt.
import { operator, TemporaryError } from 'binnacle'

export const op = operator('testing')

op.on.create('kopfexamples.kopf.dev', function create({ retry, logger, patch }) {
  if (retry === 0) throw new TemporaryError('The database is not up yet', { delay: '2s' })
  logger.info('Something was logged here')
  patch.status.ready = true
})

op.on.delete('kopfexamples.kopf.dev', function remove({ name, logger }) {
  logger.info(`${name} is gone`)
})
