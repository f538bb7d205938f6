// A daemon for each object: it starts with the object, sees its newest state, and ends when it is asked to.
import { operator, TemporaryError } from 'binnacle'

export const op = operator('daemons')

op.daemon(
  'kopfexamples.kopf.dev',
  { cancellationBackoff: '1s', cancellationTimeout: '3s' },
  async function watchField({ name, spec, stopped, logger }) {
    for await (const round of stopped.every('5s')) logger.info(`${name}, round ${round}: field is ${spec.field}`)
    logger.info(`${name} is left alone: ${stopped.reason?.why}`)
    return { why: stopped.reason?.why ?? 'done' }
  },
)

// A daemon that ends by itself is not started again; an error that may be repaired makes another attempt.
op.daemon('kopfexamples.kopf.dev', { initialDelay: '2s' }, function warmUp({ retry, patch }) {
  if (retry < 2) throw new TemporaryError('Not warm yet', { delay: '1s' })
  patch.status.warm = true
})
