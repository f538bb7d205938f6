// A child for each object: owned by it, named after it, and found again after an interruption.
import { operator } from 'binnacle'

export const op = operator('children')

op.on.create('kopfexamples.kopf.dev', { result: 'status.children' }, async function raise(context) {
  const { uid, spec, client, adopt, step, logger } = context
  return await step('pod', { result: false }, async () => {
    const labels = { 'example.com/parent': uid }
    const { items } = await client.list('pods', { labels })
    const pod = {
      metadata: { labels },
      spec: {
        restartPolicy: 'Never' as const,
        containers: [{ name: 'main', image: 'busybox', command: ['sh', '-c', `sleep ${spec.duration}`] }],
      },
    }
    const child = items[0] ?? (await client.create('pods', adopt(pod)))
    logger.info(`Pod ${child.metadata.name} is there`)
    return [child.metadata.uid]
  })
})
