import type { Edit } from './patch.ts'

interface Condition {
  type: string
  status: string
  reason: string
  message: string
  lastTransitionTime: string
  observedGeneration?: number
}

/** What the handlers of a cause have come to. */
export interface Verdicts {
  /** Those that have failed for good, with their messages. */
  readonly failures: readonly { readonly id: string; readonly message: string }[]
  /** All handlers have finished. */
  readonly finished: boolean
}

/**
 * The edit that leaves a trace of handlers which have failed for good; undefined where there is nothing to say. A condition of this type is there
 * only after a failure, and turns true when the object has been handled without one.
 * Assumes: the schema of the kind has room for conditions.
 */
export function conditionEdit(
  type: string,
  body: object,
  { failures, finished }: Verdicts,
  now: Date,
): Edit | undefined {
  const present = conditionsOf(body).find((condition) => condition.type === type)
  if (failures.length > 0) {
    const message = failures.map(({ id, message: said }) => `${id}: ${said}`).join('; ')
    return settingTo({ type, status: 'False', reason: 'HandlerFailed', message }, now)
  }
  if (!finished || present === undefined || present.status === 'True') return undefined
  return settingTo({ type, status: 'True', reason: 'Handled', message: 'All handlers have succeeded.' }, now)
}

/**
 * The edit that says how a daemon or timer does: with a message when it has failed for good, without one when it begins anew. Of several that have
 * failed, the last one is named. Undefined where there is nothing to say.
 */
export function runningEdit(
  type: string,
  body: object,
  id: string,
  failure: string | undefined,
  now: Date,
): Edit | undefined {
  if (failure !== undefined) {
    return settingTo({ type, status: 'False', reason: 'HandlerFailed', message: `${id}: ${failure}` }, now)
  }
  const present = conditionsOf(body).find((condition) => condition.type === type)
  if (present?.status !== 'False' || !present.message.startsWith(`${id}: `)) return undefined
  return settingTo({ type, status: 'True', reason: 'Started', message: `${id} runs again.` }, now)
}

function settingTo(wanted: Pick<Condition, 'type' | 'status' | 'reason' | 'message'>, now: Date): Edit {
  return (draft) => {
    const object = draft as { metadata: { generation?: number }; status?: { conditions?: Condition[] } }
    object.status ??= {}
    object.status.conditions ??= []
    const { conditions } = object.status
    const place = conditions.findIndex(({ type }) => type === wanted.type)
    const present = conditions[place]
    const lastTransitionTime =
      present?.status === wanted.status ? present.lastTransitionTime : now.toISOString().replace(/\.\d+Z$/, 'Z')
    const { generation } = object.metadata
    const next = { ...wanted, lastTransitionTime, ...(generation !== undefined && { observedGeneration: generation }) }
    if (present) conditions[place] = next
    else conditions.push(next)
  }
}

function conditionsOf(body: object): readonly Condition[] {
  const { conditions } = (body as { status?: { conditions?: unknown } }).status ?? {}
  return Array.isArray(conditions) ? conditions : []
}
