/**
 * What an expression may cost at most, before it has run: the arithmetic of the original, so that the same rules are refused.
 * Sizes come from the limits of the schema; where there are none, from what fits into a request.
 */
import type { MacroNode, Node } from './ast.ts'
import type { Program } from './program.ts'
import type { Type } from './type.ts'

/** Between the least and the most. */
interface Range {
  readonly min: number
  readonly max: number
}

const unbounded = Number.MAX_SAFE_INTEGER
const fixed = (value: number): Range => ({ min: value, max: value })
const cap = (value: number) => Math.min(value, unbounded)
const sum = (...parts: readonly Range[]): Range => ({
  min: cap(parts.reduce((all, part) => all + part.min, 0)),
  max: cap(parts.reduce((all, part) => all + part.max, 0)),
})
const times = (a: Range, b: Range): Range => ({ min: cap(a.min * b.min), max: cap(a.max * b.max) })
const scaled = (a: Range, factor: number): Range => ({
  min: Math.ceil(a.min * factor),
  max: cap(Math.ceil(a.max * factor)),
})
const either = (a: Range, b: Range): Range => ({ min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) })

export function maxCost(program: Program): number {
  return new Estimate(program).costOf(program.node).max
}

const perCharacter = 0.1
const perPatternCharacter = 0.25
const listCost = 10
const mapCost = 30

class Estimate {
  readonly #program: Program
  /** Sizes of results that are not their type's. */
  readonly #sizes = new Map<Node, Range>()
  readonly #variables: Map<string, Range>[] = []

  constructor(program: Program) {
    this.#program = program
  }

  costOf(node: Node): Range {
    switch (node.op) {
      case 'literal':
        return fixed(0)
      case 'name':
        return fixed(1)
      case 'select':
        return sum(this.costOf(node.target), fixed(node.optional ? 1 : this.#selectable(node.target)))
      case 'has':
        return this.costOf(node.target)
      case 'index':
        return sum(this.costOf(node.target), this.costOf(node.key), fixed(1))
      case 'list':
        return sum(fixed(listCost), ...node.items.map((item) => this.costOf(item)))
      case 'map':
        return sum(fixed(mapCost), ...node.entries.flatMap(({ key, value }) => [this.costOf(key), this.costOf(value)]))
      case 'and':
      case 'or': {
        const left = this.costOf(node.left)
        return { min: left.min, max: sum(left, this.costOf(node.right)).max }
      }
      case 'choice':
        return this.#choice(node)
      case 'call':
        return this.#call(node)
      case 'macro':
        return this.#macro(node)
    }
  }

  #selectable(target: Node): number {
    const kind = this.#type(target)?.kind
    return kind === 'map' || kind === 'object' || kind === 'dyn' ? 1 : 0
  }

  #type(node: Node): Type | undefined {
    return this.#program.types.get(node)
  }

  #choice(node: Node & { op: 'choice' }): Range {
    const [test, yes, no] = [this.costOf(node.test), this.costOf(node.yes), this.costOf(node.no)]
    this.#sizes.set(node, either(this.#size(node.yes), this.#size(node.no)))
    return sum(test, either(yes, no))
  }

  /** How many characters, items or entries a value has. */
  #size(node: Node): Range {
    const known = this.#sizes.get(node)
    if (known) return known
    if (node.op === 'literal' && typeof node.value === 'string') return fixed(Buffer.from(node.value).length)
    if (node.op === 'literal' && node.value instanceof Uint8Array) return fixed(node.value.length)
    if (node.op === 'list') return fixed(node.items.length)
    if (node.op === 'map') return fixed(node.entries.length)
    if (node.op === 'name') {
      const bound = this.#variables.findLast((scope) => scope.has(node.name))?.get(node.name)
      if (bound) return bound
    }
    return sizeOfType(this.#type(node))
  }

  #call(node: Node & { op: 'call' }): Range {
    const parts = [...(node.target ? [node.target] : []), ...node.args]
    const args = sum(...parts.map((part) => this.costOf(part)))
    return sum(this.#ownCost(node, parts), args)
  }

  #ownCost(node: Node & { op: 'call' }, parts: readonly Node[]): Range {
    const sizes = parts.map((part) => this.#size(part))
    const [first = fixed(1), second = fixed(1)] = sizes
    const traversal = scaled(first, perCharacter)
    switch (node.name) {
      case '_==_':
      case '_!=_':
      case '_<_':
      case '_<=_':
      case '_>_':
      case '_>=_':
        return this.#comparison(first, second)
      case '_+_':
        return this.#joining(node, first, second)
      case '@in':
        return this.#type(parts[1] as Node)?.kind === 'map' ? fixed(1) : second
      case 'startsWith':
      case 'endsWith':
        return scaled(second, perCharacter)
      case 'contains':
        return times(traversal, scaled(second, perCharacter))
      case 'matches':
        return times(scaled(sum(first, fixed(1)), perCharacter), scaled(second, perPatternCharacter))
      case 'find':
      case 'findAll':
        return times(scaled(sum(first, fixed(1)), perCharacter), scaled(second, perPatternCharacter))
      default:
        return this.#libraryCost(node, sizes)
    }
  }

  #comparison(a: Range, b: Range): Range {
    const max = Math.min(a.max, b.max)
    return scaled({ min: max > 0 ? 1 : 0, max }, perCharacter)
  }

  #joining(node: Node, a: Range, b: Range): Range {
    const kind = this.#type(node)?.kind
    if (kind !== 'string' && kind !== 'bytes' && kind !== 'list') return fixed(1)
    const size = sum(a, b)
    this.#sizes.set(node, size)
    return kind === 'list' ? fixed(1) : scaled(size, perCharacter)
  }

  /** Functions that look at every character or item of their receiver. */
  #libraryCost(node: Node & { op: 'call' }, sizes: readonly Range[]): Range {
    const [first = fixed(1), second = fixed(1), third = fixed(0)] = sizes
    if (wholeText.has(node.name)) {
      this.#sizes.set(node, node.name === 'replace' ? { min: 0, max: cap(first.max * Math.max(1, third.max)) } : first)
      return scaled(first, perCharacter)
    }
    if (wholeList.has(node.name)) return first
    if (node.name === 'distinct' || node.name === 'sort') {
      this.#sizes.set(node, first)
      return times(first, first)
    }
    if (node.name === 'join') {
      const item = this.#type(node.target as Node)
      const each = item?.kind === 'list' ? sizeOfType(item.item) : fixed(1)
      const size = sum(times(first, each), times(first, sizes[1] ?? fixed(0)))
      this.#sizes.set(node, size)
      return scaled(size, perCharacter)
    }
    return qualified.has(node.name) && sizes.length > 2 ? times(second, third) : fixed(1)
  }

  #macro(node: MacroNode): Range {
    const target = this.costOf(node.target)
    if (node.name === 'optMap' || node.name === 'optFlatMap') return sum(target, fixed(2), this.#body(node, 0))
    const count = this.#size(node.target)
    const { start, each, result } = this.#loop(node)
    if (node.name === 'map' || node.name === 'filter' || node.name === 'transformList')
      this.#sizes.set(node, { min: 0, max: count.max })
    return sum(target, fixed(start), times(count, each), fixed(result))
  }

  #body(node: MacroNode, index: number): Range {
    this.#variables.push(new Map())
    const cost = this.costOf(node.bodies[index] as Node)
    this.#variables.pop()
    return cost
  }

  /** What the expansions of the original's macros do around a body. */
  #loop(node: MacroNode): { readonly start: number; readonly each: Range; readonly result: number } {
    const body = this.#body(node, 0)
    const tested = (kept: Range) => sum(body, either(kept, fixed(1)))
    switch (node.name) {
      case 'all':
        return { start: 0, each: sum(fixed(2), { min: 1, max: 1 + body.max }), result: 1 }
      case 'exists':
        return { start: 0, each: sum(fixed(3), { min: 1, max: 1 + body.max }), result: 1 }
      case 'exists_one':
      case 'existsOne':
        return { start: 0, each: tested(fixed(2)), result: 2 }
      case 'filter':
        return { start: listCost, each: tested(fixed(13)), result: 1 }
      default: {
        const last = node.bodies.length === 2 ? this.#body(node, 1) : body
        const step = sum(fixed(12), last)
        return { start: listCost, each: node.bodies.length === 2 ? tested(step) : step, result: 1 }
      }
    }
  }
}

const wholeText = new Set(
  'lowerAscii upperAscii trim replace split substring quote url isURL ip isIP cidr isCIDR quantity isQuantity semver isSemver validate format bytes'.split(
    ' ',
  ),
)
const wholeList = new Set('isSorted sum max min indexOf lastIndexOf reverse flatten slice'.split(' '))
const qualified = new Set(['contains', 'equivalent', 'intersects'])

function sizeOfType(type: Type | undefined): Range {
  switch (type?.kind) {
    case 'string':
    case 'bytes':
    case 'list':
    case 'map':
    case 'dyn':
      return { min: 0, max: type.max ?? unbounded }
    case 'object':
      return { min: 0, max: type.fields.size }
    default:
      return fixed(1)
  }
}
