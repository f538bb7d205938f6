import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { kubeconfigOf } from './kubeconfig.ts'

describe('a kubeconfig', () => {
  const base64 = (text: string) => Buffer.from(text).toString('base64')

  it('is YAML that says how to reach the cluster', () => {
    const text = kubeconfigOf({ server: 'http://127.0.0.1:80', insecure: true }, 'binnacle')
    expect(parse(text)).toEqual({
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'binnacle',
      clusters: [{ name: 'binnacle', cluster: { server: 'http://127.0.0.1:80', 'insecure-skip-tls-verify': true } }],
      users: [{ name: 'binnacle', user: {} }],
      contexts: [{ name: 'binnacle', context: { cluster: 'binnacle', user: 'binnacle', namespace: 'default' } }],
    })
  })

  it('carries certificates and keys', () => {
    const connection = { server: 'https://[::1]:80', caData: 'ca', certificateData: 'crt', privateKeyData: 'key' }
    const { clusters, users } = parse(kubeconfigOf(connection, 'kubernetes-admin'))
    expect(clusters[0].cluster).toEqual({ server: 'https://[::1]:80', 'certificate-authority-data': base64('ca') })
    expect(users[0].user).toEqual({ 'client-certificate-data': base64('crt'), 'client-key-data': base64('key') })
  })

  it.each([
    ...[
      'jane',
      'yes',
      'Null',
      '123',
      '1e3',
      '0x1F',
      'a: b',
      'a #b',
      '- x',
      '"quoted"',
      "it's",
      'né',
      '~',
      '*',
      'a:',
      ' ',
    ],
    ...['system:serviceaccount:shop:bot', '2026-01-01', '{a}', 'a\nb', '.5', '!x'],
  ])('keeps the name and the token %j', (text) => {
    const { users, contexts } = parse(kubeconfigOf({ server: 'https://x', token: text }, text, text))
    expect([users[0].name, users[0].user.token, contexts[0].context]).toEqual([
      text,
      text,
      { cluster: 'binnacle', user: text, namespace: text },
    ])
  })
})
