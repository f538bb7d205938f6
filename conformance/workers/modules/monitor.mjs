import { inWorker } from 'binnacle'

/** 004 "Spawning" and "Safe sleep": the synchronous daemon. It never awaits. */
export const monitorKex = inWorker('kopfexamples.kopf.dev', ({ stopped, spec, logger }) => {
  while (!stopped.aborted) {
    logger.info(`FIELD=${spec.field}`)
    stopped.wait(10)
  }
  logger.info(`We are done. Bye. (${stopped.reason?.why})`)
})
