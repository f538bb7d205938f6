/** The conditions of webhooks (matchConditions): expressions over the request. */
import { CompileError, EvaluationError } from '../cel/ast.ts'
import { plain } from '../cel/binding.ts'
import { Budget } from '../cel/budget.ts'
import { standardLibrary } from '../cel/library.ts'
import { Program } from '../cel/program.ts'
import { dyn, printType, type Type } from '../cel/type.ts'
import type { Value } from '../cel/value.ts'
import { forbidden } from '../http/status.ts'
import { authorizerLibrary, authorizerType, Question } from './authorizer.ts'
import type { Attributes } from './match.ts'
import { requestOf } from './review.ts'
import type { Condition, Webhook } from './webhook.ts'

const variables: ReadonlyMap<string, Type> = new Map([
  ['object', dyn],
  ['oldObject', dyn],
  ['request', dyn],
  ['authorizer', authorizerType],
])

const compiled = new Map<string, Program>()
const kept = 500
const budget = 10_000_000

function program(expression: string): Program {
  let found = compiled.get(expression)
  if (!found) {
    found = Program.compile(expression, variables, standardLibrary().with(authorizerLibrary()))
    if (compiled.size >= kept) compiled.clear()
    compiled.set(expression, found)
  }
  return found
}

/** What is wrong with an expression; undefined when nothing is. */
export function conditionError(expression: string): string | undefined {
  try {
    const { type } = program(expression)
    return type.kind === 'bool' || type.kind === 'dyn' ? undefined : `must evaluate to bool but got ${printType(type)}`
  } catch (error) {
    if (!(error instanceof CompileError)) throw error
    return `compilation failed: ${error.message}`
  }
}

/** False as soon as one is false. One that fails counts only when none is false; then the failure policy decides. */
export function conditionsHold({ conditions, ignoresFailure }: Webhook, attributes: Attributes): boolean {
  if (conditions.length === 0) return true
  const scope = scopeOf(attributes)
  const failures: string[] = []
  for (const condition of conditions) {
    const result = outcome(condition, scope)
    if (result === false) return false
    if (result !== true) failures.push(`expression '${condition.expression}' resulted in error: ${result}`)
  }
  if (failures.length === 0) return true
  if (ignoresFailure) return false
  const { kind } = attributes.operation
  throw forbidden(kind, attributes.operation.name || attributes.object?.metadata.name || '', failures.join(', '))
}

function outcome({ expression }: Condition, scope: ReadonlyMap<string, Value>): boolean | string {
  try {
    return program(expression).run(scope, new Budget(budget)) === true
  } catch (error) {
    if (error instanceof EvaluationError) return error.message
    throw error
  }
}

function scopeOf(attributes: Attributes): ReadonlyMap<string, Value> {
  const { object, oldObject, ...request } = requestOf('', attributes, attributes.operation.version)
  return new Map<string, Value>([
    ['object', plain(object ?? null)],
    ['oldObject', plain(oldObject ?? null)],
    ['request', plain(request)],
    ['authorizer', new Question(attributes.operation.backend, attributes.operation.user)],
  ])
}
