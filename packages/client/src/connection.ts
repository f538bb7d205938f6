/** Where a server is and who we are. Path and data of one item exclude one another. */
export interface ConnectionInfo {
  /** `https://host:port`, with a path if the server lives below one. */
  readonly server: string
  readonly caPath?: string
  /** PEM, or PEM in base64 as in a kubeconfig. So are the other `…Data`. */
  readonly caData?: string
  /** Accept whatever certificate the server shows. Logged as a warning. @default false */
  readonly insecure?: boolean
  /** The name that the server's certificate must have, if not that of the address. */
  readonly tlsServerName?: string
  readonly username?: string
  readonly password?: string
  /** The scheme of the Authorization header. @default 'Bearer' */
  readonly scheme?: string
  readonly token?: string
  /** A file that is read again when it changes, as service-account tokens do. Wins over `token`. */
  readonly tokenPath?: string
  readonly certificatePath?: string
  readonly certificateData?: string
  readonly privateKeyPath?: string
  readonly privateKeyData?: string
  /** @default 'default' */
  readonly defaultNamespace?: string
}

const SECRETS: ReadonlySet<string> = new Set(['password', 'token', 'privateKeyData', 'certificateData'])
const INSPECT = Symbol.for('nodejs.util.inspect.custom')

/** The same connection, whose secrets are shown by neither `console.log` nor `JSON.stringify`. They are read field by field. */
export function concealed(connection: ConnectionInfo): ConnectionInfo {
  const shown = () => Object.fromEntries(Object.entries(connection).map(([name, value]) => [name, veil(name, value)]))
  return Object.freeze(
    Object.defineProperties({ ...connection }, { toJSON: { value: shown }, [INSPECT]: { value: shown } }),
  )
}

function veil(name: string, value: unknown): unknown {
  return SECRETS.has(name) && value !== undefined ? '(hidden)' : value
}
