/** An expression, ready to run: parsed, checked, with its cost bounded. */
import type { Node } from './ast.ts'
import type { Budget } from './budget.ts'
import { type Checked, check, type Variables } from './checker.ts'
import { Evaluator, type Scope } from './evaluator.ts'
import { type Library, standardLibrary } from './library.ts'
import { parse } from './parser.ts'
import type { Type } from './type.ts'
import type { Value } from './value.ts'

export class Program {
  readonly source: string
  readonly type: Type
  readonly node: Node
  readonly types: Checked['types']
  readonly #library: Library

  private constructor(source: string, node: Node, checked: Checked, library: Library) {
    this.source = source
    this.node = node
    this.type = checked.type
    this.types = checked.types
    this.#library = library
  }

  /** Throws a CompileError. */
  static compile(source: string, variables: Variables, library: Library = standardLibrary()): Program {
    const node = parse(source)
    return new Program(source, node, check(source, node, variables, library), library)
  }

  /** Throws an EvaluationError. */
  run(scope: Scope, budget: Budget): Value {
    return new Evaluator(this.#library, budget).run(this.node, scope)
  }

  /** One of its parts, to be run alone. */
  part(node: Node): Program {
    return new Program(this.source, node, { type: this.types.get(node) ?? this.type, types: this.types }, this.#library)
  }

  /** Whether the expression looks at a variable. */
  uses(name: string): boolean {
    for (const node of this.types.keys()) if (node.op === 'name' && node.name === name) return true
    return false
  }
}
