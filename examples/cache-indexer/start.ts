import { indexing } from './indexer.ts'

indexing(console.log)
