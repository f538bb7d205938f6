/** The forms that look like calls and are not: they bind variables, or look without touching. Pure functions of the tree. */
import { CompileError, type Node } from './ast.ts'

interface Form {
  /** How many arguments are names of variables; the rest are bodies. */
  readonly variables: number
  readonly bodies: number
}

/** By name and number of arguments. */
const forms = new Map<string, Form>([
  ...['all', 'exists', 'exists_one', 'map', 'filter', 'sortBy'].map(
    (name) => [`${name}/2`, { variables: 1, bodies: 1 }] as const,
  ),
  ...['all', 'exists', 'existsOne', 'exists_one', 'transformList', 'transformMap', 'transformMapEntry'].map(
    (name) => [`${name}/3`, { variables: 2, bodies: 1 }] as const,
  ),
  ...['transformList', 'transformMap', 'transformMapEntry'].map(
    (name) => [`${name}/4`, { variables: 2, bodies: 2 }] as const,
  ),
  ['map/3', { variables: 1, bodies: 2 }],
  ['optMap/2', { variables: 1, bodies: 1 }],
  ['optFlatMap/2', { variables: 1, bodies: 1 }],
])

export function isMacro(name: string, target: Node | undefined, args: readonly Node[]): boolean {
  if (target === undefined) return name === 'has' && args.length === 1
  return forms.has(`${name}/${args.length}`)
}

export function macroNode(
  name: string,
  target: Node | undefined,
  args: readonly Node[],
  at: number,
  source: string,
): Node {
  const fail = (place: number, message: string) => new CompileError(source, [{ at: place, message }])
  if (target === undefined) {
    const [subject] = args
    if (subject?.op !== 'select' || subject.optional) throw fail(subject?.at ?? at, 'invalid argument to has() macro')
    return { op: 'has', target: subject.target, field: subject.field, at }
  }
  const { variables } = forms.get(`${name}/${args.length}`) as Form
  const names = args.slice(0, variables).map((arg) => {
    if (arg.op !== 'name') throw fail(arg.at, 'argument must be a simple name')
    return arg.name
  })
  if (names.length === 2 && names[0] === names[1]) {
    throw fail(args[1]?.at ?? at, `duplicate variable name: ${names[0]}`)
  }
  return { op: 'macro', name, target, variables: names, bodies: args.slice(variables), at }
}
