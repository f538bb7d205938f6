import { apiError, type Client, type Resource } from 'binnacle'

/** What is asked of a list or a watch. */
export interface Question {
  readonly resource: Resource
  readonly namespace?: string | undefined
  readonly fields?: string | undefined
}

/** A client whose lists and watches fail where `refuse` gives a reason: 403 for 'forbidden', 400 for 'not understood'. */
export function limitedClient(client: Client, refuse: (question: Question) => keyof typeof STATUS | undefined): Client {
  const check = (resource: Resource, asked: Omit<Question, 'resource'> = {}) => {
    const reason = refuse({ ...asked, resource })
    if (reason) throw apiError(STATUS[reason](resource), { request: { method: 'GET', path: '/' } })
  }
  return new Proxy(client, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target)
      if (typeof member !== 'function') return member
      return (...args: [Resource, object]) => {
        if (name === 'list' || name === 'watch') check(...args)
        return member.apply(target, args)
      }
    },
  })
}

const STATUS = {
  forbidden: ({ group, plural }: Resource) => ({
    code: 403,
    reason: 'Forbidden',
    message: `${plural} is forbidden: User "x" cannot list resource "${plural}" in API group "${group}"`,
  }),
  'not understood': () => ({ code: 400, reason: 'BadRequest', message: 'field label not supported' }),
}
