/**
 * JSONPath as printer columns use it: names, indices, wildcards, and filters that compare one field.
 * Guarantees: a path that cannot be read finds nothing; data is only read.
 */
import { isObject, type Json, own } from '../json.ts'

type Step = (value: Json) => readonly Json[]

/** All values that a path finds, e.g. .status.conditions[?(@.type=="Ready")].status */
export function findJson(path: string, value: Json): readonly Json[] {
  const steps = stepsOf(path)
  return steps.reduce<readonly Json[]>((found, step) => found.flatMap(step), [value])
}

const token = /\.((?:\\.|[^.[\]\\])+)|\[\s*(?:'([^']*)'|"([^"]*)"|(-?\d+)|(\*)|\?\(([^)]*)\))\s*\]/gy
const known = new Map<string, readonly Step[]>()

function stepsOf(path: string): readonly Step[] {
  let steps = known.get(path)
  if (!steps) {
    steps = parse(path)
    if (known.size < 1000) known.set(path, steps)
  }
  return steps
}

function parse(path: string): readonly Step[] {
  const text = path.replace(/^\$/, '').replace(/^\{|\}$/g, '')
  const steps: Step[] = []
  token.lastIndex = 0
  let end = 0
  for (let match = token.exec(text); match; match = token.exec(text)) {
    steps.push(stepOf(match))
    end = token.lastIndex
  }
  return end === text.length ? steps : [() => []]
}

function stepOf([, name, quoted, doubled, index, every, filter]: RegExpExecArray): Step {
  if (index !== undefined) return at(Number(index))
  if (every !== undefined || name === '*') return (value) => children(value)
  if (filter !== undefined) return filtered(filter)
  return field((name ?? quoted ?? doubled ?? '').replace(/\\(.)/g, '$1'))
}

const field =
  (name: string): Step =>
  (value) => {
    const found = isObject(value) ? own(value, name) : undefined
    return found === undefined ? [] : [found]
  }

const at =
  (index: number): Step =>
  (value) => {
    const found = Array.isArray(value) ? value.at(index) : undefined
    return found === undefined ? [] : [found as Json]
  }

const children = (value: Json): readonly Json[] =>
  Array.isArray(value) ? value : isObject(value) ? (Object.values(value) as Json[]) : []

function filtered(text: string): Step {
  const match = /^\s*@(\S*?)\s*(==|!=)\s*(?:"([^"]*)"|'([^']*)'|(\S+))\s*$/.exec(text)
  if (!match) return () => []
  const [, path = '', operator, doubled, quoted, bare = ''] = match
  const wanted = doubled ?? quoted ?? bare
  return (value) =>
    children(value).filter((item) => {
      const [found] = findJson(path, item)
      return (found !== undefined && String(found) === wanted) === (operator === '==')
    })
}
