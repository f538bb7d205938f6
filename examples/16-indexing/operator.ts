// Two indices over pods, and a handler of another kind that reads them without asking the server.
import { index, operator } from 'binnacle'

export const op = operator('indexing', {
  indices: {
    /** Which pods are in a namespace. */
    podNames: index('pods', ({ namespace, name }) => ({ [namespace]: name })),
    /** The containers of each pod, under a key of two parts. */
    containers: index(
      'pods',
      { errors: 'temporary', backoff: '10s' },
      ({ namespace, name, spec }) =>
        new Map([[[namespace, name], spec.containers.map((container: { name: string }) => container.name)]]),
    ),
  },
})

op.on.create('kopfexamples.kopf.dev', function survey({ namespace, podNames, containers }) {
  const names = podNames.get(namespace).toArray().sort()
  return { pods: names, containers: names.flatMap((name) => containers.first([namespace, name]) ?? []) }
})
