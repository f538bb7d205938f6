import type { AnyObject } from '@binnacle/core'
import { describe, expect, it } from 'vitest'
import { kex } from '../../test/sample.ts'
import type { Patch } from '../declare/patch.ts'
import { changed, isEmptyChange, operations, patchDraft } from './patch.ts'

function written(write: (patch: Patch<AnyObject>) => void) {
  const draft = patchDraft()
  write(draft.patch as Patch<AnyObject>)
  return draft
}

describe('what a handler writes', () => {
  it('is what it assigned, section by section', () => {
    const { take } = written((patch) => {
      patch['status'].greeting = 'hello'
      patch['spec'].size = 3
      patch.metadata.labels['app'] = 'web'
      patch.meta.annotations['note'] = 'x'
      patch['other'] = { a: 1 }
    })
    expect(take()).toEqual({
      merge: {
        status: { greeting: 'hello' },
        spec: { size: 3 },
        metadata: { labels: { app: 'web' }, annotations: { note: 'x' } },
        other: { a: 1 },
      },
      edits: [],
    })
  })

  it('is nothing if it wrote nothing', () => {
    const { patch, take } = patchDraft()
    expect(take()).toEqual({ merge: {}, edits: [] })
    expect(isEmptyChange(take())).toBe(true)
    expect((patch as Patch<AnyObject>).isEmpty).toBe(true)
  })

  it('is something with a single edit', () => {
    const { patch } = written((into) => into.edit(() => {}))
    expect((patch as Patch<AnyObject>).isEmpty).toBe(false)
  })

  it('keeps null, which deletes', () => {
    expect(
      written((patch) => {
        patch['spec'].size = null
      }).take().merge,
    ).toEqual({ spec: { size: null } })
    expect(
      written((patch) => {
        patch['spec'] = null
      }).take().merge,
    ).toEqual({ spec: null })
  })

  it('keeps an empty object inside of a section', () => {
    expect(
      written((patch) => {
        patch['status'].children = {}
      }).take().merge,
    ).toEqual({ status: { children: {} } })
  })

  it('counts deep inside of what was assigned before', () => {
    const { take } = written((patch) => {
      patch['status'].a = { b: 1 }
      patch['status'].a.c = 2
    })
    expect(take().merge).toEqual({ status: { a: { b: 1, c: 2 } } })
  })

  it('is not changed by what is written after it was taken', () => {
    const draft = patchDraft()
    const patch = draft.patch as Patch<AnyObject>
    patch['status'].a = { b: 1 }
    const change = draft.take()
    patch['status'].a.b = 2
    expect(change.merge).toEqual({ status: { a: { b: 1 } } })
  })

  it('merges nested changes, the later over the earlier', () => {
    const { take } = written((patch) => {
      patch.merge({ spec: { a: { x: 1, y: 1 } } })
      patch.merge({ spec: { a: { y: 2 } } })
    })
    expect(take().merge).toEqual({ spec: { a: { x: 1, y: 2 } } })
  })

  it('does not show its means among its sections', () => {
    expect(Object.keys(patchDraft().patch).sort()).toEqual([
      'binaryData',
      'data',
      'metadata',
      'spec',
      'status',
      'stringData',
    ])
  })
})

describe('the object as the change wants it', () => {
  it('has the merge first and then the edits, in order', () => {
    const { take } = written((patch) => {
      patch.edit((draft) => void draft['spec'].list.push(draft['spec'].size))
      patch['spec'].size = 3
      patch.edit((draft) => void draft['spec'].list.push('last'))
    })
    const body = kex({}, { spec: { list: ['first'] } })
    expect(changed(body, take())['spec']).toEqual({ size: 3, list: ['first', 3, 'last'] })
    expect(body['spec']).toEqual({ list: ['first'] })
  })

  it('can be asked for as operations', () => {
    const { patch, take } = written((into) => {
      into['spec'].size = 3
    })
    const body = kex({}, { spec: { size: 1 } })
    const expected = [{ op: 'replace', path: '/spec/size', value: 3 }]
    expect(operations(body, take())).toEqual(expected)
    expect((patch as Patch<AnyObject>).toJSONPatch(body)).toEqual(expected)
  })
})
