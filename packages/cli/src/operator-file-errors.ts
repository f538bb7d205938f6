import { BinnacleError, type ErrorCode, messageOf } from '@binnacle/core'
import { userFrames } from './stack.ts'

/** Nothing in the file can be run. */
export function noOperator(file: string, declared: readonly { readonly name: string }[]): BinnacleError {
  const [first] = declared
  const message = first
    ? `${file} declares the operator "${first.name}", but neither exports nor runs it`
    : `${file} declares no operator`
  const name = JSON.stringify(first?.name ?? 'hello').replaceAll('"', "'")
  return new BinnacleError('BIN_OPERATOR_FILE', {
    message,
    hint: 'Export it, so that it can be found:',
    fix: `${first ? '' : "import { operator } from 'binnacle'\n\n"}export const op = operator(${name})`,
  })
}

/** The file threw while it was loaded: its own error, with the lines of the stack that are its own. */
export function threwOnImport(file: string, error: unknown, cwd: string): BinnacleError {
  const { code, hint, fix } = (error ?? {}) as { code?: unknown; hint?: unknown; fix?: unknown }
  const ours = typeof code === 'string' && code.startsWith('BIN_')
  const lines = [...(typeof hint === 'string' ? [hint] : []), ...userFrames(error, cwd)]
  return new BinnacleError(ours ? (code as ErrorCode) : 'BIN_OPERATOR_FILE', {
    message: `${file} threw while it was loaded: ${ours ? messageOf(error) : String(error)}`,
    ...(lines.length > 0 && { hint: lines.join('\n') }),
    ...(typeof fix === 'string' && { fix }),
    cause: error,
  })
}
