import { inWorker } from 'binnacle'

export const one = inWorker('pods', () => 1)
export const two = inWorker('pods', () => 2)
