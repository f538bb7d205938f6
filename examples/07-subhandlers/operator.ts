// One step for each item, known by its name.
import { operator, TemporaryError } from 'binnacle'

export const op = operator('subhandlers')

op.on.create('kopfexamples.kopf.dev', function prepare({ spec, step }) {
  for (const item of spec.items ?? []) {
    void step(item, ({ retry, logger }) => {
      if (item === 'item2' && retry < 1) throw new TemporaryError(`${item} is not ready`, { delay: '1s' })
      logger.info(`${item} is done`)
      return { done: item }
    })
  }
})
