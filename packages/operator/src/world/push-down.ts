import { formatSelector, type Requirement } from '@binnacle/core'
import { ABSENT, type OneOf, PRESENT } from '../declare/filters.ts'
import type { Criterion, HandlerFilters } from '../declare/handler.ts'
import type { ServedKind } from '../declare/served-kind.ts'

/** What the server is asked to leave out. At least one of both. */
export interface ServerFilter {
  readonly labels?: string
  readonly fields?: string
}

const LABEL_KEY = /^([a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?\/)?[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/
const LABEL_VALUE = /^([A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?)?$/
const FIELD_VALUE = /^[A-Za-z0-9._:/-]+$/

/** They stay as they are for as long as an object lives, so that no object ever leaves a watch by them. */
const UNCHANGING: readonly string[] = ['metadata.name', 'metadata.namespace']

/** Fields of built-in kinds that every supported server can select by. */
const BUILT_IN: { readonly [kind: string]: readonly string[] } = {
  pods: ['spec.nodeName', 'spec.restartPolicy', 'spec.schedulerName', 'spec.serviceAccountName', 'status.phase'],
  secrets: ['type'],
  namespaces: ['status.phase'],
}

/**
 * One selector that covers every handler and every index of the kind, so that the server can leave out what nobody wants; undefined if
 * there is none. Pure.
 * Guarantees: no object that any declaration of the kind wants is left out. What is left out is only what may be left out unseen: an object
 * that leaves such a watch looks deleted, so labels and fields that can change are used only where a deletion means nothing to anybody
 * (indices, and handlers of creation and change), and no more than what never changes where it does.
 */
export function serverFilter(kind: ServedKind, selectable: readonly string[]): ServerFilter | undefined {
  const declared = [...kind.handlers, ...kind.events, ...kind.background, ...kind.indices].map(({ filters }) => filters)
  if (declared.length === 0) return undefined
  const labels = leavesUnseen(kind) ? formatSelector(labelRequirements(declared)) : ''
  const fields = fieldRequirement(kind, declared, selectable) ?? ''
  if (labels === '' && fields === '') return undefined
  return { ...(labels !== '' && { labels }), ...(fields !== '' && { fields }) }
}

/** Whether objects of ours may carry a mark that has to be taken off them even if no handler wants them any more. */
export function mayBeHeld({ handlers, background }: ServedKind): boolean {
  return handlers.length > 0 || background.length > 0
}

function leavesUnseen({ handlers, events, background }: ServedKind): boolean {
  const quiet = handlers.every(({ reason }) => reason === 'create' || reason === 'update' || reason === 'field')
  return quiet && events.length === 0 && background.length === 0
}

/** For each label that every declaration has something to say about, what all of them can live with. */
function labelRequirements(declared: readonly HandlerFilters[]): readonly Requirement[] {
  const [first, ...others] = declared.map(({ labels }) => new Map(labels))
  return [...(first?.keys() ?? [])].flatMap((key) => {
    if (!LABEL_KEY.test(key)) return []
    const needs = [first, ...others].map((labels) => (labels?.has(key) ? needOf(labels.get(key)) : undefined))
    return covering(key, needs)
  })
}

type Need = 'exists' | 'absent' | readonly string[] | undefined

function needOf(criterion: Criterion): Need {
  if (criterion === PRESENT) return 'exists'
  if (criterion === ABSENT) return 'absent'
  const values = valuesOf(criterion)
  return values?.every((value) => typeof value === 'string' && LABEL_VALUE.test(value))
    ? (values as readonly string[])
    : undefined
}

function covering(key: string, needs: readonly Need[]): readonly Requirement[] {
  if (needs.includes(undefined)) return []
  if (needs.every((need) => need === 'absent')) return [{ key, operator: 'absent' }]
  if (needs.includes('absent')) return []
  if (needs.includes('exists')) return [{ key, operator: 'exists' }]
  return [{ key, operator: 'in', values: [...new Set(needs.flat() as string[])].sort() }]
}

/** Field selectors know no alternatives: all declarations must want one value of one field. */
function fieldRequirement(
  kind: ServedKind,
  declared: readonly HandlerFilters[],
  selectable: readonly string[],
): string | undefined {
  // A handler of changes is also about objects that had the value when they were handled last.
  if (kind.handlers.some(({ reason }) => reason === 'update' || reason === 'field')) return undefined
  const [first] = declared
  const field = first?.field?.join('.') ?? ''
  const [value] = valuesOf(first?.value) ?? []
  const isSame = (each: HandlerFilters) => {
    const values = valuesOf(each.value)
    return each.field?.join('.') === field && values?.length === 1 && values[0] === value
  }
  if (!declared.every(isSame) || !isPlain(value)) return undefined
  return maySelect(kind, field, selectable) ? `${field}=${value}` : undefined
}

function maySelect(kind: ServedKind, field: string, selectable: readonly string[]): boolean {
  if (field === 'metadata.namespace') return kind.info.namespaced
  if (UNCHANGING.includes(field)) return true
  const { group, plural } = kind.info
  const known = group === '' && Object.hasOwn(BUILT_IN, plural) ? (BUILT_IN[plural] ?? []) : selectable
  return leavesUnseen(kind) && known.includes(field)
}

/** The values that the criterion accepts; undefined if it is another sort of criterion. */
function valuesOf(criterion: Criterion): readonly unknown[] | undefined {
  if (typeof criterion === 'object' && criterion !== null && '~oneOf' in criterion) {
    return (criterion as OneOf<unknown>)['~oneOf']
  }
  return typeof criterion === 'object' || typeof criterion === 'function' || isMarker(criterion)
    ? undefined
    : [criterion]
}

function isMarker(criterion: Criterion): boolean {
  return criterion === PRESENT || criterion === ABSENT || criterion === undefined
}

/** What the server writes as we do. */
function isPlain(value: unknown): boolean {
  if (typeof value === 'string') return FIELD_VALUE.test(value)
  return typeof value === 'boolean' || Number.isSafeInteger(value)
}
