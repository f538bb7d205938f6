// Pods that live for a limited time.
import { operator, PRESENT } from 'binnacle'

export const op = operator('builtins', { memo: () => ({ seconds: 0 }) })

const shortLived = { labels: { 'example.com/short-lived': PRESENT } } as const

op.on.create('pods', shortLived, function born({ name, spec, logger }) {
  logger.info(`${name} is born, with ${spec.containers.length} containers`)
})

op.daemon('pods', shortLived, async function countDown({ name, annotations, memo, client, stopped, logger }) {
  memo.seconds = Number(annotations['example.com/seconds'] ?? 30)
  for (; memo.seconds > 0; memo.seconds--) {
    if (memo.seconds % 10 === 0) logger.info(`${name} has ${memo.seconds} s left`)
    if (await stopped.wait('1s')) return logger.info(`${name}: the countdown is off`)
  }
  await client.delete('pods', name)
})

op.on.delete('pods', shortLived, function died({ name, memo, logger }) {
  logger.info(`${name} dies with ${memo.seconds} s left`)
})
