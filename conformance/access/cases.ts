/**
 * Questions about who may do what, in their order: later ones build on what earlier ones made.
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

const core = '/api/v1/namespaces/default'
const rbac = '/apis/rbac.authorization.k8s.io/v1'
const group = 'rbac.authorization.k8s.io'
const whoami = '/apis/authentication.k8s.io/v1/selfsubjectreviews'
const mayI = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'
const maySomebody = '/apis/authorization.k8s.io/v1/subjectaccessreviews'
const mayHere = '/apis/authorization.k8s.io/v1/namespaces/default/localsubjectaccessreviews'
const rules = '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews'
const tokenReviews = '/apis/authentication.k8s.io/v1/tokenreviews'
const merge = 'application/merge-patch+json'

const role = (name: string, ...list: readonly object[]) => ({ metadata: { name }, rules: list })
const rule = (apiGroups: string[], resources: string[], verbs: string[], more: object = {}) => ({
  ...{ apiGroups, resources, verbs },
  ...more,
})
const binding = (name: string, kind: string, roleName: string, ...subjects: readonly object[]) => ({
  metadata: { name },
  roleRef: { apiGroup: group, kind, name: roleName },
  subjects,
})
const user = (name: string) => ({ kind: 'User', apiGroup: group, name })
const resource = (verb: string, name: string, more: object = {}) => ({
  spec: { resourceAttributes: { verb, resource: name, namespace: 'default', ...more } },
})
const post = (name: string, as: Case['as'], path: string, body: object, more: Partial<Case> = {}): Case => ({
  ...{ name, as, method: 'POST' as const, path, body },
  ...more,
})
const get = (name: string, as: Case['as'], path: string, more: Partial<Case> = {}): Case => ({
  ...{ name, as, path },
  ...more,
})

const authentication: readonly Case[] = [
  get('a token that nobody has', 'header Bearer nope', '/api/v1/namespaces'),
  get('no credentials', 'nobody', '/api/v1/namespaces'),
  get('no credentials, a public path', 'nobody', '/healthz'),
  get('no credentials, the root', 'nobody', '/'),
  get('no credentials, discovery', 'nobody', '/api'),
  get('no credentials, a path that is not there', 'nobody', '/nosuch/path'),
  get('a scheme that is not known', 'header Basic Zm9vOmJhcg==', '/api/v1/pods'),
  get('an empty token', 'header Bearer ', '/api/v1/pods'),
  post('who am I, jane', 'jane', whoami, {}),
  post('who am I, admin', 'admin', whoami, {}),
  post('who am I, nobody', 'nobody', whoami, {}),
]

const refusals: readonly Case[] = [
  get('list', 'jane', `${core}/pods`),
  get('get', 'jane', `${core}/pods/x`),
  get('list everywhere', 'jane', '/api/v1/pods'),
  get('watch', 'jane', '/api/v1/pods?watch=1'),
  get('a subresource', 'jane', `${core}/pods/x/log`),
  {
    name: 'scale',
    as: 'jane',
    method: 'PATCH',
    path: '/apis/apps/v1/namespaces/default/deployments/x/scale',
    body: {},
  },
  post('create', 'jane', `${core}/configmaps`, { metadata: { name: 'a' } }),
  { name: 'deletecollection', as: 'jane', method: 'DELETE', path: '/apis/apps/v1/namespaces/default/deployments' },
  get('a resource that is not there', 'jane', '/apis/apps/v1/namespaces/default/nosuch'),
  get('a group that is not there', 'jane', '/apis/example.com/v1/namespaces/default/widgets'),
  get('a path', 'jane', '/metrics'),
  get('a proxy', 'jane', '/api/v1/nodes/n1/proxy/foo'),
  get('a namespace', 'jane', '/api/v1/namespaces/foo'),
  { name: 'the status of a namespace', as: 'jane', method: 'PUT', path: '/api/v1/namespaces/foo/status', body: {} },
  get('a list of one name', 'jane', `${core}/pods?fieldSelector=metadata.name%3Dfoo`),
  get('a name with angle brackets', 'jane', `${core}/pods/%3Cx%3E`),
]

const reviews: readonly Case[] = [
  post('may I, no', 'jane', mayI, resource('list', 'pods')),
  post('may I, as admin', 'admin', mayI, resource('list', 'pods')),
  post('may I, a path', 'jane', mayI, { spec: { nonResourceAttributes: { verb: 'get', path: '/api' } } }),
  post('may I, both', 'jane', mayI, {
    spec: { resourceAttributes: { verb: 'list' }, nonResourceAttributes: { verb: 'get', path: '/version' } },
  }),
  post('may I, nothing', 'jane', mayI, { spec: {} }),
  post('may bob', 'admin', maySomebody, {
    spec: {
      user: 'bob',
      groups: ['devs'],
      uid: 'u',
      extra: { a: ['b'] },
      resourceAttributes: { verb: 'list', resource: 'pods' },
    },
  }),
  post('may a member of system:masters', 'admin', maySomebody, {
    spec: { groups: ['system:masters'], resourceAttributes: { verb: 'list', resource: 'pods' } },
  }),
  post('may somebody without a name', 'admin', maySomebody, resource('list', 'pods')),
  post('may bob, asked by jane', 'jane', maySomebody, { spec: { user: 'bob', ...resource('list', 'pods').spec } }),
  post('may bob here', 'admin', mayHere, { spec: { user: 'bob', ...resource('list', 'pods').spec } }),
  post('may bob elsewhere', 'admin', mayHere, {
    spec: { user: 'bob', ...resource('list', 'pods', { namespace: 'other' }).spec },
  }),
  post('may bob here, a path', 'admin', mayHere, {
    spec: { user: 'bob', nonResourceAttributes: { verb: 'list', path: '/' } },
  }),
  post('what may I, jane', 'jane', rules, { spec: { namespace: 'default' } }),
  post('what may I, admin', 'admin', rules, { spec: { namespace: 'default' } }),
  post('what may I, nowhere', 'jane', rules, { spec: {} }),
  post('whose token is it', 'admin', tokenReviews, { spec: { token: '$jane' } }),
  post('whose token is it, nobody’s', 'admin', tokenReviews, { spec: { token: 'nope' } }),
  post('whose token is it, none given', 'admin', tokenReviews, { spec: {} }),
  post('whose token is it, elsewhere', 'admin', tokenReviews, { spec: { token: '$jane', audiences: ['x'] } }),
  post('whose token is it, asked by jane', 'jane', tokenReviews, { spec: { token: '$jane' } }),
]

const accounts = `${core}/serviceaccounts`
const serviceAccounts: readonly Case[] = [
  post('an account', 'admin', accounts, { metadata: { name: 'bot' } }),
  post('its token', 'admin', `${accounts}/bot/token`, { spec: { expirationSeconds: 600 } }, { keep: 'bot' }),
  post('a token of nothing but defaults', 'admin', `${accounts}/bot/token`, {}),
  post('a token for too short', 'admin', `${accounts}/bot/token`, { spec: { expirationSeconds: 5 } }),
  post('a token for too long', 'admin', `${accounts}/bot/token`, { spec: { expirationSeconds: 99999999999 } }),
  post('a token for others', 'admin', `${accounts}/bot/token`, { spec: { audiences: ['vault'] } }, { keep: 'vault' }),
  post('a token of nobody', 'admin', `${accounts}/nosuch/token`, { spec: {} }),
  post('a token bound to what cannot be', 'admin', `${accounts}/bot/token`, {
    spec: { boundObjectRef: { kind: 'ConfigMap', apiVersion: 'v1', name: 'x' } },
  }),
  post('a token bound to what is not there', 'admin', `${accounts}/bot/token`, {
    spec: { boundObjectRef: { kind: 'Secret', apiVersion: 'v1', name: 'x' } },
  }),
  post('a secret', 'admin', `${core}/secrets`, { metadata: { name: 'held' } }),
  post(
    'a token bound to a secret',
    'admin',
    `${accounts}/bot/token`,
    { spec: { boundObjectRef: { kind: 'Secret', apiVersion: 'v1', name: 'held' } } },
    { keep: 'bound' },
  ),
  post('who am I, bound', 'token bound', whoami, {}),
  post('a token for another name', 'admin', `${accounts}/bot/token`, { metadata: { name: 'other' }, spec: {} }),
  post('a token of another uid', 'admin', `${accounts}/bot/token`, { metadata: { uid: 'other' }, spec: {} }),
  get('a token, asked for by GET', 'admin', `${accounts}/bot/token`),
  post('a token, asked for by jane', 'jane', `${accounts}/bot/token`, { spec: {} }),
  post('who am I, bot', 'token bot', whoami, {}),
  get('bot lists', 'token bot', `${core}/pods`),
  get('a token for others does not open', 'token vault', `${core}/pods`),
  post('whose token is it, bot’s', 'admin', tokenReviews, { spec: { token: '$bot' } }),
  post('whose token is it, of others', 'admin', tokenReviews, { spec: { token: '$vault' } }),
  post('whose token is it, for others', 'admin', tokenReviews, {
    spec: { token: '$vault', audiences: ['vault', 'x'] },
  }),
  { name: 'the secret goes', as: 'admin', method: 'DELETE', path: `${core}/secrets/held`, after: 11 },
  get('a token whose secret is gone', 'token bound', `${core}/pods`),
  { name: 'the account goes', as: 'admin', method: 'DELETE', path: `${accounts}/bot`, after: 11 },
  get('a token whose account is gone', 'token bot', `${core}/pods`),
  post('whose token is it, of an account that is gone', 'admin', tokenReviews, { spec: { token: '$bot' } }),
]

const as = (...pairs: readonly string[]): Partial<Case> => ({ headers: pairs })
const impersonation: readonly Case[] = [
  get('jane as bob', 'jane', `${core}/pods`, as('Impersonate-User', 'bob')),
  get('jane as an account', 'jane', `${core}/pods`, as('Impersonate-User', 'system:serviceaccount:default:bot')),
  get('jane as a node', 'jane', `${core}/pods`, as('Impersonate-User', 'system:node:n1')),
  get('jane as bob, a path', 'jane', '/version', as('Impersonate-User', 'bob')),
  get('a group without a user', 'admin', '/api/v1/pods', as('Impersonate-Group', 'devs')),
  get('an extra without a user', 'admin', '/api/v1/pods', as('Impersonate-Uid', '7', 'Impersonate-Extra-a', 'b')),
  post(
    'admin as bob with everything',
    'admin',
    whoami,
    {},
    as(
      ...['Impersonate-User', 'bob', 'Impersonate-Group', 'devs', 'Impersonate-Group', 'ops', 'Impersonate-Uid', '7'],
      ...['Impersonate-Extra-Scopes', 'view'],
      ...['Impersonate-Extra-Acme%2fproject', 'p1', 'Impersonate-Extra-Acme%2fproject', 'p2'],
    ),
  ),
  post('admin as an account', 'admin', whoami, {}, as('Impersonate-User', 'system:serviceaccount:default:bot')),
  post('admin as a node', 'admin', whoami, {}, as('Impersonate-User', 'system:node:n1')),
  get('admin as nobody', 'admin', '/api/v1/pods', as('Impersonate-User', 'system:anonymous')),
  get('admin as bob lists', 'admin', '/api/v1/pods', as('Impersonate-User', 'bob')),
  post('a role to act as bob', 'admin', `${rbac}/clusterroles`, {
    ...role('imp', rule([''], ['users', 'groups'], ['impersonate'], { resourceNames: ['bob'] })),
  }),
  post('jane has it', 'admin', `${rbac}/clusterrolebindings`, binding('imp', 'ClusterRole', 'imp', user('jane')), {
    after: 0.5,
  }),
  post('jane may be bob', 'jane', whoami, {}, as('Impersonate-User', 'bob')),
  post('bob without that group', 'jane', whoami, {}, as('Impersonate-User', 'bob', 'Impersonate-Group', 'ops')),
  post('eve, never', 'jane', whoami, {}, as('Impersonate-User', 'eve')),
  post('bob without extras', 'jane', whoami, {}, as('Impersonate-User', 'bob', 'Impersonate-Extra-scopes', 'view')),
  post('bob without a uid', 'jane', whoami, {}, as('Impersonate-User', 'bob', 'Impersonate-Uid', '9')),
]

const pods = (...verbs: string[]) => rule([''], ['pods'], verbs)
const permissions: readonly Case[] = [
  post('a role', 'admin', `${rbac}/namespaces/default/roles`, {
    ...role(
      'reader',
      rule([''], ['configmaps'], ['get', 'patch', 'update'], { resourceNames: ['mine'] }),
      rule(['apps'], ['*/scale'], ['get']),
      rule([''], ['pods/log'], ['get']),
    ),
  }),
  post(
    'a binding',
    'admin',
    `${rbac}/namespaces/default/rolebindings`,
    {
      ...binding('reader', 'Role', 'reader', { kind: 'Group', name: 'devs' }),
    },
    { after: 0.5 },
  ),
  get('the one that is named', 'jane', `${core}/configmaps/mine`),
  get('one that is not', 'jane', `${core}/configmaps/other`),
  get('in another namespace', 'jane', '/api/v1/namespaces/kube-system/configmaps/mine'),
  get('any scale', 'jane', '/apis/apps/v1/namespaces/default/statefulsets/x/scale'),
  get('scale is not the thing itself', 'jane', '/apis/apps/v1/namespaces/default/statefulsets/x'),
  get('a log is not a pod', 'jane', `${core}/pods/x`),
  post('may I, by a binding', 'jane', mayI, resource('get', 'configmaps', { name: 'mine' })),
  {
    ...{
      name: 'who may patch may not create',
      as: 'jane',
      method: 'PATCH',
      path: `${core}/configmaps/mine?fieldManager=x`,
    },
    ...{ contentType: 'application/apply-patch+yaml' },
    body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'mine' } },
  },
  {
    name: 'the binding goes',
    as: 'admin',
    method: 'DELETE',
    path: `${rbac}/namespaces/default/rolebindings/reader`,
    after: 0.5,
  },
  get('no more', 'jane', `${core}/configmaps/mine`),
]

const escalation: readonly Case[] = [
  post('a role to write roles', 'admin', `${rbac}/clusterroles`, {
    ...role(
      'rbacwriter',
      rule(
        [group],
        ['roles', 'rolebindings', 'clusterroles', 'clusterrolebindings'],
        ['get', 'create', 'update', 'patch', 'delete'],
      ),
      rule([''], ['configmaps'], ['get', 'list']),
    ),
  }),
  post(
    'the devs have it',
    'admin',
    `${rbac}/clusterrolebindings`,
    {
      ...binding('rbacwriter', 'ClusterRole', 'rbacwriter', { kind: 'Group', apiGroup: group, name: 'devs' }),
    },
    { after: 0.5 },
  ),
  post('what one has', 'jane', `${rbac}/namespaces/default/roles`, role('ok', rule([''], ['configmaps'], ['get']))),
  post('what one has not', 'jane', `${rbac}/namespaces/default/roles`, {
    ...role(
      'no',
      rule(['', 'apps'], ['secrets', 'configmaps'], ['get', 'list'], { resourceNames: ['a'] }),
      rule([''], ['pods', 'pods/log'], ['*']),
    ),
  }),
  post('paths that one has not', 'jane', `${rbac}/clusterroles`, {
    ...role('no', { nonResourceURLs: ['/metrics', '/x/*'], verbs: ['get', 'post'] }),
  }),
  post('a sum of others', 'jane', `${rbac}/clusterroles`, {
    ...role('agg'),
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] },
  }),
  {
    ...{ name: 'more by a patch', as: 'jane', method: 'PATCH', path: `${rbac}/namespaces/default/roles/ok` },
    ...{ contentType: merge, body: { rules: [rule([''], ['secrets'], ['get'])] } },
  },
  {
    ...{ name: 'a label by a patch', as: 'jane', method: 'PATCH', path: `${rbac}/namespaces/default/roles/ok` },
    ...{ contentType: merge, body: { metadata: { labels: { a: 'b' } } } },
  },
  post('a role of others', 'jane', `${rbac}/namespaces/default/rolebindings`, {
    ...binding('b', 'ClusterRole', 'system:node-proxier', user('jane')),
  }),
  post('a role of one’s own', 'jane', `${rbac}/namespaces/default/rolebindings`, {
    ...binding('bok', 'Role', 'ok', { kind: 'ServiceAccount', name: 'bot' }),
  }),
  post('a role that is not there', 'jane', `${rbac}/namespaces/default/rolebindings`, {
    ...binding('bm', 'Role', 'nosuch', user('jane')),
  }),
  post('a cluster role that is not there', 'jane', `${rbac}/clusterrolebindings`, {
    ...binding('bm', 'ClusterRole', 'nosuch', user('jane')),
  }),
  post('a role to bind and to escalate', 'admin', `${rbac}/clusterroles`, {
    ...role(
      'over',
      rule([group], ['clusterroles'], ['bind'], { resourceNames: ['view'] }),
      rule([group], ['roles'], ['escalate']),
    ),
  }),
  post(
    'jane has that too',
    'admin',
    `${rbac}/clusterrolebindings`,
    binding('over', 'ClusterRole', 'over', user('jane')),
    {
      after: 0.5,
    },
  ),
  post('bind lets it pass', 'jane', `${rbac}/namespaces/default/rolebindings`, {
    ...binding('bview', 'ClusterRole', 'view', user('eve')),
  }),
  post('escalate lets it pass', 'jane', `${rbac}/namespaces/default/roles`, role('more', pods('get'))),
  { name: 'without them again', as: 'admin', method: 'DELETE', path: `${rbac}/clusterrolebindings/over` },
  post(
    'a binding to nothing',
    'admin',
    `${rbac}/clusterrolebindings`,
    binding('broken', 'ClusterRole', 'nosuch', user('jane')),
  ),
  post(
    'another one',
    'admin',
    `${rbac}/namespaces/default/rolebindings`,
    binding('broken', 'Role', 'nosuch2', user('jane')),
    {
      after: 0.5,
    },
  ),
  get('a refusal tells of it', 'jane', `${core}/pods`),
  post('a review tells of it', 'jane', mayI, resource('list', 'pods')),
  post('an escalation tells of it', 'jane', `${rbac}/namespaces/default/roles`, role('no', pods('get'))),
]

const validation: readonly Case[] = [
  {
    ...{ name: 'another role for a binding', as: 'admin', method: 'PATCH', path: `${rbac}/clusterrolebindings/broken` },
    ...{ contentType: merge, body: { roleRef: { name: 'other' } } },
  },
  post('rules that say nothing', 'admin', `${rbac}/namespaces/default/roles`, {
    ...role(
      'inv',
      rule([''], ['pods'], []),
      { nonResourceURLs: ['/x'], verbs: ['get'] },
      { resources: ['a'], verbs: ['get'] },
      { apiGroups: [''], verbs: ['get'] },
    ),
  }),
  post('rules that say too much', 'admin', `${rbac}/clusterroles`, {
    ...role('inv', rule([''], ['a'], ['get'], { nonResourceURLs: ['/x'] }), { apiGroups: [''], resources: ['x'] }),
    aggregationRule: { clusterRoleSelectors: [] },
  }),
  post('a binding of nothing to nobody', 'admin', `${rbac}/namespaces/default/rolebindings`, {
    metadata: { name: 'inv' },
    roleRef: { apiGroup: 'x', kind: 'Foo', name: '' },
    subjects: [
      { kind: 'User', apiGroup: 'x', name: '' },
      { kind: 'ServiceAccount', name: 'A_' },
      { kind: 'Zed', name: 'z' },
      { kind: 'Group', name: 'g', namespace: 'n' },
    ],
  }),
  post('a binding across the cluster', 'admin', `${rbac}/clusterrolebindings`, {
    ...binding('inv', 'Role', 'x', { kind: 'ServiceAccount', name: 'a' }),
  }),
]

const remove = (path: string): Case => ({ name: `${path} goes`, as: 'admin', method: 'DELETE', path })
const cleaning: readonly Case[] = [
  ...['imp', 'rbacwriter', 'broken'].map((name) => remove(`${rbac}/clusterrolebindings/${name}`)),
  ...['imp', 'rbacwriter', 'over'].map((name) => remove(`${rbac}/clusterroles/${name}`)),
  ...['bok', 'bview', 'broken'].map((name) => remove(`${rbac}/namespaces/default/rolebindings/${name}`)),
  ...['ok', 'more', 'reader'].map((name) => remove(`${rbac}/namespaces/default/roles/${name}`)),
]

export const cases: readonly Case[] = [
  ...[...authentication, ...refusals, ...reviews, ...serviceAccounts, ...impersonation],
  ...[...permissions, ...escalation, ...validation, ...cleaning],
]
