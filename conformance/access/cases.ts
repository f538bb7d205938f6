/** Questions about who may do what, in their order: later ones build on what earlier ones made. */
import {
  type Case,
  core,
  get,
  mayHere,
  mayI,
  maySomebody,
  post,
  resource,
  rules,
  tokenReviews,
  whoami,
} from './case.ts'
import { roleCases } from './role-cases.ts'

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

export const cases: readonly Case[] = [...authentication, ...refusals, ...reviews, ...serviceAccounts, ...roleCases]
