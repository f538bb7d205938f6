import { harness } from '@binnacle/testing'
import { ABSENT, all, any, none, not, type Operator, operator, PRESENT } from 'binnacle'
import { describe, expect, it } from 'vitest'
import { Kex } from './kinds.ts'

/** Document 002, section by section: each snippet as an operator, and the objects that pass its filters, and those that do not. */

interface Given {
  readonly name?: string
  readonly labels?: { readonly [label: string]: string }
  readonly annotations?: { readonly [annotation: string]: string }
  readonly spec?: object
}

// biome-ignore lint/suspicious/noExplicitAny: an operator of whichever environment
type AnyOperator = Operator<any>
const made = ({ name = 'a', labels, annotations, spec = {} }: Given) => ({
  metadata: { name, namespace: 'default', ...(labels && { labels }), ...(annotations && { annotations }) },
  spec,
})

/** Which handlers are called when an object is created so. */
async function created(op: AnyOperator, given: Given): Promise<readonly string[]> {
  await using t = await harness(op, { resources: [Kex] })
  await t.cluster.create(Kex, made(given))
  await t.settled()
  return t.runs.map(({ handler }) => handler)
}

/** Which handlers are called when the specification of an object changes so. */
async function changed(op: AnyOperator, before: object, after: object): Promise<readonly string[]> {
  await using t = await harness(op, { resources: [Kex] })
  await t.cluster.create(Kex, made({ spec: before }))
  await t.settled()
  const known = t.runs.length
  await t.cluster.edit(Kex, 'a', (draft) => {
    draft.spec = after
  })
  await t.settled()
  return t.runs.slice(known).map(({ handler }) => handler)
}

const some = (value: string): Given => ({ labels: { 'some-label': value }, annotations: { 'some-annotation': value } })

describe('Metadata filters', () => {
  const with_ = (check: string | typeof PRESENT | typeof ABSENT) => {
    const op = operator('filters')
    op.on.create(
      Kex,
      { labels: { 'some-label': check }, annotations: { 'some-annotation': check } },
      function myHandler() {},
    )
    return op
  }

  it('match when label and annotation have a specific value', async () => {
    expect(await created(with_('somevalue'), some('somevalue'))).toEqual(['myHandler'])
    expect(await created(with_('somevalue'), some('other'))).toEqual([])
    expect(await created(with_('somevalue'), {})).toEqual([])
  })

  it('are joined with AND', async () => {
    expect(await created(with_('somevalue'), { labels: { 'some-label': 'somevalue' } })).toEqual([])
    expect(await created(with_('somevalue'), { annotations: { 'some-annotation': 'somevalue' } })).toEqual([])
  })

  it('match when label and annotation are there with any value', async () => {
    expect(await created(with_(PRESENT), some('whatever'))).toEqual(['myHandler'])
    expect(await created(with_(PRESENT), {})).toEqual([])
  })

  it('match when there is no label or annotation of that name', async () => {
    expect(await created(with_(ABSENT), {})).toEqual(['myHandler'])
    expect(await created(with_(ABSENT), some('x'))).toEqual([])
  })

  it('take empty strings for regular values', async () => {
    expect(await created(with_(PRESENT), some(''))).toEqual(['myHandler'])
    expect(await created(with_(ABSENT), some(''))).toEqual([])
    expect(await created(with_(''), some(''))).toEqual(['myHandler'])
    expect(await created(with_(''), {})).toEqual([])
  })
})

describe('Field filters', () => {
  const op = () => {
    const filtered = operator('filters')
    filtered.on.create(Kex, { field: 'spec.field', value: 'world' }, function createdWithWorldInField() {})
    filtered.on.create(Kex, { field: 'spec.field', value: PRESENT }, function createdWithField() {})
    filtered.on.create(Kex, { field: 'spec.no-field', value: ABSENT }, function createdWithoutField() {})
    return filtered
  }

  it('check specific values, presence and absence', async () => {
    expect(await created(op(), { spec: { field: 'world' } })).toEqual([
      'createdWithWorldInField/spec.field',
      'createdWithField/spec.field',
      'createdWithoutField/spec.no-field',
    ])
    expect(await created(op(), { spec: { field: 'x', 'no-field': 1 } })).toEqual(['createdWithField/spec.field'])
    expect(await created(op(), {})).toEqual(['createdWithoutField/spec.no-field'])
  })

  it('mean PRESENT where only the field is given; for updates: before or after the change', async () => {
    const present = operator('filters')
    present.on.create(Kex, { field: 'spec.field' }, function createdWithField() {})
    present.on.update(Kex, { field: 'spec.field' }, function fieldIsAffected() {})
    expect(await created(present, { spec: { field: 1 } })).toEqual(['createdWithField/spec.field'])
    expect(await created(present, { spec: {} })).toEqual([])
    const affected = ['fieldIsAffected/spec.field']
    expect(await changed(present, { field: 1 }, { field: 2 })).toEqual(affected)
    expect(await changed(present, { field: 1 }, {})).toEqual(affected)
    expect(await changed(present, {}, { field: 1 })).toEqual(affected)
  })

  it('call one function for each of its fields, with the values and the param of that field', async () => {
    const seen: unknown[] = []
    const oneOfTheFieldsIsAffected = (context: { old: unknown; current: unknown; param: unknown }) =>
      void seen.push([context.param, context.old, context.current])
    const two = operator('filters')
    two.on.update(Kex, { field: 'spec.field', param: 'fld' }, oneOfTheFieldsIsAffected)
    two.on.update(Kex, { field: 'spec.items', param: 'itm' }, oneOfTheFieldsIsAffected)
    const called = await changed(two, { field: 1, items: [1] }, { field: 2, items: [1, 2] })
    expect(called).toEqual(['oneOfTheFieldsIsAffected/spec.field', 'oneOfTheFieldsIsAffected/spec.items'])
    expect(seen).toEqual([
      ['fld', 1, 2],
      ['itm', [1], [1, 2]],
    ])
    expect(await changed(two, { field: 1, items: [1] }, { field: 2, items: [1] })).toHaveLength(1)
  })

  it('do not tell causes apart: resume and create with one field call a function once', async () => {
    const both = operator('filters')
    const once = () => {}
    both.on.resume(Kex, { field: 'spec.field' }, once)
    both.on.create(Kex, { field: 'spec.field' }, once)
    await using t = await harness(both, { resources: [Kex], start: false })
    await t.cluster.create(Kex, made({ spec: { field: 1 } }))
    await t.start()
    await t.settled()
    expect(t.runs.map(({ handler }) => handler)).toEqual(['once/spec.field'])
  })

  it('do not call update handlers when something else is changed, even if the field matches', async () => {
    const update = operator('filters')
    update.on.update(Kex, { field: 'spec.field', value: 'x' }, function fieldIsAffected() {})
    expect(await changed(update, { field: 'x' }, { field: 'x', other: 1 })).toEqual([])
  })

  it('apply `value` to the old or the new value of an update', async () => {
    const update = operator('filters')
    update.on.create(Kex, function inScope() {})
    update.on.update(Kex, { field: 'spec.field', value: 'x' }, function touched() {})
    expect(await changed(update, { field: 'x' }, { field: 'y' })).toEqual(['touched/spec.field'])
    expect(await changed(update, { field: 'y' }, { field: 'x' })).toEqual(['touched/spec.field'])
    expect(await changed(update, { field: 'y' }, { field: 'z' })).toEqual([])
  })

  it('react to unrelated changes with `when` instead', async () => {
    const update = operator('filters')
    update.on.update(Kex, { when: ({ spec }) => spec.field === 'x' }, function whileX() {})
    expect(await changed(update, { field: 'x' }, { field: 'x', other: 1 })).toEqual(['whileX'])
  })

  it('check the only state for all other handlers, which run for as long as it matches', async () => {
    const state = operator('filters')
    state.on.delete(Kex, { field: 'spec.field', value: 'x' }, function deleted() {})
    state.daemon(Kex, { field: 'spec.field', value: 'x' }, async ({ stopped }) => {
      await stopped.wait()
    })
    await using t = await harness(state, { resources: [Kex] })
    await t.cluster.create(Kex, made({ spec: { field: 'x' } }))
    await t.settled().catch(() => {})
    expect(t.health().background.running).toBe(1)
    await t.cluster.patch(Kex, 'a', { spec: { field: 'y' } })
    await t.advance('1s')
    expect(t.health().background.running).toBe(0)
    await t.cluster.delete(Kex, 'a')
    await t.advance('1s')
    expect(t.runs.of('deleted/spec.field')).toHaveLength(0)
  })
})

describe('Change filters', () => {
  const op = () => {
    const filtered = operator('filters')
    filtered.on.update(Kex, { field: 'spec.field', old: 'x', new: 'y' }, function fieldIsEdited() {})
    filtered.on.update(Kex, { field: 'spec.field', old: ABSENT, new: PRESENT }, function fieldIsAdded() {})
    filtered.on.update(Kex, { field: 'spec.field', old: PRESENT, new: ABSENT }, function fieldIsRemoved() {})
    return filtered
  }

  it('check the old and the new value separately', async () => {
    expect(await changed(op(), { field: 'x' }, { field: 'y' })).toEqual(['fieldIsEdited/spec.field'])
    expect(await changed(op(), { field: 'y' }, { field: 'x' })).toEqual([])
    expect(await changed(op(), {}, { field: 'x' })).toEqual(['fieldIsAdded/spec.field'])
    expect(await changed(op(), { field: 'x' }, {})).toEqual(['fieldIsRemoved/spec.field'])
  })

  it('do not check a side that is not specified', async () => {
    const hello = operator('filters')
    hello.on.update(Kex, { field: 'spec.field', new: 'world' }, function helloWorld() {})
    hello.on.update(Kex, { field: 'spec.field', old: 'world' }, function goodbyeWorld() {})
    expect(await changed(hello, { field: 'x' }, { field: 'world' })).toEqual(['helloWorld/spec.field'])
    expect(await changed(hello, {}, { field: 'world' })).toEqual(['helloWorld/spec.field'])
    expect(await changed(hello, { field: 'world' }, { field: 'x' })).toEqual(['goodbyeWorld/spec.field'])
    expect(await changed(hello, { field: 'world' }, {})).toEqual(['goodbyeWorld/spec.field'])
  })

  it('do not call anybody when the value remains the same', async () => {
    const same = operator('filters')
    same.on.update(Kex, { field: 'spec.field', old: 'x' }, function left() {})
    same.on.update(Kex, { field: 'spec.field', new: 'x' }, function reached() {})
    expect(await changed(same, { field: 'x' }, { field: 'x', other: 1 })).toEqual([])
  })

  it('apply to field handlers as well, which also run at creation', async () => {
    const field = operator('filters')
    field.on.field(
      Kex,
      { field: 'spec.replicas', new: (replicas) => Number(replicas ?? 0) > 3 },
      function scaledUp() {},
    )
    expect(await created(field, { spec: { replicas: 4 } })).toEqual(['scaledUp/spec.replicas'])
    expect(await changed(field, { replicas: 2 }, { replicas: 5 })).toEqual(['scaledUp/spec.replicas'])
    expect(await changed(field, { replicas: 5 }, { replicas: 2 })).toEqual([])
  })

  it('cannot be used together with `value`', () => {
    const options = { field: 'spec.field', value: 'x', old: 'y' } as object
    const declare = () => operator('filters').on.update(Kex, options, function ambiguous() {})
    expect(declare).toThrow('has `value` together with `old` or `new`')
  })
})

describe('Value callbacks', () => {
  it('receive the value, and the view of the handler; undefined where the value is absent', async () => {
    const seen: unknown[] = []
    const checkValue = (value: string | undefined, { spec }: { readonly spec: { readonly field?: string } }) => {
      seen.push(value)
      return value === 'some-value' && spec.field !== undefined
    }
    const op = operator('filters')
    op.on.create(
      Kex,
      { labels: { 'some-label': checkValue }, annotations: { 'some-annotation': checkValue } },
      function myHandler() {},
    )
    expect(await created(op, { ...some('some-value'), spec: { field: 'x' } })).toEqual(['myHandler'])
    expect(await created(op, some('some-value'))).toEqual([])
    seen.length = 0
    expect(await created(op, {})).toEqual([])
    expect(new Set(seen)).toEqual(new Set([undefined]))
  })

  it('receive undefined for an absent field too', async () => {
    const op = operator('filters')
    op.on.create(Kex, { field: 'spec.field', value: (value) => value === undefined }, function withoutField() {})
    expect(await created(op, {})).toEqual(['withoutField/spec.field'])
    expect(await created(op, { spec: { field: 1 } })).toEqual([])
  })
})

describe('Callback filters', () => {
  it('look at the whole object, named or inline', async () => {
    interface Listed {
      readonly spec: { readonly field?: string; readonly items?: readonly string[] }
    }
    const isGoodEnough = ({ spec }: Listed) => spec.items?.includes(spec.field ?? '') === true
    const op = operator('filters')
    op.on.create(Kex, { when: isGoodEnough }, function myHandler() {})
    op.on.create(Kex, { when: ({ spec }) => spec.items?.includes(spec.field) === true }, function inline() {})
    expect(await created(op, { spec: { field: 'x', items: ['x'] } })).toEqual(['myHandler', 'inline'])
    expect(await created(op, { spec: { field: 'x', items: ['y'] } })).toEqual([])
  })

  it('may look at anything else in the context: the reason, remembered values', async () => {
    const op = operator('filters', { memo: () => ({ calls: 0 }) })
    op.on.create(Kex, { when: ({ reason }) => reason === 'create' }, function first({ memo }) {
      memo.calls++
    })
    op.on.update(Kex, { when: ({ memo }) => memo.calls === 1 }, function second({ memo }) {
      memo.calls++
    })
    await using t = await harness(op, { resources: [Kex] })
    await t.cluster.create(Kex, made({ spec: { n: 1 } }))
    for (const n of [2, 3]) {
      await t.settled()
      await t.cluster.patch(Kex, 'a', { spec: { n } })
    }
    await t.settled()
    expect(t.runs.map(({ handler }) => handler)).toEqual(['first', 'second'])
  })
})

describe('Callback helpers', () => {
  const wholeFn1 = ({ name }: { readonly name: string }) => name.startsWith('kopf-')
  const wholeFn2 = ({ spec }: { readonly spec: { readonly field?: string } }) => spec.field === 'value'
  const valueFn1 = (value: string | undefined) => value?.startsWith('some') === true
  const valueFn2 = (value: string | undefined) => value?.endsWith('label') === true
  const op = () => {
    const filtered = operator('filters')
    filtered.on.create(
      Kex,
      { when: all(wholeFn1, wholeFn2), labels: { somelabel: all(valueFn1, valueFn2) } },
      function createFn1() {},
    )
    filtered.on.create(
      Kex,
      { when: any(wholeFn1, wholeFn2), labels: { somelabel: any(valueFn1, valueFn2) } },
      function createFn2() {},
    )
    filtered.on.create(Kex, { when: not(wholeFn1) }, function createFn3() {})
    filtered.on.create(Kex, { when: none(wholeFn1, wholeFn2) }, function createFn4() {})
    return filtered
  }

  it('combine several callbacks into one', async () => {
    const object = (name: string, field: string, somelabel: string) => ({
      name,
      labels: { somelabel },
      spec: { field },
    })
    expect(await created(op(), object('kopf-1', 'value', 'somelabel'))).toEqual(['createFn1', 'createFn2'])
    expect(await created(op(), object('kopf-1', 'x', 'something'))).toEqual(['createFn2'])
    expect(await created(op(), object('other', 'value', 'a-label'))).toEqual(['createFn2', 'createFn3'])
    expect(await created(op(), object('other', 'x', 'somelabel'))).toEqual(['createFn3', 'createFn4'])
  })
})

describe('Stealth mode', () => {
  const labelled = () => {
    const op = operator('filters')
    op.on.create(Kex, { labels: { managed: 'yes' } }, function appeared() {})
    op.on.update(Kex, { labels: { managed: 'yes' } }, function updated() {})
    return op
  }

  it('leaves an object that matches nobody without annotations and without lines in the log', async () => {
    await using t = await harness(labelled(), { resources: [Kex] })
    await t.cluster.create(Kex, made({}))
    await t.settled()
    await t.cluster.patch(Kex, 'a', { spec: { field: 1 } })
    await t.settled()
    const { metadata } = await t.cluster.get(Kex, 'a')
    expect(metadata.annotations).toBeUndefined()
    t.expect.quiet()
    expect(t.logs.filter(({ fields }) => JSON.stringify(fields).includes('"a"'))).toEqual([])
  })

  it('takes an object that comes to match for a new one', async () => {
    await using t = await harness(labelled(), { resources: [Kex] })
    await t.cluster.create(Kex, made({}))
    await t.settled()
    await t.cluster.patch(Kex, 'a', { metadata: { labels: { managed: 'yes' } } })
    await t.settled()
    expect(t.runs.map(({ handler }) => handler)).toEqual(['appeared'])
  })

  it('is switched off by a dummy handler without filters: then the change is an update', async () => {
    const op = labelled()
    op.on.field(Kex, { field: 'spec.nonexistent' }, function keepInScope() {})
    await using t = await harness(op, { resources: [Kex] })
    await t.cluster.create(Kex, made({}))
    await t.settled()
    expect((await t.cluster.get(Kex, 'a')).metadata.annotations).toBeDefined()
    await t.cluster.patch(Kex, 'a', { metadata: { labels: { managed: 'yes' } } })
    await t.settled()
    expect(t.runs.map(({ handler }) => handler)).toEqual(['updated'])
  })
})

it('filters are there for resuming, creation, deletion, updating, watching, timers, daemons and sub-handlers', async () => {
  const op = operator('filters')
  const yes = { labels: { app: 'yes' } }
  const no = { labels: { app: 'no' } }
  for (const [word, filter] of [
    ['yes', yes],
    ['no', no],
  ] as const) {
    op.on.create(Kex, { id: `create-${word}`, ...filter }, () => {})
    op.on.resume(Kex, { id: `resume-${word}`, ...filter }, () => {})
    op.on.update(Kex, { id: `update-${word}`, ...filter }, ({ step }) => {
      void step('yes', yes, () => {})
      void step('no', no, () => {})
    })
    op.on.delete(Kex, { id: `delete-${word}`, ...filter }, () => {})
    op.on.event(Kex, { id: `event-${word}`, ...filter }, () => {})
    op.timer(Kex, { id: `timer-${word}`, interval: '1h', ...filter }, () => {})
    op.daemon(Kex, { id: `daemon-${word}`, ...filter }, () => {})
  }
  await using t = await harness(op, { resources: [Kex] })
  await t.cluster.create(Kex, made({ labels: { app: 'yes' }, spec: { n: 1 } }))
  await t.settled()
  await t.restart()
  await t.settled()
  await t.cluster.patch(Kex, 'a', { spec: { n: 2 } })
  await t.settled()
  await t.cluster.delete(Kex, 'a')
  await t.advance('1s')
  expect([...new Set(t.runs.map(({ handler }) => handler))].sort()).toEqual([
    'create-yes',
    'daemon-yes',
    'delete-yes',
    'event-yes',
    'resume-yes',
    'timer-yes',
    'update-yes',
    'update-yes/yes',
  ])
})
