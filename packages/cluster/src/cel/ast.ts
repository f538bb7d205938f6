/** A parsed expression. Positions are offsets into the source, where the original's messages point. */
import type { Value } from './value.ts'

interface At {
  readonly at: number
}

export interface Entry {
  readonly key: Node
  readonly value: Node
  readonly optional: boolean
}

/** A call of a macro: its variables are bound while its bodies run. */
export interface MacroNode extends At {
  readonly op: 'macro'
  readonly name: string
  readonly target: Node
  readonly variables: readonly string[]
  readonly bodies: readonly Node[]
}

export type Node =
  | (At & { readonly op: 'literal'; readonly value: Value })
  | (At & { readonly op: 'name'; readonly name: string })
  | (At & { readonly op: 'select'; readonly target: Node; readonly field: string; readonly optional: boolean })
  | (At & { readonly op: 'has'; readonly target: Node; readonly field: string })
  | (At & { readonly op: 'index'; readonly target: Node; readonly key: Node; readonly optional: boolean })
  | (At & {
      readonly op: 'call'
      readonly name: string
      readonly target: Node | undefined
      readonly args: readonly Node[]
    })
  | (At & { readonly op: 'list'; readonly items: readonly Node[]; readonly optional: ReadonlySet<number> })
  | (At & { readonly op: 'map'; readonly entries: readonly Entry[] })
  | (At & { readonly op: 'and' | 'or'; readonly left: Node; readonly right: Node })
  | (At & { readonly op: 'choice'; readonly test: Node; readonly yes: Node; readonly no: Node })
  | MacroNode

/** What is wrong with an expression, and where. */
export interface Issue {
  readonly at: number
  readonly message: string
}

/** An expression that cannot be run: it does not parse, or its types do not fit. */
export class CompileError extends Error {
  readonly issues: readonly Issue[]

  constructor(source: string, issues: readonly Issue[]) {
    super(issues.map((issue) => shown(source, issue)).join('\n'))
    this.name = 'CompileError'
    this.issues = issues
  }
}

/** As the original shows it: the line, and a mark below the place. */
function shown(source: string, { at, message }: Issue): string {
  const before = source.slice(0, at).split('\n')
  const column = [...(before.at(-1) ?? '')].length
  const line = source.split('\n')[before.length - 1] ?? ''
  return `ERROR: <input>:${before.length}:${column + 1}: ${message}\n | ${line}\n | ${'.'.repeat(column)}^`
}

/** An expression that ran and failed: a missing key, an overflow, a division by zero. */
export class EvaluationError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'EvaluationError'
  }
}
