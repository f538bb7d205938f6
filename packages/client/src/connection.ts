/** Where a server is and who we are. Path and data of one item exclude one another. */
export interface ConnectionInfo {
  /** `https://host:port`, with a path if the server lives below one. */
  readonly server: string
  /** Read again when it changes. So are the other `…Path`. */
  readonly caPath?: string
  /** PEM, or PEM in base64 as in a kubeconfig. So are the other `…Data`. */
  readonly caData?: string
  /** Accept whatever certificate the server shows. Logged as a warning. @default false */
  readonly insecure?: boolean
  /** The name that the server's certificate must have, if not that of the address. */
  readonly tlsServerName?: string
  /** A proxy on the way: `http://`, `https://` or `socks5://`, with user and password if it wants them. @default none */
  readonly proxyUrl?: string
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
  /** A program that prints credentials. It runs only if `execPlugins` of `connect` allows it. Tokens and passwords win over it. */
  readonly exec?: ExecPlugin
  /** Act as somebody else, as far as our own user may. */
  readonly impersonate?: Impersonation
  /** @default 'default' */
  readonly defaultNamespace?: string
  /** When it ends to be of use; a login is asked for another one shortly before. Of what a kubeconfig gives, the server says it. @default never */
  readonly expiration?: Date | string
  /** Of what several logins give, the one with the highest is used first. @default 0 */
  readonly priority?: number
}

/** A program that prints an ExecCredential, as kubeconfigs of clouds name it. */
export interface ExecPlugin {
  /** A name to be found on PATH, or an absolute path. */
  readonly command: string
  readonly args?: readonly string[]
  /** Added to the environment of this process. */
  readonly env?: { readonly [name: string]: string }
  /** Which version of the protocol it speaks. */
  readonly apiVersion: 'client.authentication.k8s.io/v1' | 'client.authentication.k8s.io/v1beta1'
  /** Whether it may ask the person at the terminal. @default 'IfAvailable' */
  readonly interactiveMode?: 'Never' | 'IfAvailable' | 'Always'
  /** Tell it which cluster it is for. @default false */
  readonly provideClusterInfo?: boolean
  /** Told as `config` of the cluster, if that is told at all. */
  readonly clusterConfig?: unknown
  /** How to get it, shown when it is not there. */
  readonly installHint?: string
}

/** Who to act as. */
export interface Impersonation {
  readonly user: string
  readonly uid?: string
  readonly groups?: readonly string[]
  readonly extra?: { readonly [key: string]: readonly string[] }
}

const SECRETS: ReadonlySet<string> = new Set(['password', 'token', 'privateKeyData', 'certificateData'])
const HIDDEN = '(hidden)'
const INSPECT = Symbol.for('nodejs.util.inspect.custom')

/** The same connection, whose secrets are shown by neither `console.log` nor `JSON.stringify`. They are read field by field. */
export function concealed(connection: ConnectionInfo): ConnectionInfo {
  const shown = () => Object.fromEntries(Object.entries(connection).map(([name, value]) => [name, veil(name, value)]))
  const { exec } = connection
  return Object.freeze(
    Object.defineProperties(
      { ...connection, ...(exec && { exec: concealedExec(exec) }) },
      { toJSON: { value: shown }, [INSPECT]: { value: shown } },
    ),
  )
}

/** Arguments and environment of a program may hold secrets of whichever form. */
function concealedExec(exec: ExecPlugin): ExecPlugin {
  const shown = () => veil('exec', exec)
  return Object.defineProperties({ ...exec }, { toJSON: { value: shown }, [INSPECT]: { value: shown } })
}

function veil(name: string, value: unknown): unknown {
  if (value === undefined) return value
  if (SECRETS.has(name)) return HIDDEN
  if (name === 'proxyUrl' || name === 'server') return withoutUser(String(value))
  if (name !== 'exec') return value
  const { command, apiVersion, args, env } = value as ExecPlugin
  return { command, apiVersion, ...(args && { args: HIDDEN }), ...(env && { env: HIDDEN }) }
}

/** A URL as messages may show it. */
export function withoutUser(text: string): string {
  if (!URL.canParse(text)) return text.includes('@') ? HIDDEN : text
  const { protocol, host, username, password } = new URL(text)
  return username || password ? `${protocol}//${host}` : text
}
