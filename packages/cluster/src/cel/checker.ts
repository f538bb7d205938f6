/**
 * Finds the type of every expression, and what cannot work, before anything runs.
 * Guarantees: every issue is told with its place; what is dyn is left to run time.
 */

import { CompileError, type Issue, type MacroNode, type Node } from './ast.ts'
import type { Overload } from './function.ts'
import type { Library } from './library.ts'
import { type Bindings, bool, bound, dyn, fits, listOf, mapOf, optionalOf, printType, type Type } from './type.ts'
import { elementType, isGoodConstant, literalType, rangeOf, typeNamed, typeNames, typeOfTypes } from './type-rules.ts'

export interface Checked {
  readonly type: Type
  /** The type of each part of the expression. */
  readonly types: ReadonlyMap<Node, Type>
}

export type Variables = ReadonlyMap<string, Type>

export function check(source: string, node: Node, variables: Variables, library: Library): Checked {
  const checker = new Checker(library)
  const type = checker.typeOf(node, variables)
  const issues = checker.issues.length > 0 ? checker.issues : checker.mixed
  if (issues.length > 0)
    throw new CompileError(
      source,
      issues.sort((a, b) => a.at - b.at),
    )
  return { type, types: checker.types }
}

class Checker {
  readonly issues: Issue[] = []
  /** Literals of mixed types: told when nothing worse is wrong. */
  readonly mixed: Issue[] = []
  readonly types = new Map<Node, Type>()
  readonly #library: Library

  constructor(library: Library) {
    this.#library = library
  }

  typeOf(node: Node, scope: Variables): Type {
    const type = this.#find(node, scope)
    this.types.set(node, type)
    return type
  }

  #issue(at: number, message: string): Type {
    this.issues.push({ at, message })
    return dyn
  }

  #find(node: Node, scope: Variables): Type {
    switch (node.op) {
      case 'literal':
        return literalType(node.value)
      case 'name':
        return this.#nameType(node.name, node.at, scope)
      case 'select':
        return this.#selectType(node, scope)
      case 'has':
        this.#fieldType(this.typeOf(node.target, scope), node.field, node.at)
        return bool
      case 'index':
        return this.#indexType(node, scope)
      case 'call':
        return this.#callType(node, scope)
      case 'list':
        return this.#listType(node, scope)
      case 'map':
        return this.#mapType(node, scope)
      case 'and':
      case 'or':
        return this.#logicType(node, scope)
      case 'choice':
        return this.#choiceType(node, scope)
      case 'macro':
        return this.#macroType(node, scope)
    }
  }

  #nameType(name: string, at: number, scope: Variables): Type {
    const known = scope.get(name) ?? (typeNames.has(name) ? typeOfTypes : undefined)
    return known ?? this.#issue(at, `undeclared reference to '${name}' (in container '')`)
  }

  #selectType(node: Node & { op: 'select' }, scope: Variables): Type {
    if (typeNamed(node) !== undefined && !scope.has('google')) return typeOfTypes
    const target = this.typeOf(node.target, scope)
    const [inner, wrapped] = target.kind === 'optional' ? [target.item, true] : [target, node.optional]
    const type = this.#fieldType(inner, node.field, node.at)
    return wrapped ? optionalOf(type) : type
  }

  #fieldType(target: Type, field: string, at: number): Type {
    switch (target.kind) {
      case 'dyn':
        return dyn
      case 'optional':
        return this.#fieldType(target.item, field, at)
      case 'map':
        return target.value
      case 'object':
        return target.fields.get(field) ?? this.#issue(at, `undefined field '${field}'`)
      default:
        return this.#issue(at, `type '${printType(target)}' does not support field selection`)
    }
  }

  #indexType(node: Node & { op: 'index' }, scope: Variables): Type {
    const target = this.typeOf(node.target, scope)
    const key = this.typeOf(node.key, scope)
    const [inner, wrapped] = target.kind === 'optional' ? [target.item, true] : [target, node.optional]
    const found = elementType(inner, key)
    if (!found) {
      const types = `(${printType(target)}, ${printType(key)})`
      return this.#issue(
        node.at,
        `found no matching overload for '${node.optional ? '_[?_]' : '_[_]'}' applied to '${types}'`,
      )
    }
    return wrapped ? optionalOf(found) : found
  }

  #callType(node: Node & { op: 'call' }, scope: Variables): Type {
    const qualified = this.#qualifiedName(node, scope)
    const target = node.target && qualified === undefined ? [this.typeOf(node.target, scope)] : []
    const before = this.mixed.length
    const types = [...target, ...node.args.map((arg) => this.typeOf(arg, scope))]
    // What is formatted may be of any types.
    if (node.name === 'format') this.mixed.length = before
    const name = qualified ?? node.name
    const known = this.#library.named(name, target.length > 0)
    if (known.length === 0 && this.#library.named(name, target.length === 0).length === 0) {
      return this.#issue(node.at, `undeclared reference to '${name}' (in container '')`)
    }
    this.#checkConstant(name, node.args.at(-1))
    return this.#resultOf(name, node.at, known, types, target.length > 0)
  }

  /** A constant that is no pattern or no time would fail with every object. */
  #checkConstant(name: string, argument: Node | undefined): void {
    if (argument?.op !== 'literal') return
    if (!isGoodConstant(name, argument.value)) this.#issue(argument.at, `invalid ${name} argument`)
  }

  /** sets.contains(…): the target is no value, but a part of the name. */
  #qualifiedName(node: Node & { op: 'call' }, scope: Variables): string | undefined {
    if (node.target?.op !== 'name' || scope.has(node.target.name)) return undefined
    const name = `${node.target.name}.${node.name}`
    return this.#library.named(name, false).length > 0 ? name : undefined
  }

  #resultOf(name: string, at: number, known: readonly Overload[], types: readonly Type[], method: boolean): Type {
    const results: Type[] = []
    for (const overload of known) {
      const bindings: Bindings = new Map()
      if (overload.parameters.length !== types.length) continue
      if (overload.parameters.every((wanted, i) => fits(types[i] as Type, wanted, bindings))) {
        results.push(bound(overload.result, bindings))
      }
    }
    const [first] = results
    if (first === undefined) {
      const shown = method
        ? `${printType(types[0] as Type)}.(${types.slice(1).map(printType).join(', ')})`
        : `(${types.map(printType).join(', ')})`
      return this.#issue(at, `found no matching overload for '${name}' applied to '${shown}'`)
    }
    return results.every((type) => printType(type) === printType(first)) ? first : dyn
  }

  #listType(node: Node & { op: 'list' }, scope: Variables): Type {
    const items = node.items.map((item, i) => this.#unwrapped(this.typeOf(item, scope), node.optional.has(i)))
    return listOf(
      this.#joined(
        items,
        node.items.map((item) => item.at),
      ),
    )
  }

  #mapType(node: Node & { op: 'map' }, scope: Variables): Type {
    const keys = node.entries.map((entry) => this.typeOf(entry.key, scope))
    const values = node.entries.map((entry) => this.#unwrapped(this.typeOf(entry.value, scope), entry.optional))
    const key = this.#joined(
      keys,
      node.entries.map((entry) => entry.key.at),
    )
    return mapOf(
      key,
      this.#joined(
        values,
        node.entries.map((entry) => entry.value.at),
      ),
    )
  }

  #unwrapped(type: Type, optional: boolean): Type {
    return optional && type.kind === 'optional' ? type.item : type
  }

  /** All alike, as Kubernetes wants it. */
  #joined(types: readonly Type[], places: readonly number[]): Type {
    let joined: Type | undefined
    let isMixed = false
    for (const [i, type] of types.entries()) {
      if (joined === undefined || fits(joined, type, new Map())) joined = joined?.kind === 'dyn' ? joined : type
      else if (!fits(type, joined, new Map())) {
        isMixed = true
        const message = `expected type '${printType(joined)}' but found '${printType(type)}'`
        this.mixed.push({ at: places[i] ?? 0, message })
      }
    }
    return isMixed ? dyn : (joined ?? dyn)
  }

  #logicType(node: Node & { op: 'and' | 'or' }, scope: Variables): Type {
    for (const side of [node.left, node.right]) this.#mustBe(bool, this.typeOf(side, scope), side.at)
    return bool
  }

  #mustBe(wanted: Type, given: Type, at: number): void {
    if (fits(given, wanted, new Map())) return
    this.#issue(at, `expected type '${printType(wanted)}' but found '${printType(given)}'`)
  }

  #choiceType(node: Node & { op: 'choice' }, scope: Variables): Type {
    const test = this.typeOf(node.test, scope)
    const [yes, no] = [this.typeOf(node.yes, scope), this.typeOf(node.no, scope)]
    if (fits(test, bool, new Map())) {
      if (fits(yes, no, new Map())) return yes.kind === 'dyn' ? yes : no
      if (fits(no, yes, new Map())) return yes
    }
    const types = [test, yes, no].map(printType).join(', ')
    return this.#issue(node.at, `found no matching overload for '_?_:_' applied to '(${types})'`)
  }

  #macroType(node: MacroNode, scope: Variables): Type {
    const target = this.typeOf(node.target, scope)
    const [first = '', second] = node.variables
    const inner = new Map(scope)
    if (node.name === 'optMap' || node.name === 'optFlatMap') return this.#optionalType(node, target, inner)
    const range = rangeOf(target)
    if (!range) {
      const message = `expression of type '${printType(target)}' cannot be range of a comprehension (must be list, map, or dynamic)`
      return this.#issue(node.target.at, message)
    }
    if (second === undefined) inner.set(first, target.kind === 'map' ? range.key : range.value)
    else inner.set(first, range.key).set(second, range.value)
    return this.#loopType(node, target, inner)
  }

  #optionalType(node: MacroNode, target: Type, inner: Map<string, Type>): Type {
    if (target.kind !== 'optional' && target.kind !== 'dyn') {
      const message = `found no matching overload for 'hasValue' applied to '${printType(target)}.()'`
      return this.#issue(node.at, message)
    }
    inner.set(node.variables[0] ?? '', target.kind === 'optional' ? target.item : dyn)
    const body = this.typeOf(node.bodies[0] as Node, inner)
    return node.name === 'optMap' ? optionalOf(body) : body
  }

  #loopType(node: MacroNode, target: Type, inner: Variables): Type {
    const bodies = node.bodies.map((body) => this.typeOf(body, inner))
    const last = bodies.at(-1) ?? dyn
    for (const [i, test] of bodies.slice(0, -1).entries()) this.#mustBe(bool, test, node.bodies[i]?.at ?? node.at)
    switch (node.name) {
      case 'map':
      case 'transformList':
        return listOf(last)
      case 'transformMap':
        return mapOf(rangeOf(target)?.key ?? dyn, last)
      case 'transformMapEntry':
        return last.kind === 'map' ? last : mapOf(dyn, dyn)
      case 'sortBy':
        return target.kind === 'list' ? target : listOf(dyn)
      case 'filter':
        this.#mustBe(bool, last, node.bodies[0]?.at ?? node.at)
        return target.kind === 'map' ? listOf(target.key) : target.kind === 'list' ? target : listOf(dyn)
      default:
        this.#mustBe(bool, last, node.bodies[0]?.at ?? node.at)
        return bool
    }
  }
}
