/**
 * The rules of a definition (x-kubernetes-validations): compiled once, run on every write.
 * Guarantees: a schema without rules costs nothing; no run takes longer than its budget; every violation is worded as in the original.
 */
import { EvaluationError } from '../cel/ast.ts'
import { bind, typeOfSchema } from '../cel/binding.ts'
import { Budget, BudgetError } from '../cel/budget.ts'
import { Program } from '../cel/program.ts'
import { optionalOf, type Type } from '../cel/type.ts'
import { Optional, type Value } from '../cel/value.ts'
import type { Cause } from '../http/status.ts'
import { equalJson, isObject, type Json, type JsonObject, own, printJson } from '../json.ts'
import { fieldPath } from './field-path.ts'
import type { RawRule, StructuralSchema } from './structural.ts'

export interface Rule {
  readonly raw: RawRule
  readonly program: Program
  readonly message: Program | undefined
  readonly isTransition: boolean
}

const compiled = new WeakMap<StructuralSchema, readonly Rule[]>()

/** Throws a CompileError; definitions are checked before, so that only a stored definition of another time can. */
export function rulesOf(schema: StructuralSchema, root: boolean): readonly Rule[] {
  let rules = compiled.get(schema)
  if (!rules) {
    rules = schema.rules.map((raw) => compileRule(raw, schema, root))
    compiled.set(schema, rules)
  }
  return rules
}

export function compileRule(raw: RawRule, schema: StructuralSchema, root: boolean): Rule {
  const variables = ruleVariables(raw, schema, root)
  const program = Program.compile(raw.rule.trim(), variables)
  const message = raw.messageExpression === '' ? undefined : Program.compile(raw.messageExpression.trim(), variables)
  return { raw, program, message, isTransition: program.uses('oldSelf') }
}

export function ruleVariables(raw: RawRule, schema: StructuralSchema, root: boolean): ReadonlyMap<string, Type> {
  const self = typeOfSchema(schema, root, 'selfType') ?? { kind: 'dyn' }
  return new Map([
    ['self', self],
    ['oldSelf', raw.optionalOldSelf ? optionalOf(self) : self],
  ])
}

/** What the rules of one object may cost together, and what one run may. */
const objectBudget = 10_000_000
const callBudget = 1_000_000

interface Run {
  readonly causes: Cause[]
  readonly warnings: string[]
  left: number
}

/** All violations. What was violated before an update and has not changed is a warning only. */
export function judgeRules(
  object: JsonObject,
  schema: StructuralSchema,
  old: JsonObject | undefined,
): { readonly causes: readonly Cause[]; readonly warnings: readonly string[] } {
  const run: Run = { causes: [], warnings: [], left: objectBudget }
  if (schema.hasRules) visit(run, object, schema, '', { value: old, known: true }, true)
  return run
}

/** The same part before the update. `known`: the part can be found there, if only as absent. */
interface Before {
  readonly value: Json | undefined
  readonly known: boolean
}

function visit(run: Run, value: Json, schema: StructuralSchema, path: string, before: Before, root: boolean): void {
  if (!schema.hasRules || run.left < 0 || (value === null && schema.nullable)) return
  for (const rule of rulesOf(schema, root || schema.embedded)) {
    judge(run, rule, value, schema, path, before, root)
    if (run.left < 0) return
  }
  if (Array.isArray(value)) visitItems(run, value, schema, path, before)
  else if (isObject(value)) visitFields(run, value, schema, path, before)
}

function visitItems(run: Run, list: readonly Json[], schema: StructuralSchema, path: string, before: Before): void {
  const { items } = schema
  if (!items?.hasRules) return
  const old = Array.isArray(before.value) ? (before.value as readonly Json[]) : []
  for (const [i, item] of list.entries()) {
    const match = schema.listType === 'map' ? old.find((other) => sameKeys(other, item, schema.listKeys)) : undefined
    visit(run, item, items, `${path}[${i}]`, { value: match, known: before.known && schema.listType === 'map' }, false)
  }
}

function visitFields(run: Run, object: JsonObject, schema: StructuralSchema, path: string, before: Before): void {
  const old = isObject(before.value) ? before.value : {}
  for (const key of Object.keys(object)) {
    const named = schema.properties.get(key)
    const part = named ?? schema.additional
    if (part === undefined || part === true || !part.hasRules) continue
    const at = named ? (path === '' ? key : `${path}.${key}`) : `${path}[${key}]`
    visit(run, object[key] as Json, part, at, { value: own(old, key), known: before.known }, false)
  }
}

const sameKeys = (a: Json, b: Json, keys: readonly string[]) =>
  isObject(a) && isObject(b) && keys.every((key) => equalJson(own(a, key), own(b, key)))

function judge(
  run: Run,
  rule: Rule,
  value: Json,
  schema: StructuralSchema,
  path: string,
  before: Before,
  root: boolean,
): void {
  const { raw, program, isTransition } = rule
  const hasOld = before.known && before.value !== undefined && before.value !== null
  if (isTransition && !hasOld && !raw.optionalOldSelf) return
  const add = (cause: Cause) => {
    const same = hasOld && equalJson(value, before.value)
    if (same && !isTransition) run.warnings.push(`${cause.field}: ${cause.message}`)
    else run.causes.push(cause)
  }
  const whole = root || schema.embedded
  const scope = scopeOf(raw, bind(value, schema, whole), hasOld ? bind(before.value as Json, schema, whole) : undefined)
  try {
    if (spend(run, (budget) => program.run(scope, budget)) === true) return
    const at = raw.fieldPath === '' ? path : `${path}${fieldPath(raw.fieldPath, schema) ?? ''}`.replace(/^\./, '')
    add(violation(raw, messageOf(run, rule, scope), at, value))
  } catch (error) {
    if (!(error instanceof EvaluationError)) throw error
    add(failure(run, error, raw, path, schema.type ?? ''))
  }
}

function scopeOf(raw: RawRule, self: Value, old: Value | undefined): ReadonlyMap<string, Value> {
  const scope = new Map([['self', self]])
  if (raw.optionalOldSelf) scope.set('oldSelf', new Optional(old))
  else if (old !== undefined) scope.set('oldSelf', old)
  return scope
}

function spend<T>(run: Run, what: (budget: Budget) => T): T {
  const budget = new Budget(Math.min(callBudget, run.left))
  const before = budget.left
  try {
    return what(budget)
  } finally {
    run.left -= before - budget.left
  }
}

const ruleText = ({ message, rule }: RawRule) => (message === '' ? rule.trim() : message.trim())

/** The expression's words; those of the rule when it gives none, or none that fit on a line. */
function messageOf(run: Run, { raw, message }: Rule, scope: ReadonlyMap<string, Value>): string {
  const standard = raw.message === '' ? `failed rule: ${raw.rule.trim()}` : raw.message
  if (!message) return standard
  try {
    const words = spend(run, (budget) => message.run(scope, budget))
    const line = typeof words === 'string' ? words.trim() : ''
    return line === '' || line.includes('\n') || line.length > 5 * 1024 ? standard : line
  } catch (error) {
    if (!(error instanceof EvaluationError)) throw error
    return standard
  }
}

const shown = (value: Json) => (typeof value === 'object' ? '' : `${printJson(value)}: `)

function violation(raw: RawRule, message: string, field: string, value: Json): Cause {
  const at = field === '' ? '<nil>' : field
  switch (raw.reason) {
    case 'FieldValueForbidden':
      return { reason: raw.reason, message: `Forbidden: ${message}`, field: at }
    case 'FieldValueRequired':
      return { reason: raw.reason, message: `Required value: ${message}`, field: at }
    case 'FieldValueDuplicate':
      return {
        reason: raw.reason,
        message: `Duplicate value${typeof value === 'object' ? '' : `: ${printJson(value)}`}`,
        field: at,
      }
    default:
      return { reason: 'FieldValueInvalid', message: `Invalid value: ${shown(value)}${message}`, field: at }
  }
}

function failure(run: Run, error: EvaluationError, raw: RawRule, path: string, type: string): Cause {
  const wrong = (detail: string): Cause => ({
    reason: 'FieldValueInvalid',
    message: `Invalid value: ${printJson(type)}: ${detail}`,
    field: path === '' ? '<nil>' : path,
  })
  if (error instanceof BudgetError) {
    run.left = -1
    return wrong(
      `'${error.message}': no further validation rules will be run due to call cost exceeds limit for rule: ${ruleText(raw)}`,
    )
  }
  if (error.message.startsWith('no such overload')) {
    return wrong(
      `'${error.message}': call arguments did not match a supported operator, function or macro signature for rule: ${ruleText(raw)}`,
    )
  }
  return wrong(`${error.message} evaluating rule: ${ruleText(raw)}`)
}
