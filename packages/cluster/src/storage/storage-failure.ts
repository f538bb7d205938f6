/** A commit that could not be kept: nothing has changed, and nobody was told. */
import { StatusError } from '../http/status.ts'

export class StorageFailure extends StatusError {
  constructor(message: string) {
    super(500, 'InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] })
    this.name = 'StorageFailure'
  }
}
