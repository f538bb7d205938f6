/**
 * Runs a checked expression.
 * Guarantees: bounded work: every step and every byte that a function looks at is paid from the budget, and an empty budget ends the
 * run; nothing of the input is changed; an error in one side of && and || does not count when the other side decides.
 */
import { EvaluationError, type MacroNode, type Node } from './ast.ts'
import { type Budget, BudgetError } from './budget.ts'
import { accepts, noSuchOverload, type Overload } from './function.ts'
import type { Library } from './library.ts'
import { itemAt, longNames, type Step, stepsOf, weight, within } from './steps.ts'
import { typeNamed } from './type-rules.ts'
import { compare, isList, isMap, LiteralMap, Optional, StructValue, shown, TypeValue, type Value } from './value.ts'

export type Scope = ReadonlyMap<string, Value>

export class Evaluator {
  readonly #library: Library
  readonly #budget: Budget

  constructor(library: Library, budget: Budget) {
    this.#library = library
    this.#budget = budget
  }

  run(node: Node, scope: Scope): Value {
    this.#budget.spend(1)
    switch (node.op) {
      case 'literal':
        return node.value
      case 'name':
        return this.#named(node.name, scope)
      case 'select':
        return this.#select(node, scope)
      case 'has':
        return this.#has(this.run(node.target, scope), node.field)
      case 'index':
        return this.#index(node, scope)
      case 'call':
        return this.#call(node, scope)
      case 'list':
        return this.#list(node, scope)
      case 'map':
        return this.#map(node, scope)
      case 'and':
        return this.#logic(node, scope, false)
      case 'or':
        return this.#logic(node, scope, true)
      case 'choice':
        return this.run(this.#truth(this.run(node.test, scope)) ? node.yes : node.no, scope)
      case 'macro':
        return this.#macro(node, scope)
    }
  }

  #truth(value: Value): boolean {
    if (typeof value !== 'boolean') throw noSuchOverload()
    return value
  }

  #named(name: string, scope: Scope): Value {
    const value = scope.get(name)
    return value === undefined ? new TypeValue(longNames.get(name) ?? name) : value
  }

  #select(node: Node & { op: 'select' }, scope: Scope): Value {
    const type = typeNamed(node)
    if (type !== undefined && !scope.has('google')) return new TypeValue(type)
    const target = this.run(node.target, scope)
    if (target instanceof Optional || node.optional) return within(target, node.field)
    return this.#member(target, node.field)
  }

  #member(target: Value, field: string): Value {
    if (!isMap(target)) throw noSuchOverload()
    const value = target.get(field)
    if (value === undefined) throw new EvaluationError(`no such key: ${field}`)
    return value
  }

  #has(target: Value, field: string): boolean {
    if (target instanceof Optional) return target.value !== undefined && this.#has(target.value, field)
    if (!isMap(target)) throw noSuchOverload()
    const value = target.get(field)
    // A null in an object of the cluster is as good as absent.
    return value !== undefined && !(value === null && target instanceof StructValue)
  }

  #index(node: Node & { op: 'index' }, scope: Scope): Value {
    const target = this.run(node.target, scope)
    const key = this.run(node.key, scope)
    if (target instanceof Optional || node.optional) return within(target, key)
    if (isMap(target)) {
      const value = target.get(key)
      if (value === undefined) throw new EvaluationError(`no such key: ${shown(key)}`)
      return value
    }
    if (!isList(target)) throw noSuchOverload()
    const value = itemAt(target, key)
    if (value === undefined) throw new EvaluationError(`index out of bounds: ${shown(key)}`)
    return value
  }

  #call(node: Node & { op: 'call' }, scope: Scope): Value {
    const { name, target } = node
    if (target?.op === 'name' && !scope.has(target.name)) {
      const qualified = this.#library.named(`${target.name}.${name}`, false)
      if (qualified.length > 0)
        return this.#apply(
          qualified,
          node.args.map((arg) => this.run(arg, scope)),
        )
    }
    if (name === 'or' || name === 'orValue') return this.#orElse(node, scope)
    const receiver = target ? [this.run(target, scope)] : []
    const args = [...receiver, ...node.args.map((arg) => this.run(arg, scope))]
    return this.#apply(this.#library.named(name, target !== undefined), args)
  }

  /** The other value is only worked out when it is needed. */
  #orElse(node: Node & { op: 'call' }, scope: Scope): Value {
    const target = this.run(node.target as Node, scope)
    if (!(target instanceof Optional)) throw noSuchOverload()
    if (target.value === undefined) return this.run(node.args[0] as Node, scope)
    return node.name === 'or' ? target : target.value
  }

  #apply(known: readonly Overload[], args: readonly Value[]): Value {
    for (const arg of args) this.#budget.spend(weight(arg))
    for (const overload of known) {
      if (overload.parameters.length !== args.length) continue
      if (overload.parameters.every((type, i) => accepts(args[i] as Value, type))) {
        const result = (overload.run as (...args: readonly Value[]) => Value)(...args)
        this.#budget.spend(weight(result))
        return result
      }
    }
    throw noSuchOverload()
  }

  #list(node: Node & { op: 'list' }, scope: Scope): Value {
    const items: Value[] = []
    for (const [i, item] of node.items.entries()) {
      const value = this.run(item, scope)
      if (!node.optional.has(i)) items.push(value)
      else if (value instanceof Optional && value.value !== undefined) items.push(value.value)
    }
    return items
  }

  #map(node: Node & { op: 'map' }, scope: Scope): Value {
    const entries: [Value, Value][] = []
    for (const { key, value, optional } of node.entries) {
      const [name, content] = [this.run(key, scope), this.run(value, scope)]
      if (!optional) entries.push([name, content])
      else if (content instanceof Optional && content.value !== undefined) entries.push([name, content.value])
    }
    return LiteralMap.of(entries)
  }

  /** `decisive` is the value of one side that decides, whatever the other side is, even an error. */
  #logic(node: Node & { op: 'and' | 'or' }, scope: Scope, decisive: boolean): Value {
    const left = this.#attempt(node.left, scope)
    if (left === decisive) return decisive
    const right = this.#attempt(node.right, scope)
    if (right === decisive) return decisive
    for (const side of [left, right]) {
      if (side instanceof EvaluationError) throw side
      this.#truth(side)
    }
    return !decisive
  }

  #attempt(node: Node, scope: Scope): Value | EvaluationError {
    try {
      return this.run(node, scope)
    } catch (error) {
      if (error instanceof BudgetError || !(error instanceof EvaluationError)) throw error
      return error
    }
  }

  #macro(node: MacroNode, scope: Scope): Value {
    const target = this.run(node.target, scope)
    const [first = ''] = node.variables
    const body = (value: Value) => this.run(node.bodies[0] as Node, new Map(scope).set(first, value))
    if (node.name !== 'optMap' && node.name !== 'optFlatMap') return this.#loop(node, target, scope)
    if (!(target instanceof Optional)) throw noSuchOverload()
    if (target.value === undefined) return target
    const result = body(target.value)
    return node.name === 'optMap' ? new Optional(result) : result
  }

  #loop(node: MacroNode, target: Value, scope: Scope): Value {
    const steps = stepsOf(target, node.variables.length === 2)
    const [first = '', second] = node.variables
    const run = (index: number, step: Step) => {
      const inner = new Map(scope).set(first, step.first)
      if (second !== undefined) inner.set(second, step.second)
      return this.run(node.bodies[index] as Node, inner)
    }
    switch (node.name) {
      case 'all':
        return this.#decided(steps, (step) => run(0, step), false)
      case 'exists':
        return this.#decided(steps, (step) => run(0, step), true)
      case 'exists_one':
      case 'existsOne':
        return this.#counted(steps, (step) => run(0, step))
      case 'filter':
        return this.#filtered(steps, (step) => run(0, step))
      case 'sortBy':
        return this.#sorted(steps, (step) => run(0, step))
      default:
        return this.#transformed(node, steps, run)
    }
  }

  /** all and exists: an error counts only when no item decides. */
  #decided(steps: Iterable<Step>, body: (step: Step) => Value, decisive: boolean): Value {
    let failure: EvaluationError | undefined
    for (const step of steps) {
      try {
        if (this.#truth(body(step)) === decisive) return decisive
      } catch (error) {
        if (error instanceof BudgetError || !(error instanceof EvaluationError)) throw error
        failure ??= error
      }
    }
    if (failure) throw failure
    return !decisive
  }

  #counted(steps: Iterable<Step>, body: (step: Step) => Value): boolean {
    let count = 0
    for (const step of steps) if (this.#truth(body(step))) count++
    return count === 1
  }

  #filtered(steps: Iterable<Step>, body: (step: Step) => Value): Value {
    const kept: Value[] = []
    for (const step of steps) if (this.#truth(body(step))) kept.push(step.first)
    return kept
  }

  #sorted(steps: Iterable<Step>, body: (step: Step) => Value): Value {
    const keyed = [...steps].map((step) => ({ item: step.first, key: body(step) }))
    this.#budget.spend(keyed.length * Math.ceil(Math.log2(keyed.length + 1)))
    return keyed.sort((a, b) => compare(a.key, b.key) ?? 0).map(({ item }) => item)
  }

  #transformed(node: MacroNode, steps: Iterable<Step>, run: (index: number, step: Step) => Value): Value {
    const last = node.bodies.length - 1
    const items: Value[] = []
    const entries: [Value, Value][] = []
    for (const step of steps) {
      if (last === 1 && !this.#truth(run(0, step))) continue
      const value = run(last, step)
      if (node.name === 'transformMap') entries.push([step.first, value])
      else if (node.name !== 'transformMapEntry') items.push(value)
      else if (isMap(value)) for (const key of value.keys()) entries.push([key, value.get(key) as Value])
      else throw noSuchOverload()
    }
    return node.name.startsWith('transformMap') ? LiteralMap.of(entries) : items
  }
}
