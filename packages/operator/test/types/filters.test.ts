import { ABSENT, all, any, none, not, oneOf, operator, PRESENT } from 'binnacle'
import { expect, it } from 'vitest'
import { Kex } from './kex.ts'

// Specification 002, filtering: the examples of it, section by section, as they are written.

const op = operator('filters')

// 002 "Metadata filters": a value, any value, no value.
op.on.create(
  Kex,
  { id: 'with-value', labels: { 'some-label': 'somevalue' }, annotations: { 'some-annotation': 'somevalue' } },
  ({ spec }) => {
    void spec
  },
)
op.on.create(
  Kex,
  { id: 'with-any', labels: { 'some-label': PRESENT }, annotations: { 'some-annotation': PRESENT } },
  ({ spec }) => {
    void spec
  },
)
op.on.create(
  Kex,
  { id: 'without', labels: { 'some-label': ABSENT }, annotations: { 'some-annotation': ABSENT } },
  ({ spec }) => {
    void spec
  },
)

// 002 "Field filters": the path is completed and checked against the schema, and the value against the field's type.
op.on.create(Kex, { field: 'spec.field', value: 'world' }, function createdWithWorldInField() {})
op.on.create(Kex, { field: 'spec.field', value: PRESENT }, function createdWithField() {})
op.on.create('kopfexamples', { field: 'spec.no-field', value: ABSENT }, function createdWithoutField() {})

// 002 "Field filters": `field` alone asks for presence; on updates for a change of it.
op.on.create(Kex, { field: 'spec.field' }, function createdWithSomeField() {})
op.on.update(Kex, { field: 'spec.field' }, function fieldIsAffected({ old, current }) {
  const before: string | undefined = old
  const after: string | undefined = current
  void [before, after]
})

// 002 "Field filters": one function for several fields; ids are `oneOfTheFieldsIsAffected/spec.field` and `…/spec.items`.
const oneOfTheFieldsIsAffected = ({
  old,
  current,
  param,
}: {
  readonly old: unknown
  readonly current: unknown
  readonly param: string
}) => void [old, current, param]
op.on.update(Kex, { field: 'spec.field', param: 'fld' }, oneOfTheFieldsIsAffected)
op.on.update(Kex, { field: 'spec.items', param: 'itm' }, oneOfTheFieldsIsAffected)

// 002 "Change filters": each side by itself.
op.on.update(Kex, { field: 'spec.field', old: 'x', new: 'y' }, function fieldIsEdited() {})
op.on.update(Kex, { field: 'spec.field', old: ABSENT, new: PRESENT }, function fieldIsAdded() {})
op.on.update(Kex, { field: 'spec.field', old: PRESENT, new: ABSENT }, function fieldIsRemoved() {})
op.on.update(Kex, { field: 'spec.field', new: 'world' }, function helloWorld() {})
op.on.update(Kex, { field: 'spec.field', old: 'world' }, function goodbyeWorld() {})

// Keys that contain dots are given one by one.
op.on.update(Kex, { field: ['metadata', 'annotations', 'example.com/size'], new: 'large' }, function enlarged() {})

// 002 "Value callbacks": the value first (undefined when absent), then the handler's view.
op.on.create(
  Kex,
  {
    id: 'value-callbacks',
    labels: { 'some-label': (value, { spec }) => value === 'some-value' && spec.field !== undefined },
    annotations: { 'some-annotation': (value, { spec }) => value === 'some-value' && spec.field !== undefined },
  },
  ({ spec }) => void spec,
)

// 002 "Callback filters": named or inline.
const isGoodEnough = ({
  spec,
}: {
  readonly spec: { readonly field?: string | undefined; readonly items: readonly string[] }
}) => spec.field !== undefined && spec.items.includes(spec.field)
op.on.create(Kex, { id: 'good-enough', when: isGoodEnough }, ({ spec }) => void spec)
op.on.create(
  Kex,
  { id: 'good-enough-inline', when: ({ spec }) => spec.items.includes(spec.field ?? '') },
  ({ spec }) => void spec,
)

// 002 "Callback helpers".
const wholeFn1 = ({ name }: { readonly name: string }) => name.startsWith('kopf-')
const wholeFn2 = ({ spec }: { readonly spec: { readonly field?: string | undefined } }) => spec.field === 'value'
const valueFn1 = (value: string | undefined) => value?.startsWith('some') === true
const valueFn2 = (value: string | undefined) => value?.endsWith('label') === true
op.on.create(
  Kex,
  { when: all(wholeFn1, wholeFn2), labels: { somelabel: all(valueFn1, valueFn2) } },
  function createFn1() {},
)
op.on.create(
  Kex,
  { when: any(wholeFn1, wholeFn2), labels: { somelabel: any(valueFn1, valueFn2) } },
  function createFn2() {},
)
op.on.create(
  Kex,
  { when: none(wholeFn1, not(wholeFn2)), labels: { somelabel: not(valueFn1) } },
  function createFn3() {},
)
op.on.create(
  Kex,
  {
    when: all(
      ({ spec }) => spec.replicas > 1,
      not(({ name }) => name === 'x'),
    ),
    labels: { tier: oneOf('web', 'db') },
  },
  function createFn4() {},
)

// 002 "Stealth mode": a handler that never runs keeps all objects in scope.
op.on.update('kopfexamples', { field: 'spec.nonexistent' }, function keepInScope() {})

it('accepts every example of the specification', () => {
  expect(op.describe().handlers.map(({ id }) => id)).toEqual([
    'with-value',
    'with-any',
    'without',
    'createdWithWorldInField/spec.field',
    'createdWithField/spec.field',
    'createdWithoutField/spec.no-field',
    'createdWithSomeField/spec.field',
    'fieldIsAffected/spec.field',
    'oneOfTheFieldsIsAffected/spec.field',
    'oneOfTheFieldsIsAffected/spec.items',
    'fieldIsEdited/spec.field',
    'fieldIsAdded/spec.field',
    'fieldIsRemoved/spec.field',
    'helloWorld/spec.field',
    'goodbyeWorld/spec.field',
    'enlarged/metadata.annotations.example.com/size',
    'value-callbacks',
    'good-enough',
    'good-enough-inline',
    'createFn1',
    'createFn2',
    'createFn3',
    'createFn4',
    'keepInScope/spec.nonexistent',
  ])
})
