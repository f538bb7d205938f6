import { inWorker } from 'binnacle'
import { Kex } from '../kinds.ts'

/** TypeScript, as it stands: for a Node that erases types. */
export const typed = inWorker(Kex, ({ name, stopped }): string => {
  const waited: boolean = stopped.wait('1s')
  return `${name} ${waited}`
})
