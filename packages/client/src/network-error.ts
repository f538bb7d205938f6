import { messageOf, NetworkError } from '@binnacle/core'

/**
 * What the system says when a connection fails → a message with the address and what to do.
 * Guarantees: `mayHaveCommitted` is false only if the request cannot have reached the server.
 */

interface Explanation {
  readonly words: string
  readonly hint: string
  /** No byte of the request was sent. */
  readonly unsent?: true
  /** Trying again changes nothing. */
  readonly lasting?: true
}

const REFUSED_CERTIFICATE: Explanation = {
  words: 'its certificate is not signed by the certificate authority of the connection',
  hint: 'Check certificate-authority(-data) of the cluster in the kubeconfig: it may belong to another cluster, or to an older one.',
  unsent: true,
  lasting: true,
}

const PROXY: Explanation = {
  words: 'the way to it is closed',
  hint: 'Check proxy-url of the cluster in the kubeconfig, and what the proxy allows.',
  unsent: true,
}

const DAMAGED: Explanation = {
  words: 'the compressed answer is damaged',
  hint: 'Something between client and server may have cut or changed it, such as a proxy.',
}

const EXPLANATIONS: ReadonlyMap<string, Explanation> = new Map<string, Explanation>([
  [
    'ECONNREFUSED',
    { words: 'the connection was refused', hint: 'Is the server running, and is this its port?', unsent: true },
  ],
  [
    'ENOTFOUND',
    { words: 'there is no such host', hint: 'Check the server in the kubeconfig, and the DNS.', unsent: true },
  ],
  ['EAI_AGAIN', { words: 'its name cannot be looked up now', hint: 'Check the DNS.', unsent: true }],
  ['EHOSTUNREACH', { words: 'the host cannot be reached', hint: 'Check the network, or the VPN.', unsent: true }],
  ['ENETUNREACH', { words: 'the network cannot be reached', hint: 'Check the network, or the VPN.', unsent: true }],
  [
    'UND_ERR_CONNECT_TIMEOUT',
    {
      words: 'no connection within the time for it',
      hint: 'Check the address, the network and its firewalls.',
      unsent: true,
    },
  ],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', REFUSED_CERTIFICATE],
  ['UNABLE_TO_GET_ISSUER_CERT', REFUSED_CERTIFICATE],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', REFUSED_CERTIFICATE],
  ['SELF_SIGNED_CERT_IN_CHAIN', REFUSED_CERTIFICATE],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', REFUSED_CERTIFICATE],
  ['CERT_SIGNATURE_FAILURE', REFUSED_CERTIFICATE],
  ['INVALID_PURPOSE', REFUSED_CERTIFICATE],
  [
    'CERT_HAS_EXPIRED',
    {
      words: 'its certificate has expired',
      hint: "Renew the server's certificate, and check the clocks.",
      unsent: true,
      lasting: true,
    },
  ],
  [
    'ERR_TLS_CERT_ALTNAME_INVALID',
    {
      words: 'its certificate is for another name',
      hint: 'Use an address that the certificate names, or set tls-server-name in the kubeconfig.',
      unsent: true,
      lasting: true,
    },
  ],
  ['ERR_PROXY', PROXY],
  ['Z_DATA_ERROR', DAMAGED],
  ['Z_BUF_ERROR', DAMAGED],
  [
    'EPROTO',
    {
      words: 'it does not speak TLS as we do',
      hint: 'Should the address begin with http://?',
      unsent: true,
      lasting: true,
    },
  ],
  [
    'ERR_SSL_WRONG_VERSION_NUMBER',
    { words: 'it does not speak TLS', hint: 'Should the address begin with http://?', unsent: true, lasting: true },
  ],
])

const LOST: Explanation = {
  words: 'the connection was lost',
  hint: 'The server may be restarting, or something in between has closed the connection.',
}

export function networkError(
  error: unknown,
  context: { readonly address: string; readonly method: string },
): NetworkError {
  const { words, hint, unsent } = explanationOf(error)
  const detail = words === LOST.words || words === PROXY.words ? ` (${messageOf(innermost(error))})` : ''
  return new NetworkError({
    message: `No answer from ${context.address}: ${words}${detail}`,
    hint,
    cause: error,
    mayHaveCommitted: !unsent && context.method !== 'GET',
  })
}

/** The request ran longer than it was allowed to. */
export function deadlineError(what: string, seconds: number, method: string): NetworkError {
  return new NetworkError({
    message: `No answer within ${seconds} s: ${what}`,
    hint: 'The server is overloaded or unreachable; "timeout" of the request or "requestTimeout" of the client allows more.',
    mayHaveCommitted: method !== 'GET',
  })
}

/** An answer that has to be JSON. */
export function jsonOf(text: string, request: { readonly method: string; readonly path: string }): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw notJson(request, error)
  }
}

export function notJson({ method, path }: { readonly method: string; readonly path: string }, cause: unknown) {
  return new NetworkError({
    message: `The answer to ${method} ${path} is not JSON: ${messageOf(cause)}`,
    hint: 'Something else than an API server may have answered, such as a proxy or a login page.',
    mayHaveCommitted: method !== 'GET',
    cause,
  })
}

/** Whether the same request could succeed a moment later. */
export function isTransient(error: NetworkError): boolean {
  return explanationOf(error.cause).lasting !== true
}

/** The server's certificate is not signed by an authority that we know. */
export function isRefusedCertificate(error: unknown): boolean {
  return explanationOf(error) === REFUSED_CERTIFICATE
}

function explanationOf(error: unknown): Explanation {
  return EXPLANATIONS.get(codeOf(error)) ?? LOST
}

function codeOf(error: unknown): string {
  return String((innermost(error) as { code?: unknown } | undefined)?.code ?? '')
}

/** Several addresses that all failed come as one AggregateError; its first error says what happened. */
function innermost(error: unknown): unknown {
  if (error instanceof AggregateError && error.errors.length > 0) return innermost(error.errors[0])
  return error
}
