// The four ways to fail.
import { operator, PermanentError, TemporaryError } from 'binnacle'

export const op = operator('exceptions')

// In vain: it is not tried again.
op.on.create('kopfexamples.kopf.dev', function fatal() {
  throw new PermanentError('This object cannot be helped')
})

// Later: it is tried again after the delay.
op.on.create('kopfexamples.kopf.dev', function eventually({ retry, logger }) {
  if (retry < 3) throw new TemporaryError(`Attempt ${retry + 1} came too early`, { delay: '1s' })
  logger.info('It was worth the wait')
})

// Any other error is tried again as well, so often as the declaration says.
op.on.create('kopfexamples.kopf.dev', { retries: 3, backoff: '1s' }, function limited() {
  throw new Error('Something unforeseen')
})

// Or not at all.
op.on.create('kopfexamples.kopf.dev', { errors: 'permanent' }, function strict() {
  throw new Error('Something unforeseen, and final')
})
