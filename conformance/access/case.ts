/**
 * A question about who may do what, and the words in which such questions are asked.
 * The users are those of the control plane: admin (system:masters) and jane (devs).
 */
export interface Case {
  readonly name: string
  /** Who asks: one of the two, nobody, a token that an earlier case brought, or an Authorization header as it is. */
  readonly as: 'admin' | 'jane' | 'nobody' | `token ${string}` | `header ${string}`
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  /** `$NAME` in a string is the token of that name. */
  readonly body?: object
  readonly contentType?: string
  /** Names and values; a name may come twice. */
  readonly headers?: readonly string[]
  /** Remembers the token of the answer by this name. */
  readonly keep?: string
  /** Seconds until the original acts on what was written: its caches learn of it later. */
  readonly after?: number
}

export const core = '/api/v1/namespaces/default'
export const rbac = '/apis/rbac.authorization.k8s.io/v1'
export const group = 'rbac.authorization.k8s.io'
export const whoami = '/apis/authentication.k8s.io/v1/selfsubjectreviews'
export const mayI = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'
export const maySomebody = '/apis/authorization.k8s.io/v1/subjectaccessreviews'
export const mayHere = '/apis/authorization.k8s.io/v1/namespaces/default/localsubjectaccessreviews'
export const rules = '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews'
export const tokenReviews = '/apis/authentication.k8s.io/v1/tokenreviews'
export const merge = 'application/merge-patch+json'

export const role = (name: string, ...list: readonly object[]) => ({ metadata: { name }, rules: list })
export const rule = (apiGroups: string[], resources: string[], verbs: string[], more: object = {}) => ({
  ...{ apiGroups, resources, verbs },
  ...more,
})
export const binding = (name: string, kind: string, roleName: string, ...subjects: readonly object[]) => ({
  metadata: { name },
  roleRef: { apiGroup: group, kind, name: roleName },
  subjects,
})
export const user = (name: string) => ({ kind: 'User', apiGroup: group, name })
export const resource = (verb: string, name: string, more: object = {}) => ({
  spec: { resourceAttributes: { verb, resource: name, namespace: 'default', ...more } },
})
export const post = (name: string, as: Case['as'], path: string, body: object, more: Partial<Case> = {}): Case => ({
  ...{ name, as, method: 'POST' as const, path, body },
  ...more,
})
export const get = (name: string, as: Case['as'], path: string, more: Partial<Case> = {}): Case => ({
  ...{ name, as, path },
  ...more,
})
