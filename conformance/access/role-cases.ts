/** Questions about roles: acting as others, what a role allows, who may give it away, which are refused. */
import {
  binding,
  type Case,
  core,
  get,
  group,
  mayI,
  merge,
  post,
  rbac,
  resource,
  role,
  rule,
  user,
  whoami,
} from './case.ts'

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

export const roleCases: readonly Case[] = [...impersonation, ...permissions, ...escalation, ...validation, ...cleaning]
