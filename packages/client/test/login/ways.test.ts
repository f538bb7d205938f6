import type { ServerOptions } from 'node:https'
import type { AddressInfo } from 'node:net'
import { connect as connectSocket, createServer as createTcpServer, type Socket } from 'node:net'
import { explain, type Logger, silentLogger } from '@binnacle/core'
import { describe, expect, it } from 'vitest'
import { type ConnectionInfo, type ConnectOptions, connect } from '../../src/index.ts'
import { CERTIFICATE, EXPIRED_CERTIFICATE, EXPIRED_PRIVATE_KEY, PRIVATE_KEY } from '../certificate.ts'
import { afterwards, echo, serve } from '../server.ts'

/** Ways to a server, and which of them are refused. */

const TLS = { cert: CERTIFICATE, key: PRIVATE_KEY }
const SECRET = 'planted-secret'

const answering = (tls?: object) =>
  serve((request, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(echo(request))
  }, tls)

async function ask(
  kubeconfig: ConnectionInfo,
  options: ConnectOptions = {},
): Promise<{ rawHeaders: string[]; headers: Record<string, string> }> {
  await using client = await connect({ kubeconfig, errorBackoffs: [], ...options })
  return await client.request('GET', '/')
}

async function problem(kubeconfig: ConnectionInfo, options: ConnectOptions = {}): Promise<string> {
  return ask(kubeconfig, options).then(
    () => 'no problem',
    (error) => explain(error),
  )
}

/** An HTTP proxy that makes tunnels and notes for whom. */
async function httpProxy() {
  const asked: string[] = []
  const proxy = await serve((_, response) => response.writeHead(500).end())
  proxy.server.on('connect', (request, socket: Socket) => {
    asked.push(`${request.url} ${request.headers['proxy-authorization'] ?? ''}`.trim())
    const [host, port] = (request.url ?? '').split(':')
    const target = connectSocket(Number(port), host)
    socket.on('error', () => target.destroy())
    target.on('error', () => socket.destroy())
    socket.write('HTTP/1.1 200 OK\r\n\r\n')
    target.pipe(socket).pipe(target)
    afterwards(() => {
      socket.destroy()
      target.destroy()
    })
  })
  return { url: proxy.url, asked }
}

/** Just enough of SOCKS 5. */
async function socksProxy() {
  const asked: string[] = []
  const server = createTcpServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => {
      socket.write(Buffer.from([5, 0]))
      socket.once('data', (hello) => {
        const host = hello[3] === 1 ? hello.subarray(4, 8).join('.') : hello.subarray(5, 5 + (hello[4] ?? 0)).toString()
        const port = hello.readUInt16BE(hello.length - 2)
        asked.push(`${host}:${port}`)
        const target = connectSocket(port, host, () => {
          socket.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]))
          target.pipe(socket).pipe(target)
        })
        target.on('error', () => socket.destroy())
        afterwards(() => {
          socket.destroy()
          target.destroy()
        })
      })
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterwards(() => new Promise((resolve) => server.close(resolve)))
  return { url: `socks5://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}

describe('a proxy', () => {
  it('makes a tunnel to the server, by name and password if it wants them', async () => {
    const { url } = await answering(TLS)
    const proxy = await httpProxy()
    const proxyUrl = proxy.url.replace('//', '//me:pass@')
    const { headers } = await ask({ server: url, caData: CERTIFICATE, token: SECRET, proxyUrl })
    expect(headers.authorization).toBe(`Bearer ${SECRET}`)
    expect(headers['proxy-authorization']).toBeUndefined()
    expect(proxy.asked).toEqual([`${new URL(url).host} Basic ${Buffer.from('me:pass').toString('base64')}`])
  })

  it('does not lower the guard: the certificate behind it is checked', async () => {
    const { url } = await answering(TLS)
    const proxy = await httpProxy()
    expect(await problem({ server: url, proxyUrl: proxy.url })).toContain('its certificate is not signed by')
  })

  it('may speak SOCKS 5', async () => {
    const { url } = await answering(TLS)
    const proxy = await socksProxy()
    await ask({ server: url, caData: CERTIFICATE, proxyUrl: proxy.url })
    expect(proxy.asked).toEqual([new URL(url).host])
  })

  it('that does not exist is told, without its password', async () => {
    const text = await problem({ server: 'https://127.0.0.1:1', proxyUrl: `http://me:${SECRET}@127.0.0.1:9` })
    expect(text).toContain('the connection was refused')
    expect(text).not.toContain(SECRET)
  })

  it.each([
    ['hangs up', (socket: Socket) => socket.destroy(), 'it hung up'],
    ['refuses', (socket: Socket) => socket.end('HTTP/1.1 407 No\r\n\r\n'), 'it answered 407'],
  ])('that %s fails the request once, as one that was never sent', async (_, react, message) => {
    let asked = 0
    const proxy = await serve(() => {})
    proxy.server.on('connect', (_request, socket: Socket) => {
      asked++
      react(socket)
    })
    const text = await problem({ server: 'https://127.0.0.1:1', proxyUrl: proxy.url })
    expect(text).toContain(message)
    expect(asked).toBe(1)
  })

  it('of an unknown scheme is refused, without its password', async () => {
    const text = await problem({ server: 'https://127.0.0.1:1', proxyUrl: `ftp://me:${SECRET}@proxy` })
    expect(text).toContain('The address of the proxy cannot be used: ftp://proxy')
    expect(text).not.toContain(SECRET)
  })
})

describe('impersonation', () => {
  it('sends user, uid, each group and each extra by a header of its own', async () => {
    const { url } = await answering()
    const impersonate = {
      user: 'jane',
      uid: '7',
      groups: ['dev', 'ops,all'],
      extra: { scopes: ['a', 'b'], 'example.com/team %': ['x'] },
    }
    const { rawHeaders } = await ask({ server: url, impersonate })
    const sent = rawHeaders.join('\n')
    expect(sent).toContain(
      [
        'Impersonate-User\njane\nImpersonate-Uid\n7\nImpersonate-Group\ndev\nImpersonate-Group\nops,all',
        'Impersonate-Extra-scopes\na\nImpersonate-Extra-scopes\nb\nImpersonate-Extra-example.com%2Fteam%20%25\nx',
      ].join('\n'),
    )
  })

  it('by an option takes the place of what the kubeconfig says', async () => {
    const { url } = await answering()
    const { headers } = await ask({ server: url, impersonate: { user: 'a' } }, { impersonate: { user: 'b' } })
    expect(headers['impersonate-user']).toBe('b')
  })

  it('that would add a header of its own is refused', async () => {
    for (const impersonate of [
      { user: 'a\r\nX: y' },
      { user: 'a', groups: ['b\nc'] },
      { user: 'a', extra: { k: ['\0'] } },
    ]) {
      expect(await problem({ server: 'http://127.0.0.1:9', impersonate })).toContain(
        'What is impersonated cannot be sent',
      )
    }
    expect(await problem({ server: 'http://127.0.0.1:9', impersonate: { user: '', groups: ['g'] } })).toContain(
      'but no user',
    )
  })
})

// A16: a server URL that points at a metadata service or a file; redirects; proxy-url.
describe('A16: credentials go to the server that is named, and nowhere else', () => {
  it('a redirection is an error, and is not followed', async () => {
    const other = await answering()
    const { url } = await serve((_, response) => response.writeHead(307, { location: other.url }).end())
    await expect(ask({ server: url, token: SECRET })).rejects.toThrow(/307/)
    expect(other.opened()).toBe(0)
  })

  it.each(['file:///etc/passwd', 'ftp://a', 'data:,x', 'javascript:0', 'unix:/run/x', 'a:6443', ''])(
    'the address %j is refused',
    async (server) => {
      expect(await problem({ server, token: SECRET })).toContain('The address of the server is not a URL')
    },
  )

  it.each([
    'http://169.254.169.254',
    'http://[fe80::1]',
    'http://[fd00:ec2::254]',
    'http://metadata.google.internal/x',
  ])('the address %j of a metadata service is refused', async (server) => {
    expect(await problem({ server, token: SECRET })).toContain('is that of a metadata service')
  })

  it('an address with credentials in it is refused without showing them', async () => {
    const text = await problem({ server: `https://me:${SECRET}@127.0.0.1` })
    expect(text).toContain('contains a user name or a password')
    expect(text).not.toContain(SECRET)
  })

  it('credentials that travel unencrypted to another machine are warned of', async () => {
    const warned = async (connection: ConnectionInfo) => {
      const messages: string[] = []
      const logger: Logger = { ...silentLogger, warn: (message: string) => messages.push(message) }
      await using _ = await connect({ kubeconfig: connection, logger })
      return messages.length
    }
    expect(await warned({ server: 'http://example.com', token: 't' })).toBe(1)
    expect(await warned({ server: 'http://example.com' })).toBe(0)
    expect(await warned({ server: 'http://127.0.0.1:1', token: 't' })).toBe(0)
    expect(await warned({ server: 'https://example.com', token: 't' })).toBe(0)
  })
})

// A17: insecure-skip-tls-verify, missing CA, wrong tls-server-name, expired certificate, TLS older than 1.2.
describe('A17: a server that cannot prove who it is gets nothing', () => {
  it.each([
    ['that no known authority has signed', TLS, {}, 'its certificate is not signed by'],
    ['that is for another name', TLS, { caData: CERTIFICATE, tlsServerName: 'elsewhere' }, 'is for another name'],
    [
      'that has expired',
      { cert: EXPIRED_CERTIFICATE, key: EXPIRED_PRIVATE_KEY },
      { caData: EXPIRED_CERTIFICATE },
      'has expired',
    ],
    [
      'over TLS 1.1',
      { ...TLS, minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' },
      { caData: CERTIFICATE },
      'No answer',
    ],
  ] satisfies [string, ServerOptions, object, string][])(
    'with a certificate %s',
    async (_, tls, connection, message) => {
      let requests = 0
      const { url } = await serve((_, response) => {
        requests++
        response.end()
      }, tls)
      expect(await problem({ server: url, token: SECRET, ...connection })).toContain(message)
      expect(requests).toBe(0)
    },
  )

  it('not even if the environment says that certificates do not matter', async () => {
    const before = process.env.NODE_TLS_REJECT_UNAUTHORIZED
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
    try {
      const { url } = await answering(TLS)
      expect(await problem({ server: url, token: SECRET })).toContain('its certificate is not signed by')
    } finally {
      if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
      else process.env.NODE_TLS_REJECT_UNAUTHORIZED = before
    }
  })
})
