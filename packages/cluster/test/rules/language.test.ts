/**
 * The language of rules, expression by expression, beside what a kube-apiserver 1.36 answered: accepted and true, accepted and
 * false, accepted and failing, or refused, with the words of each.
 */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { checkSchema } from '../../src/schema/check.ts'
import { judgeRules } from '../../src/schema/rules.ts'
import { parseSchema } from '../../src/schema/structural.ts'
import type { Any } from '../api.ts'

const recorded = JSON.parse(readFileSync(new URL('recorded.json', import.meta.url), 'utf8'))

const schemaWith = (rule: string): Any => ({
  type: 'object',
  properties: {
    spec: { type: 'object', properties: recorded.schema, 'x-kubernetes-validations': [{ rule, message: 'm' }] },
  },
})

function outcome(rule: string) {
  const schema = schemaWith(rule)
  const causes = checkSchema(schema, 'schema')
  if (causes.length > 0)
    return { rule, refused: causes.map(({ field = '', message }) => [shortField(field), plain(message)]) }
  const [cause] = judgeRules({ spec: recorded.sample }, parseSchema(schema), undefined).causes
  return {
    rule,
    result: cause === undefined ? true : cause.message === 'Invalid value: m' ? false : failure(cause.message),
  }
}

const shortField = (field: string) => field.replace('schema.properties[spec].x-kubernetes-validations[0].', '')
const plain = (message: string) => message.replace(/Invalid value: \{"Rule".*?"OptionalOldSelf":null\}: /s, '')
const failure = (message: string) =>
  message.replace('Invalid value: "object": ', '').replace(/( evaluating rule: m| for rule: m)$/, '')

describe('the language of rules', () => {
  it('accepts, refuses and answers every recorded expression as the original does', () => {
    const ours = recorded.table.map(({ rule }: { rule: string }) => outcome(rule))
    expect(ours).toEqual(recorded.table)
  })
})
