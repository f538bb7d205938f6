import { type Harness, harness } from '@binnacle/testing'
import { ABSENT, all, any, none, not, oneOf, operator, PRESENT } from 'binnacle'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  type Call,
  type Cause,
  type Check,
  type Combined,
  type Content,
  FilterModel,
  type ModelHandler,
  VALUE_CALLBACKS,
  type ValueCallback,
  WHOLE_CALLBACKS,
  type WholeCallback,
} from './filter-model.ts'
import { Kex } from './kinds.ts'

/**
 * Random histories of an object × random filters: after each step exactly those handlers were called that a model of 002 names, with the values
 * of the field that it names, and the object carries marks exactly if it is in scope.
 */

const FIELDS: readonly (readonly string[])[] = [
  ['spec', 'a'],
  ['spec', 'b'],
  ['spec', 'b', 'c'],
  ['spec', 'a', 'inside'],
  ['metadata', 'labels', 'tier'],
  ['metadata', 'annotations', 'example.com/note'],
]
const value = fc.constantFrom('x', 'y', '')
const literal: fc.Arbitrary<unknown> = fc.constantFrom('x', 'y', '', 0, 1, { c: 'x' })

const combinedOf = <Name extends string>(names: readonly Name[]): fc.Arbitrary<Combined<Name>> =>
  fc.oneof(
    fc.record({ by: fc.constantFrom('itself' as const, 'not' as const), of: fc.tuple(fc.constantFrom(...names)) }),
    fc.record({
      by: fc.constantFrom('any' as const, 'all' as const, 'none' as const),
      of: fc.subarray([...names], { minLength: 1 }),
    }),
  ) as fc.Arbitrary<Combined<Name>>

const check: fc.Arbitrary<Check> = fc.oneof(
  fc.record({ is: fc.constantFrom('PRESENT' as const, 'ABSENT' as const) }),
  fc.record({ is: fc.constant('literal' as const), value: literal }),
  fc.record({ is: fc.constant('one of' as const), values: fc.array(literal, { maxLength: 3 }) }),
  fc.record({
    is: fc.constant('callback' as const),
    callback: combinedOf(Object.keys(VALUE_CALLBACKS) as ValueCallback[]),
  }),
)
const sometimes = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 })
const checks = (...keys: readonly string[]) =>
  fc.oneof(
    { weight: 2, arbitrary: fc.constant({}) },
    { weight: 1, arbitrary: fc.dictionary(fc.constantFrom(...keys), check, { maxKeys: 2 }) },
  )

const handler: fc.Arbitrary<ModelHandler> = fc
  .record({
    id: fc.constant(''),
    on: fc.constantFrom<Cause>('create', 'update', 'field', 'delete', 'resume'),
    optional: fc.boolean(),
    labels: checks('tier', 'team'),
    annotations: checks('example.com/note'),
    field: sometimes(fc.constantFrom(...FIELDS)),
    value: sometimes(check),
    old: sometimes(check),
    new: sometimes(check),
    when: sometimes(combinedOf(Object.keys(WHOLE_CALLBACKS) as WholeCallback[])),
  })
  .map(consistent)

/** Without what a declaration would refuse. */
function consistent(given: ModelHandler): ModelHandler {
  const { on, labels, annotations, when } = given
  const field = given.field ?? (on === 'field' ? FIELDS[0] : undefined)
  const ofChange = on === 'update' || on === 'field'
  const sides = ofChange && (given.old || given.new) ? { old: given.old, new: given.new } : { value: given.value }
  return {
    id: '',
    on,
    ...(on === 'delete' && { optional: given.optional === true }),
    labels,
    annotations,
    ...(field && { field, ...sides }),
    ...(when && { when }),
  }
}

const edit = fc.array(
  fc.oneof(
    fc.record({ set: fc.constant('a'), to: fc.constantFrom('x', 'y', '', 0, 1, null, { inside: 'x' }) }),
    fc.record({ set: fc.constant('b'), to: fc.constantFrom(null, { c: 'x' }, { c: 'y' }, { d: 1 }) }),
    fc.record({ set: fc.constantFrom('tier', 'team'), to: fc.option(value) }),
    fc.record({ set: fc.constant('example.com/note'), to: fc.option(value) }),
  ),
  { minLength: 1, maxLength: 3 },
)
type Edit = typeof edit extends fc.Arbitrary<infer E> ? E : never
const step = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant('edit' as const), edit }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('edit while it is down' as const), edit }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('delete and make anew' as const), edit }) },
)

function applied(content: Content, edits: Edit): Content {
  const next = {
    spec: { ...content.spec },
    labels: { ...content.labels },
    annotations: { ...content.annotations },
  } as Record<string, Record<string, unknown>>
  for (const { set, to } of edits) {
    const stanza = next[set.includes('/') ? 'annotations' : set.length > 1 ? 'labels' : 'spec'] ?? {}
    if (to === null) delete stanza[set]
    else stanza[set] = to
  }
  return next as unknown as Content
}

const combinations = { any, all, none }
type Callback = (...args: never[]) => boolean

function callbackOf<Name extends string>({ by, of }: Combined<Name>, table: { readonly [name in Name]: Callback }) {
  const [first, ...others] = of.map((name) => table[name])
  if (!first || by === 'itself') return first
  return by === 'not' ? not(first) : combinations[by](first, ...others)
}

function criterionOf(given: Check): unknown {
  switch (given.is) {
    case 'PRESENT':
      return PRESENT
    case 'ABSENT':
      return ABSENT
    case 'literal':
      return given.value
    case 'one of':
      return oneOf(...given.values)
    case 'callback':
      return callbackOf(given.callback, VALUE_CALLBACKS)
  }
}

const criteriaOf = (given: { readonly [key: string]: Check }) =>
  Object.fromEntries(Object.entries(given).map(([key, each]) => [key, criterionOf(each)]))

type Declare = (resource: typeof Kex, options: object, fn: (context: Call) => void) => void

/** The operator that the handlers of the model describe; every call of a handler is noted. */
function declared(handlers: readonly ModelHandler[], calls: Call[]) {
  const op = operator('filters')
  for (const { id, on, optional, labels, annotations, field, value: ofField, old, new: current, when } of handlers) {
    const declare = op.on[on] as unknown as Declare
    const options = {
      id,
      ...(optional && { optional }),
      labels: criteriaOf(labels),
      annotations: criteriaOf(annotations),
      ...(field && { field }),
      ...(ofField && { value: criterionOf(ofField) }),
      ...(old && { old: criterionOf(old) }),
      ...(current && { new: criterionOf(current) }),
      ...(when && { when: callbackOf(when, WHOLE_CALLBACKS) }),
    }
    declare(Kex, options, ({ old: before, current: after }) => {
      calls.push(field && on !== 'delete' ? { id, old: before, current: after } : { id })
    })
  }
  return op
}

const sorted = (calls: readonly Call[]) => calls.map((call) => JSON.stringify(call)).sort()

async function write(t: Harness, content: Content): Promise<void> {
  const { spec, labels, annotations } = content
  await t.cluster.edit(Kex, 'default/a', (draft) => {
    draft.spec = { ...spec }
    draft.metadata.labels = { ...labels }
    const kept = Object.entries(draft.metadata.annotations ?? {}).filter(([key]) => !key.startsWith('example.com/'))
    draft.metadata.annotations = { ...Object.fromEntries(kept), ...annotations }
  })
}

async function make(t: Harness, { spec, labels, annotations }: Content): Promise<void> {
  await t.cluster.create(Kex, { metadata: { name: 'a', namespace: 'default', labels, annotations }, spec })
}

const EMPTY: Content = { spec: {}, labels: {}, annotations: {} }
const OWN = 'filters.binnacle.dev/'

/** Does one step to the object, and gives back what the model expects of it. */
async function take(t: Harness, model: FilterModel, { do: what }: { do: string }, before: Content, now: Content) {
  const expected: Call[] = []
  if (what === 'edit') await write(t, now)
  if (what === 'edit while it is down') {
    await t.stop()
    await write(t, now)
    await t.start()
    model.restarted()
  }
  if (what === 'delete and make anew') {
    await t.cluster.delete(Kex, 'default/a')
    await t.settled()
    expected.push(...model.deleted(before).map((id) => ({ id })))
    await make(t, now)
  }
  await t.settled()
  return [...expected, ...model.sees(now)]
}

it('handlers are called exactly where a model of the document says, whatever the filters and the history', async () => {
  const handlers = fc
    .array(handler, { minLength: 1, maxLength: 6 })
    .map((list) => list.map((each, at) => ({ ...each, id: `h${at}` })))
  const property = fc.asyncProperty(handlers, edit, fc.array(step, { maxLength: 8 }), async (given, first, steps) => {
    const calls: Call[] = []
    const model = new FilterModel(given)
    await using t = await harness(declared(given, calls), { resources: [Kex] })
    let content = applied(EMPTY, first)
    await make(t, content)
    await t.settled()
    expect(sorted(calls)).toEqual(sorted(model.sees(content)))
    for (const each of steps) {
      calls.length = 0
      const before = content
      content = applied(before, each.edit)
      const expected = await take(t, model, each, before, content)
      expect(sorted(calls), each.do).toEqual(sorted(expected))
      const { metadata } = await t.cluster.get(Kex, 'default/a')
      expect(Object.keys(metadata.annotations ?? {}).filter((key) => key.startsWith(OWN))).toHaveLength(
        model.marked ? 1 : 0,
      )
      expect(metadata.finalizers ?? []).toHaveLength(model.holds(content) ? 1 : 0)
    }
  })
  await fc.assert(property, { numRuns: 150 })
}, 120_000)
