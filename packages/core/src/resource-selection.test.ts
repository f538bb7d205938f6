import { describe, expect, expectTypeOf, it } from 'vitest'
import type { AnyObject } from './object.ts'
import { type ObjectOf, type ResourceInfo, resource } from './resource.ts'
import { resourcesNamed } from './resource-name.ts'
import { describeResource, isSpecific, selectResources } from './resource-selection.ts'
import { EVERYTHING, isSelector, type ResourceLikes, selector } from './resource-selector.ts'

const info = (group: string, kind: string, more: Partial<ResourceInfo> = {}): ResourceInfo => ({
  ...resource({ group, version: 'v1', kind }),
  preferred: true,
  namespaced: true,
  verbs: [],
  subresources: [],
  ...more,
})
const pods = info('', 'Pod', { shortNames: ['po'], categories: ['all'] })
const metrics = info('metrics.k8s.io', 'PodMetrics', { plural: 'pods', singular: 'pod' })
const widgets = info('a.example.com', 'Widget', { shortNames: ['w'], categories: ['all', 'mine'] })
const beta = info('a.example.com', 'Widget', {
  version: 'v1beta1',
  apiVersion: 'a.example.com/v1beta1',
  preferred: false,
})
const others = info('b.example.com', 'Widget', { shortNames: ['w'] })
const events = info('', 'Event')
const newEvents = info('events.k8s.io', 'Event')
const all = [pods, metrics, widgets, beta, others, events, newEvents]
const found = (of: ResourceLikes) =>
  selectResources(of, all).resources.map(({ plural, group, version }) => `${plural}.${version}.${group}`)
const ambiguous = (of: ResourceLikes) => selectResources(of, all).ambiguous.map(({ group }) => group)

describe('a name', () => {
  it.each([
    ['pods', 'pods.v1.'],
    ['Pod', 'pods.v1.'],
    ['po', 'pods.v1.'],
    ['pods.metrics.k8s.io', 'pods.v1.metrics.k8s.io'],
    ['widgets.a.example.com', 'widgets.v1.a.example.com'],
    ['widgets.v1beta1.a.example.com', 'widgets.v1beta1.a.example.com'],
    ['a.example.com/v1beta1/widgets', 'widgets.v1beta1.a.example.com'],
    ['events', 'events.v1.'],
  ])('%s is one resource: that of the core group, or the only one', (name, expected) => {
    expect(found(name)).toEqual([expected])
  })

  it('that several groups have is ambiguous, and none', () => {
    for (const name of ['widgets', 'Widget', 'w']) {
      expect([found(name), ambiguous(name)]).toEqual([[], ['a.example.com', 'b.example.com']])
    }
    expect(resourcesNamed('widgets', all)).toHaveLength(2)
  })

  it('that cannot be one is refused', () => {
    expect(() => resourcesNamed('a/b/c/d', all)).toThrow('"a/b/c/d" is not the name of a resource')
  })
})

describe('a selector', () => {
  it.each([
    [selector({ kind: 'Pod' }), ['pods.v1.']],
    [selector({ plural: 'pods' }), ['pods.v1.']],
    [selector({ singular: 'pod' }), ['pods.v1.']],
    [selector({ shortcut: 'po' }), ['pods.v1.']],
    [selector({ group: 'b.example.com', shortcut: 'w' }), ['widgets.v1.b.example.com']],
    [selector({ kind: 'Widget', version: 'v1beta1' }), ['widgets.v1beta1.a.example.com']],
    [selector({ plural: 'pods', group: 'metrics.k8s.io' }), ['pods.v1.metrics.k8s.io']],
    [selector({ category: 'all' }), ['pods.v1.', 'widgets.v1.a.example.com']],
    [selector({ group: '' }), ['pods.v1.']],
    [selector(({ group }) => group.endsWith('.com')), ['widgets.v1.a.example.com', 'widgets.v1.b.example.com']],
    [selector({ category: 'all' }, ({ group }) => group !== ''), ['widgets.v1.a.example.com']],
    [selector({ group: '', plural: 'events' }), ['events.v1.']],
    [selector({ kind: 'Nothing' }), []],
    [EVERYTHING, ['pods.v1.', 'pods.v1.metrics.k8s.io', 'widgets.v1.a.example.com', 'widgets.v1.b.example.com']],
  ])('takes what it says, each in its preferred version (%#)', (of, expected) => {
    expect(found(of)).toEqual(expected)
  })

  it('that names a kind is meant to be about one', () => {
    expect([selector({ kind: 'Widget' }), 'pods', pods].map(isSpecific)).toEqual([true, true, true])
    expect([selector({ category: 'all' }), selector(() => true), EVERYTHING].map(isSpecific)).toEqual([
      false,
      false,
      false,
    ])
    expect(ambiguous(selector({ kind: 'Widget' }))).toEqual(['a.example.com', 'b.example.com'])
  })

  it('says what it is', () => {
    const isMine = () => true
    expect(
      [EVERYTHING, selector({ category: 'all', group: '' }), selector(isMine), selector({ kind: 'A' }, () => true)].map(
        describeResource,
      ),
    ).toEqual(['everything', 'category all, group ""', 'chosen by isMine', 'kind A, chosen by a function'])
    expect([isSelector(EVERYTHING), isSelector(pods), isSelector('pods')]).toEqual([true, false, false])
  })

  it.each([
    [{}, 'A selector without criteria says nothing'],
    [{ kind: '' }, 'The kind of a selector is ""'],
    [{ knid: 'Pod' }, 'There is no criterion "knid"'],
  ])('is refused if it says nothing: %j', (criteria, message) => {
    expect(() => selector(criteria as never)).toThrow(message)
  })

  it('is about loose objects', () => {
    expectTypeOf<ObjectOf<typeof EVERYTHING>>().toEqualTypeOf<AnyObject>()
    // @ts-expect-error 'knid' does not exist in type 'SelectorCriteria'
    expect(() => selector({ knid: 'Pod' })).toThrow()
  })
})
