import { BinnacleError } from '@binnacle/core'

/** A declaration contradicts itself or another one. Thrown where it is declared; the hint says how to repair it. */
export class DeclarationError extends BinnacleError {
  override readonly name = 'DeclarationError'

  constructor(options: { readonly message: string; readonly hint: string; readonly fix?: string }) {
    super('BIN_DECLARATION', options)
  }
}
