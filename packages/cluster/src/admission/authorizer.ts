/** authorizer.group('apps').resource('deployments').check('create').allowed(): what the asking user may do. */
import { type Overload, overloads } from '../cel/function.ts'
import type { Type } from '../cel/type.ts'
import { Opaque } from '../cel/value.ts'

export const authorizerType: Type = { kind: 'opaque', name: 'kubernetes.authorization.Authorizer' }

/** One value plays all the parts: every step narrows the question down. */
class Question extends Opaque {
  readonly typeName = 'kubernetes.authorization.Authorizer'
  readonly answer: boolean

  constructor(answer: boolean) {
    super()
    this.answer = answer
  }

  equals(other: Opaque): boolean {
    return other instanceof Question && other.answer === this.answer
  }
}

/** Nobody is refused anything as long as nobody is authorized. */
export const everythingAllowed = new Question(true)

const same = (question: Question) => question

export function authorizerLibrary(): readonly Overload[] {
  const steps = [
    'path',
    'group',
    'resource',
    'subresource',
    'namespace',
    'name',
    'check',
    'fieldSelector',
    'labelSelector',
  ]
  const found = overloads({
    ...Object.fromEntries(steps.map((step) => [`dyn.${step}(string) -> dyn`, same])),
    'dyn.serviceAccount(string, string) -> dyn': same,
    'dyn.allowed() -> bool': (question: Question) => question.answer,
    'dyn.errored() -> bool': () => false,
    'dyn.error() -> string': () => '',
    'dyn.reason() -> string': () => '',
  })
  const narrowed = (type: Type): Type => (type.kind === 'dyn' ? authorizerType : type)
  return found.map((overload) => ({
    ...overload,
    parameters: [authorizerType, ...overload.parameters.slice(1)],
    result: narrowed(overload.result),
  }))
}
