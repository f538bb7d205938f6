// Nearly everything in one operator: what accompanies an object from its first sight to its end.
import { ABSENT, index, operator, PRESENT, TemporaryError } from 'binnacle'

export const op = operator('all-at-once', {
  indices: {
    /** Every example by the value of its field. */
    byField: index('kopfexamples.kopf.dev', ({ namespace, name, spec }) => ({ [spec.field]: `${namespace}/${name}` })),
  },
  memo: () => ({ seen: 0 }),
  shared: () => ({ started: 0, ended: 0 }),
})

op.on.startup(function prepare({ shared }) {
  shared.started++
})
op.on.cleanup(function cleanUp({ shared }) {
  shared.ended++
})

op.on.event('kopfexamples.kopf.dev', { result: false }, function count({ memo }) {
  memo.seen++
})

op.on.create('kopfexamples.kopf.dev', { backoff: '100ms' }, function createOnce({ retry, patch }) {
  if (retry === 0) throw new TemporaryError('Not at the first attempt', { delay: '100ms' })
  patch.status.created = true
})

op.on.create('kopfexamples.kopf.dev', async function createWithSteps({ step, spec }) {
  for (const item of spec.items ?? []) await step(`item-${item}`, () => ({ item }))
  return { items: spec.items?.length ?? 0 }
})

op.on.resume('kopfexamples.kopf.dev', { deleted: true }, function resume() {})

op.on.update('kopfexamples.kopf.dev', function update({ diff, logger }) {
  logger.info(`${diff.length} changes`)
})

op.on.field('kopfexamples.kopf.dev', { field: 'spec.field' }, function follow({ old, current }) {
  return `${old ?? 'nothing'} → ${current}`
})

op.on.create('kopfexamples.kopf.dev', { labels: { somelabel: PRESENT, other: ABSENT } }, function labelled() {})

op.daemon('kopfexamples.kopf.dev', { cancellationTimeout: '3s' }, async function watch({ stopped, spec, logger }) {
  for await (const _ of stopped.every('1s')) logger.debug(`the field is ${spec.field}`)
  logger.info(`the watch has ended: ${stopped.reason?.why}`)
})

op.timer(
  'kopfexamples.kopf.dev',
  { interval: '500ms', idle: '200ms' },
  function tick({ byField, spec, patch, status }) {
    const alike = byField.get(spec.field).size
    if (status.alike !== alike) patch.status.alike = alike
  },
)

op.on.delete('kopfexamples.kopf.dev', function remove({ logger }) {
  logger.info('removed')
})
