// The smallest operator that does all three: a name is enough, and unknown kinds are loose JSON.
import { operator } from 'binnacle'

export const op = operator('hello')

op.on.create('kopfexamples.kopf.dev', function greet({ name, spec, logger, patch }) {
  logger.info(`${name} wants ${spec.field}`)
  patch.status.greeting = `Hello, ${name}!`
})

op.on.update('kopfexamples.kopf.dev', { field: 'spec.field' }, function notice({ old, current, patch }) {
  patch.status.greeting = `Not ${old} any more, but ${current}!`
})

op.on.delete('kopfexamples.kopf.dev', function sayGoodbye({ name, logger }) {
  logger.info(`Goodbye, ${name}!`)
})
