import { inWorker } from 'binnacle'

/** Heeds nothing: only the end of its thread ends it. */
export const deaf = inWorker('kopfexamples.kopf.dev', ({ logger }) => {
  logger.info('deaf')
  for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
})
