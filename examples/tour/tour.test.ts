import { expect, it } from 'vitest'
import { tour } from './tour.ts'

it('shows an object from its creation to its end, and then ends by itself', async () => {
  const lines: string[] = []
  await tour({ exit: true, signal: new AbortController().signal, color: false, write: (line) => lines.push(line) })
  const text = lines.join('\n')
  for (const seen of [
    'create of KopfExample default/sample',
    'update of',
    'delete of',
    'status.greeting = "Hello, sample!"',
  ]) {
    expect(text).toContain(seen)
  }
  expect(lines.at(-1)).toContain('is gone')
})

it('stays up until it is told to stop, and points kubectl at the cluster', async () => {
  const stop = new AbortController()
  const lines: string[] = []
  await tour({
    exit: false,
    signal: stop.signal,
    color: true,
    write: (line) => {
      lines.push(line)
      if (line.includes('KUBECONFIG=')) setImmediate(() => stop.abort())
    },
  })
  expect(lines.at(-1)).toMatch(/export KUBECONFIG=\S+kubeconfig; kubectl get kopfexamples/)
})
