/**
 * Plans that came as JSON.
 * Guarantees: every field is known and of its type, or nothing is laid and the error names the field.
 */
import { isObject, type JsonObject } from '../json.ts'
import type { Effect, EffectKind } from './effects.ts'
import type { FaultMatch } from './match.ts'
import type { Plan } from './rule.ts'
import type { Trigger } from './trigger.ts'

type Type = 'text' | 'number' | 'flag' | 'texts' | 'labels' | 'match'

const matchFields: Readonly<Record<Exclude<keyof FaultMatch, 'when'>, Type>> = {
  verb: 'texts',
  resource: 'text',
  subresource: 'text',
  namespace: 'text',
  name: 'text',
  user: 'text',
  fieldManager: 'text',
  contentType: 'text',
  connection: 'number',
  labels: 'labels',
  since: 'text',
  initialEvents: 'flag',
  event: 'text',
  path: 'text',
}

const triggerFields: Readonly<Record<Trigger['when'], Readonly<Record<string, Type>>>> = {
  always: {},
  nth: { n: 'number' },
  every: { k: 'number' },
  first: { n: 'number' },
  sometimes: { probability: 'number' },
  bucket: { perSecond: 'number', burst: 'number' },
  window: { from: 'number', to: 'number' },
  after: { occasion: 'match' },
  'once per object': {},
}

/** With `?`: may be left out. */
const effectFields: Readonly<Record<EffectKind['kind'], Readonly<Record<string, Type>>>> = {
  respond: {
    code: 'number',
    'reason?': 'text',
    'message?': 'text',
    'retryAfter?': 'number',
    'as?': 'text',
    'after?': 'text',
  },
  delay: { seconds: 'number', 'after?': 'text' },
  'lose response': {},
  'drop connection': { 'afterBytes?': 'number' },
  'refuse connection': {},
  stall: { 'after?': 'text' },
  truncate: { bytes: 'number' },
  garble: {},
  'slow down': { bytesPerSecond: 'number' },
  warn: { text: 'text' },
  mislabel: { contentType: 'text' },
  'answer from the past': { 'revision?': 'number', 'secondsAgo?': 'number' },
  'end watch': {},
  expire: { 'as?': 'text' },
  'fail watch': { code: 'number', 'message?': 'text' },
  'drop events': { count: 'number' },
  'duplicate events': {},
  'delay events': { seconds: 'number' },
  'hold events': {},
  'reorder events': {},
  'replay event': {},
  'repeat bookmark': { count: 'number' },
  'hide initial end': {},
  'unknown event': {},
  'giant line': { bytes: 'number' },
}

export function planOf(sent: unknown): Plan {
  if (!isObject(sent)) throw new TypeError('A fault is { "match": {…}, "trigger": {…}, "effect": {…} }.')
  only(sent, ['match', 'trigger', 'effect'], 'a fault')
  return {
    match: matchOf(sent['match'] ?? {}, 'match'),
    trigger: tagged(sent['trigger'] ?? { when: 'always' }, 'trigger', 'when', triggerFields) as unknown as Trigger,
    effect: effectOf(sent['effect']),
  }
}

export function effectOf(sent: unknown): Effect {
  const checked = tagged(sent, 'effect', 'kind', effectFields)
  return { ...checked, '~effect': checked['kind'] } as unknown as Effect
}

function matchOf(sent: unknown, where: string): FaultMatch {
  if (!isObject(sent)) throw new TypeError(`"${where}" must be an object.`)
  only(sent, Object.keys(matchFields), where)
  for (const [field, value] of Object.entries(sent)) check(value, matchFields[field as 'verb'], `${where}.${field}`)
  return sent as FaultMatch
}

function tagged(
  sent: unknown,
  where: string,
  tag: string,
  kinds: Readonly<Record<string, Readonly<Record<string, Type>>>>,
): JsonObject {
  const kind = isObject(sent) ? sent[tag] : undefined
  const fields = typeof kind === 'string' && Object.hasOwn(kinds, kind) ? kinds[kind] : undefined
  if (!isObject(sent) || !fields) {
    throw new TypeError(`"${where}.${tag}" must be one of: ${Object.keys(kinds).join(', ')}.`)
  }
  const names = Object.keys(fields).map((field) => field.replace('?', ''))
  only(sent, [tag, '~effect', ...names], where)
  for (const [field, type] of Object.entries(fields)) {
    const value = sent[field.replace('?', '')]
    if (value !== undefined || !field.endsWith('?')) check(value, type, `${where}.${field.replace('?', '')}`)
  }
  return sent
}

function only(sent: JsonObject, known: readonly string[], where: string): void {
  const stranger = Object.keys(sent).find((field) => !known.includes(field))
  if (stranger !== undefined)
    throw new TypeError(`Unknown field "${stranger}" in ${where}. Known: ${known.join(', ')}.`)
}

function check(value: unknown, type: Type, where: string): void {
  if (type === 'match') matchOf(value, where)
  else if (!fits[type](value)) throw new TypeError(`"${where}" must be ${words[type]}, not ${JSON.stringify(value)}.`)
}

const isText = (value: unknown): value is string => typeof value === 'string'

const fits: Readonly<Record<Exclude<Type, 'match'>, (value: unknown) => boolean>> = {
  text: isText,
  number: (value) => typeof value === 'number' && Number.isFinite(value) && value >= 0,
  flag: (value) => typeof value === 'boolean',
  texts: (value) => isText(value) || (Array.isArray(value) && value.every(isText)),
  labels: (value) => isObject(value) && Object.values(value).every(isText),
}

const words: Readonly<Record<Exclude<Type, 'match'>, string>> = {
  text: 'text',
  number: 'a number from 0 on',
  flag: 'true or false',
  texts: 'text, or a list of texts',
  labels: 'an object of texts',
}
