/** An operator as users write them, for what its types cost the compiler. Nobody runs it. */
import { operator, resource, TemporaryError } from 'binnacle'
import { z } from 'zod'

const Database = resource({
  group: 'example.dev',
  version: 'v1',
  kind: 'Database',
  schema: {
    spec: z.object({
      engine: z.enum(['postgres', 'mysql']),
      size: z.number().int(),
      users: z.array(z.object({ name: z.string(), roles: z.array(z.string()) })),
      backup: z.object({ schedule: z.string(), keep: z.number() }).optional(),
    }),
    status: z.object({ phase: z.string(), endpoint: z.string() }),
  },
})

export const op = operator('types')

op.on.create(Database, async ({ spec, patch, name, client }) => {
  if (spec.size > 100) throw new TemporaryError('too large for now', { delay: '1m' })
  await client.create('configmaps', { metadata: { name }, data: { engine: spec.engine } })
  patch.status.phase = 'created'
})
op.on.update(Database, { field: 'spec.size' }, ({ old, new: now, patch }) => {
  patch.status.phase = `from ${old} to ${now}`
})
op.on.delete(Database, async ({ name, client }) => {
  await client.delete('configmaps', name)
})
op.on.field(Database, { field: 'spec.backup.schedule' }, ({ new: schedule, logger }) => logger.info(`${schedule}`))
op.timer(Database, { interval: '1h' }, ({ spec, status, patch }) => {
  if (spec.backup && status.phase === 'created') patch.status.phase = 'backed up'
})
op.daemon(Database, async ({ spec, stopped }) => {
  for await (const _ of stopped.every('10s')) if (spec.users.length === 0) return
})
