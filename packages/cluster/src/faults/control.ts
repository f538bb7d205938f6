/**
 * Faults from outside: for programs that are not in this process, whichever language they are written in.
 *
 *     POST   /binnacle/faults          { "match": {…}, "trigger": {…}, "effect": {…} } → { "id": 1 }; or { "preset": "throttled" }
 *     GET    /binnacle/faults          what is laid
 *     DELETE /binnacle/faults[/ID]     lifts one, or all
 *     GET    /binnacle/firings         what has struck
 *     POST   /binnacle/actor/ACTION    compact, cutWatches, restart
 *
 * Beside it, the header `x-binnacle-fault` strikes its own request with the effect that it holds as JSON.
 * Guarantees: a plan that makes no sense is refused whole, with what is wrong.
 */
import type { Door, FrontAnswer, RawRequest } from '../http/front.ts'
import { jsonAnswer } from '../http/message.ts'
import { badRequest, StatusError, unknownResource } from '../http/status.ts'
import { isObject, parseJson, textOf } from '../json.ts'
import type { Faults } from './faults.ts'
import { planOf } from './plan.ts'
import type { PresetName } from './presets.ts'

/** Where the endpoint lies: no Kubernetes path begins so. */
const controlPrefix = '/binnacle/'

interface ControlledActor {
  compact(): void
  cutWatches(): void
  restart(): Promise<void>
}

/** The door for those who also may lay faults by requests. */
export class ControlDoor implements Door {
  readonly #inner: Door
  readonly #faults: Faults
  readonly #actor: ControlledActor

  constructor(inner: Door, faults: Faults, actor: ControlledActor) {
    this.#inner = inner
    this.#faults = faults
    this.#actor = actor
  }

  answer(request: RawRequest): Promise<FrontAnswer> {
    return request.url.startsWith(controlPrefix)
      ? control(this.#faults, this.#actor, request)
      : this.#inner.answer(request)
  }
}

async function control(faults: Faults, actor: ControlledActor, request: RawRequest): Promise<FrontAnswer> {
  try {
    const body = await answered(faults, actor, request)
    return { ...jsonAnswer(200, body), warnings: [] }
  } catch (error) {
    const status =
      error instanceof StatusError ? error : badRequest(error instanceof Error ? error.message : String(error))
    return { ...jsonAnswer(status.code, status.status()), warnings: [] }
  }
}

async function answered(faults: Faults, actor: ControlledActor, { method, url, body }: RawRequest): Promise<unknown> {
  const [what, which] = (url.split('?')[0] ?? '').slice(controlPrefix.length).split('/')
  switch (`${method} ${what}`) {
    case 'GET faults':
      return { faults: faults.plans }
    case 'POST faults':
      return laid(faults, parseJson(textOf(body)))
    case 'DELETE faults':
      return lifted(faults, which)
    case 'GET firings':
      return { firings: faults.firings }
    case 'POST actor':
      return await acted(actor, which)
    default:
      throw unknownResource()
  }
}

function laid(faults: Faults, sent: unknown): unknown {
  if (isObject(sent) && typeof sent['preset'] === 'string')
    return { id: faults.preset(sent['preset'] as PresetName).id }
  return { id: faults.lay(planOf(sent)).id }
}

function lifted(faults: Faults, which: string | undefined): unknown {
  if (which === undefined) faults.clear()
  else if (!faults.lift(Number(which))) throw unknownResource()
  return {}
}

async function acted(actor: ControlledActor, action: string | undefined): Promise<unknown> {
  if (action !== 'compact' && action !== 'cutWatches' && action !== 'restart') {
    throw badRequest(`No action "${action}". There are: compact, cutWatches, restart.`)
  }
  await actor[action]()
  return {}
}
