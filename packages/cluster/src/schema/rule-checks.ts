/**
 * What is wrong with the rules of a definition, in the original's words: they do not compile, say too little, or may cost too much.
 * Guarantees: a definition without findings has rules that can be run.
 */
import { CompileError } from '../cel/ast.ts'
import { typeOfSchema } from '../cel/binding.ts'
import { Budget } from '../cel/budget.ts'
import { maxCost } from '../cel/cost.ts'
import { Program } from '../cel/program.ts'
import { minSize, requestLimit } from '../cel/size.ts'
import { forbiddenField, invalidValue, notSupported, required } from '../http/field-error.ts'
import type { Cause } from '../http/status.ts'
import { type Json, printJson } from '../json.ts'
import { fieldPath } from './field-path.ts'
import { ruleVariables } from './rules.ts'
import type { RawRule, StructuralSchema } from './structural.ts'

const ruleLimit = 10_000_000
const schemaLimit = 100_000_000
const advice =
  '(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)'
const reasons = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired']

interface Place {
  readonly schema: StructuralSchema
  readonly path: string
  readonly root: boolean
  /** How often it can occur in one object; undefined when nothing limits it. */
  readonly count: number | undefined
  /** The list in which an item cannot be found again after an update. */
  readonly lostIn: string | undefined
}

interface Findings {
  readonly causes: Cause[]
  readonly costs: { readonly path: string; readonly cost: number }[]
}

/** Of a whole schema, whose own path is given. */
export function ruleCauses(schema: StructuralSchema, path: string): readonly Cause[] {
  if (!schema.hasRules) return []
  const found: Findings = { causes: [], costs: [] }
  visit({ schema, path, root: true, count: 1, lostIn: undefined }, found)
  const total = found.costs.reduce((sum, { cost }) => sum + cost, 0)
  if (total > schemaLimit) found.causes.push(...totalCauses(found, total, path))
  return found.causes
}

function visit(place: Place, found: Findings): void {
  const { schema, path, lostIn, count } = place
  if (!schema.hasRules) return
  for (const [i, raw] of schema.rules.entries()) checkRule(raw, place, `${path}.x-kubernetes-validations[${i}]`, found)
  const { additional, items, limits } = schema
  const inside = (part: StructuralSchema, at: string, times: number | undefined, lost: string | undefined) =>
    visit({ schema: part, path: at, root: part.embedded, count: times, lostIn: lost }, found)
  const many = (limit: number | undefined) => (count === undefined || limit === undefined ? undefined : count * limit)
  for (const [name, part] of schema.properties) inside(part, `${path}.properties[${name}]`, count, lostIn)
  if (additional !== undefined && additional !== true) {
    inside(additional, `${path}.additionalProperties`, many(limits.maxProperties), lostIn)
  }
  if (items)
    inside(items, `${path}.items`, many(limits.maxItems), lostIn ?? (schema.listType === 'map' ? undefined : path))
}

/** The whole rule is shown, as the original's type has it. */
function shownRule(raw: RawRule): string {
  const text = printJson({
    Rule: raw.rule,
    Message: raw.message,
    MessageExpression: raw.messageExpression,
    Reason: raw.reason ?? null,
    FieldPath: raw.fieldPath,
    OptionalOldSelf: raw.optionalOldSelf ? true : null,
  })
  return text.replace(/[<>&]/g, (c) => `\\u00${c.charCodeAt(0).toString(16)}`)
}

function checkRule(raw: RawRule, place: Place, path: string, found: Findings): void {
  const wordsWrong = wordCauses(raw, place.schema, path)
  found.causes.push(...wordsWrong)
  if (raw.rule.trim() === '') return
  if (!typeOfSchema(place.schema, place.root)) {
    const message =
      'failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations'
    found.causes.push({
      reason: 'InternalError',
      message: `Internal error: internal error: ${message}`,
      field: path.replace(/\[\d+\]$/, ''),
    })
    return
  }
  const program = compiled(raw, raw.rule, place, `${path}.rule`, '', found)
  if (program) checkProgram(raw, program, place, path, found)
  else if (raw.optionalOldSelf) found.causes.push(uselessOption(path))
  if (raw.messageExpression.trim() === '') return
  const message = compiled(raw, raw.messageExpression, place, `${path}.messageExpression`, 'messageExpression ', found)
  if (message) checkMessage(raw, message, place, path, found)
}

const uselessOption = (path: string) =>
  invalidValue(`${path}.optionalOldSelf`, true, 'may not be set if oldSelf is not used in rule')

function wordCauses(raw: RawRule, schema: StructuralSchema, path: string): Cause[] {
  const causes: Cause[] = []
  if (raw.rule.trim() === '') causes.push(required(`${path}.rule`, 'rule is not specified'))
  if (raw.message !== '' && raw.message.trim() === '') {
    causes.push(invalidValue(`${path}.message`, raw.message, 'must be non-empty if specified'))
  } else if (/[\r\n]/.test(raw.message.trim())) {
    causes.push(invalidValue(`${path}.message`, raw.message, 'must not contain line breaks'))
  } else if (/[\r\n]/.test(raw.rule.trim()) && raw.message === '') {
    causes.push(required(`${path}.message`, 'message must be specified if rule contains line breaks'))
  }
  if (raw.messageExpression !== '' && raw.messageExpression.trim() === '') {
    causes.push(required(`${path}.messageExpression`, 'messageExpression must be non-empty if specified'))
  }
  if (raw.reason !== undefined && !reasons.includes(raw.reason)) {
    causes.push(notSupported(`${path}.reason`, raw.reason as Json, reasons))
  }
  if (raw.fieldPath !== '' && fieldPath(raw.fieldPath, schema) === undefined) {
    causes.push(invalidValue(`${path}.fieldPath`, raw.fieldPath, 'must be a valid path'))
  }
  return causes
}

function compiled(
  raw: RawRule,
  source: string,
  place: Place,
  field: string,
  what: string,
  found: Findings,
): Program | undefined {
  try {
    return Program.compile(source.trim(), ruleVariables(raw, place.schema, place.root))
  } catch (error) {
    if (!(error instanceof CompileError)) throw error
    found.causes.push(wrongRule(field, raw, `${what}compilation failed: ${error.message}`))
    return undefined
  }
}

const wrongRule = (field: string, raw: RawRule, detail: string): Cause => ({
  reason: 'FieldValueInvalid',
  message: `Invalid value: ${shownRule(raw)}: ${detail}`,
  field,
})

function checkProgram(raw: RawRule, program: Program, place: Place, path: string, found: Findings): void {
  if (program.type.kind !== 'bool' && program.type.kind !== 'dyn') {
    found.causes.push(wrongRule(`${path}.rule`, raw, 'cel expression must evaluate to a bool'))
    return
  }
  const isTransition = program.uses('oldSelf')
  if (raw.optionalOldSelf && !isTransition) found.causes.push(uselessOption(path))
  if (isTransition && place.lostIn !== undefined && !raw.optionalOldSelf) {
    const why = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${place.lostIn}`
    found.causes.push(invalidValue(`${path}.rule`, raw.rule, why))
  }
  const broken = brokenConstant(program)
  if (broken !== undefined) {
    found.causes.push(wrongRule(`${path}.rule`, raw, `program instantiation failed: ${broken}`))
    return
  }
  const cost = maxCost(program) * (place.count ?? Math.floor(requestLimit / (minSize(place.schema) + 1)))
  found.costs.push({ path: `${path}.rule`, cost })
  if (cost > ruleLimit)
    found.causes.push(forbiddenField(`${path}.rule`, tooExpensive('estimated rule cost', cost, ruleLimit)))
}

const folded = new Set(['int', 'uint', 'double', 'bool', 'string', 'bytes'])

/** The original works out conversions of constants once, and refuses those that cannot work. */
function brokenConstant(program: Program): string | undefined {
  for (const node of program.types.keys()) {
    if (node.op !== 'call' || !folded.has(node.name) || node.target || node.args[0]?.op !== 'literal') continue
    try {
      program.part(node).run(new Map(), new Budget(ruleLimit))
    } catch (error) {
      return (error as Error).message
    }
  }
  return undefined
}

function checkMessage(raw: RawRule, program: Program, place: Place, path: string, found: Findings): void {
  if (program.type.kind !== 'string' && program.type.kind !== 'dyn') {
    found.causes.push(wrongRule(`${path}.messageExpression`, raw, 'messageExpression must evaluate to a string'))
    return
  }
  const cost = maxCost(program) * (place.count ?? Math.floor(requestLimit / (minSize(place.schema) + 1)))
  found.costs.push({ path: `${path}.messageExpression`, cost })
  if (cost > ruleLimit) {
    const why = tooExpensive('estimated messageExpression cost', cost, ruleLimit)
    found.causes.push(forbiddenField(`${path}.messageExpression`, why))
  }
}

function tooExpensive(what: string, cost: number, limit: number): string {
  const factor = cost / limit
  const times = factor > 100 ? 'more than 100x' : `${factor.toFixed(1)}x`
  return `${what} exceeds budget by factor of ${times} ${advice}`
}

/** The four most expensive ones are named, and the whole. */
function totalCauses({ costs }: Findings, total: number, path: string): Cause[] {
  const worst = [...costs]
    .sort((a, b) => b.cost - a.cost)
    .slice(0, 4)
    .filter(({ cost }) => cost > 0)
  const why = 'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema'
  const all = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema'
  return [
    ...worst.map((one) => forbiddenField(one.path, why)),
    forbiddenField(path, tooExpensive(all, total, schemaLimit)),
  ]
}
