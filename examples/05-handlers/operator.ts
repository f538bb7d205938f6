// Handlers of every cause, and one function for two of them.
import { operator } from 'binnacle'

export const op = operator('handlers')
const kopfexamples = 'kopfexamples.kopf.dev'

interface Told {
  readonly reason: string
  readonly logger: { info(line: string): void }
}
const beThere = ({ reason, logger }: Told) => logger.info(`beThere: ${reason}`)

op.on.create(kopfexamples, beThere)
op.on.resume(kopfexamples, beThere)

op.on.create(kopfexamples, function createFirst({ logger }) {
  logger.info('createFirst')
})
op.on.create(kopfexamples, function createSecond({ logger }) {
  logger.info('createSecond')
})

op.on.update(kopfexamples, function updated({ diff, logger }) {
  logger.info(`updated: ${diff.map(({ op: what, path }) => `${what} ${path.join('.')}`).join(', ')}`)
})

op.on.field(kopfexamples, { field: 'spec.field' }, function fieldChanged({ old, current, logger }) {
  logger.info(`fieldChanged: ${old ?? 'nothing'} → ${current ?? 'nothing'}`)
})

op.on.delete(kopfexamples, function deleteFirst({ logger }) {
  logger.info('deleteFirst')
})
op.on.delete(kopfexamples, function deleteSecond({ logger }) {
  logger.info('deleteSecond')
})
