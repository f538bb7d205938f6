/**
 * Where the tests of the examples take place. `BINNACLE_WORLD` chooses: `virtual` (the default) is an embedded cluster on virtual time,
 * `embedded` the same over HTTP in real time, `real` the cluster that `BINNACLE_KUBECONFIG` names; `npm run test:real` tries the last two.
 * In a project of your own `harness(op, { resources: […] })` is all that you need.
 */
import type { Harness, HarnessOptions } from '@binnacle/testing'

export const stage: Pick<HarnessOptions, 'time' | 'kubeconfig'> = chosen(
  process.env['BINNACLE_WORLD'] ?? 'virtual',
  process.env['BINNACLE_KUBECONFIG'],
)

function chosen(world: string, kubeconfig: string | undefined): Pick<HarnessOptions, 'time' | 'kubeconfig'> {
  if (world === 'virtual') return {}
  if (world === 'embedded') return { time: 'real' }
  if (world === 'real' && kubeconfig !== undefined) return { kubeconfig }
  throw new Error(
    `BINNACLE_WORLD is "${world}": choose virtual, embedded, or real together with BINNACLE_KUBECONFIG; \`npm run test:real\` does so`,
  )
}

/** Lets time pass until the condition holds: for what cannot be seen by looking at one object. */
export async function eventually(t: Pick<Harness, 'advance'>, condition: () => boolean | Promise<boolean>) {
  for (let look = 0; look < 100; look++) {
    if (await condition()) return
    await t.advance('100ms')
  }
  throw new Error(`It never came to this: ${condition}`)
}
