import type { Ref } from '@binnacle/client'
import type { Run } from 'binnacle'
import type { Ledger } from './ledger.ts'
import { lacks } from './shape.ts'

/**
 * What can be said of what an operator has done. Pure.
 * Guarantees: `message` says what was expected and what was found, in words that need no source; `otherwise` says the same for whoever
 * expected the opposite.
 */
export interface Finding {
  readonly holds: boolean
  readonly message: string
  readonly otherwise: string
}

/** What the findings are about. */
export interface Evidence {
  readonly ledger: Pick<Ledger, 'of' | 'runs' | 'writes'>
  /** Things go wrong on purpose: handlers may run again, and write again. */
  readonly disturbed: boolean
}

export function calledFinding({ ledger, disturbed }: Evidence, handler: string, times: number, ref?: Ref): Finding {
  const { length } = ledger.of(handler, ref)
  const about = ref === undefined ? '' : ` for ${nameOf(ref)}`
  const others = length === 0 && times > 0 ? othersThan(handler, ledger.runs) : ''
  return {
    holds: disturbed ? length >= times : length === times,
    message: `Handler "${handler}" was ${calls(length)}${about}, expected ${inTimes(times)}${others}`,
    otherwise: `Handler "${handler}" was ${calls(length)}${about}, expected any other number of calls`,
  }
}

export function outcomeFinding({ ledger }: Evidence, handler: string, outcome: Run['outcome'], ref?: Ref): Finding {
  const runs = ledger.of(handler, ref)
  const last = runs.at(-1)
  const about = ref === undefined ? '' : ` for ${nameOf(ref)}`
  const found = last
    ? `"${last.outcome}"${last.error === undefined ? '' : ` (${String(last.error)})`}`
    : 'no call of it'
  return {
    holds: last?.outcome === outcome,
    message: `The last call of handler "${handler}"${about} should have come to "${outcome}", found ${found}${last ? '' : othersThan(handler, ledger.runs)}`,
    otherwise: `The last call of handler "${handler}"${about} came to "${outcome}", expected anything else`,
  }
}

export function quietFinding({ ledger, disturbed }: Evidence, since = 0): Finding {
  const writes = ledger.writes.slice(since)
  const lines = writes.map(({ object, to, operations }) => {
    return `\n  ${object}, its ${to}: ${operations.map(({ op, path }) => `${op} ${path}`).join(', ')}`
  })
  return {
    holds: writes.length === 0 || disturbed,
    message: `The operator wrote ${inTimes(writes.length)}, expected none:${lines.join('')}`,
    otherwise: 'The operator wrote nothing, expected that it does',
  }
}

export function objectFinding(name: string, found: unknown, shape: object | undefined): Finding {
  const missing = lacks(found, shape)
  return {
    holds: missing.length === 0,
    message: `${objectIs(name, found, shape)}${missing.map((line) => `\n  ${line}`).join('')}`,
    otherwise: `${name} ${shape === undefined ? 'does not exist, expected that it does' : `contains ${JSON.stringify(shape)}, expected that it does not`}`,
  }
}

export function leaksFinding(leaks: readonly string[]): Finding {
  return {
    holds: leaks.length === 0,
    message: `The operator has left something behind:${leaks.map((leak) => `\n  ${leak}`).join('')}`,
    otherwise: 'The operator has left nothing behind, expected that it does',
  }
}

function objectIs(name: string, found: unknown, shape: object | undefined): string {
  if (shape === undefined) return `${name} should be gone, and is there:`
  return found === undefined ? `${name} does not exist:` : `${name} is not as expected:`
}

/** Somebody may have misspelt it. */
function othersThan(handler: string, runs: readonly Run[]): string {
  const names = [...new Set(runs.map((run) => run.handler))].filter((name) => name !== handler)
  return names.length === 0 ? '' : `; called were: ${names.map((name) => `"${name}"`).join(', ')}`
}

function calls(count: number): string {
  return count === 0 ? 'never called' : `called ${inTimes(count)}`
}

function inTimes(count: number): string {
  return count === 1 ? 'once' : count === 2 ? 'twice' : count === 0 ? 'never' : `${count} times`
}

export function nameOf(ref: Ref): string {
  if (typeof ref === 'string') return ref
  const { name, namespace } = 'metadata' in ref ? ref.metadata : ref
  return namespace === undefined ? name : `${namespace}/${name}`
}
