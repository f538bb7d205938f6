// One handler; what it returns goes to the status.
import { operator } from 'binnacle'

export const op = operator('minimal')

op.on.create('kopfexamples.kopf.dev', function noteDuration({ name, spec, logger }) {
  logger.info(`${name} will take ${spec.duration}`)
  return { message: `It will take ${spec.duration}`, items: spec.items?.length ?? 0 }
})
