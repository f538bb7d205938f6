/** What the stories of controllers that settle widgets wait for. */
import type { Client } from '@binnacle/client'
import { eventually } from './program.ts'

/** The status of a widget as soon as its size is the observed one. */
export const settled = (client: Client, name: string, size: number) =>
  eventually(`status of ${name}`, async () => {
    const { status } = await client.get('widgets', name)
    return status?.['observed'] === size && status
  })

export const gone = (client: Client, resource: 'widgets' | 'configmaps', name: string) =>
  eventually(`end of ${name}`, async () => (await client.find(resource, name)) === undefined)

export const eventOf = (client: Client, name: string) =>
  eventually(`event of ${name}`, async () => {
    const { items } = await client.list('events.events.k8s.io', { namespace: 'default' })
    return items.find(({ regarding }) => regarding?.['name'] === name)
  })
