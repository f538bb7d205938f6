/** authorizer.group('apps').resource('deployments').check('create').allowed(): what the asking user may do. */
import { type Attributes, pathAttributes, resourceAttributes } from '../access/attributes.ts'
import { accountGroups, accountUserName, type User } from '../access/user.ts'
import { type Overload, overloads, type Signatures } from '../cel/function.ts'
import type { Type } from '../cel/type.ts'
import { Opaque } from '../cel/value.ts'
import type { Backend } from '../request/backend.ts'

const name = 'kubernetes.authorization.Authorizer'

export const authorizerType: Type = { kind: 'opaque', name }

/** One value plays all the parts of the original: every step narrows the question down. */
export class Question extends Opaque {
  readonly typeName = name
  readonly #backend: Backend
  readonly #user: User
  readonly #attributes: Partial<Attributes>

  constructor(backend: Backend, user: User, attributes: Partial<Attributes> = {}) {
    super()
    this.#backend = backend
    this.#user = user
    this.#attributes = attributes
  }

  with(attributes: Partial<Attributes>): Question {
    return new Question(this.#backend, this.#user, { ...this.#attributes, ...attributes })
  }

  as(user: User): Question {
    return new Question(this.#backend, user, this.#attributes)
  }

  get verdict(): { readonly allowed: boolean; readonly reason: string } {
    const { path, verb = '' } = this.#attributes
    const asked = path === undefined ? resourceAttributes(this.#attributes) : pathAttributes(verb, path)
    return this.#backend.access.authorizer.authorize(this.#user, asked)
  }

  equals(other: Opaque): boolean {
    return other === this
  }
}

const steps: Readonly<Record<string, keyof Attributes>> = {
  path: 'path',
  group: 'group',
  resource: 'resource',
  subresource: 'subresource',
  namespace: 'namespace',
  name: 'name',
  check: 'verb',
}

export function authorizerLibrary(): readonly Overload[] {
  const found: Record<string, Signatures[string]> = {
    'dyn.serviceAccount(string, string) -> dyn': (question: Question, namespace: string, account: string) =>
      question.as({
        name: accountUserName({ namespace, name: account }),
        groups: [...accountGroups(namespace), 'system:authenticated'],
      }),
    'dyn.allowed() -> bool': (question: Question) => question.verdict.allowed,
    'dyn.reason() -> string': (question: Question) => question.verdict.reason,
    'dyn.errored() -> bool': () => false,
    'dyn.error() -> string': () => '',
    'dyn.fieldSelector(string) -> dyn': (question: Question) => question,
    'dyn.labelSelector(string) -> dyn': (question: Question) => question,
  }
  for (const [step, key] of Object.entries(steps)) {
    found[`dyn.${step}(string) -> dyn`] = (question: Question, value: string) => question.with({ [key]: value })
  }
  const own = (type: Type): Type => (type.kind === 'dyn' ? authorizerType : type)
  return overloads(found).map((overload) => ({
    ...overload,
    parameters: [authorizerType, ...overload.parameters.slice(1)],
    result: own(overload.result),
  }))
}
