import { spawn } from 'node:child_process'
import { isPlainObject, LoginError } from '@binnacle/core'
import type { ExecPlugin } from './connection.ts'

/**
 * Runs a program that prints credentials, and reads what it printed.
 * Guarantees: a program that is given up or fails is gone, with all that it started if nobody sat at its terminal; nothing of what it
 * printed to standard output is in any message; of what it printed to standard error only the last line is, shortened, without what
 * looks like a token.
 * Does not guarantee: an end by itself: the time is the caller's, by the signal.
 */

/** What a program printed. */
export interface ExecCredential {
  readonly token?: string
  readonly certificate?: Buffer
  readonly key?: Buffer
  /** Milliseconds since 1970. */
  readonly expires?: number
}

export interface ProgramRun {
  readonly plugin: ExecPlugin
  /** Its absolute path. */
  readonly program: string
  /** Told to it if it wants to know. */
  readonly cluster: object
  /** Whether there is a person at a terminal. */
  readonly terminal: boolean
  readonly env: { readonly [name: string]: string | undefined }
  readonly signal: AbortSignal
}

/** Credentials are some kilobytes. */
const LARGEST_OUTPUT = 1024 * 1024
const LARGEST_COMPLAINT = 16 * 1024

export async function runProgram(run: ProgramRun): Promise<ExecCredential> {
  const { plugin } = run
  const mode = plugin.interactiveMode ?? 'IfAvailable'
  if (mode === 'Always' && !run.terminal) throw needsTerminal(plugin)
  const output = await outputOf(run, run.terminal && mode !== 'Never')
  return readExecCredential(output, plugin)
}

/** What stands in KUBERNETES_EXEC_INFO. */
export function execInfo({ plugin, cluster }: Pick<ProgramRun, 'plugin' | 'cluster'>, interactive: boolean): string {
  const { apiVersion, provideClusterInfo, clusterConfig } = plugin
  const told = { ...cluster, ...(clusterConfig !== undefined && { config: clusterConfig }) }
  const spec = { ...(provideClusterInfo && { cluster: told }), interactive }
  return JSON.stringify({ kind: 'ExecCredential', apiVersion, spec })
}

function outputOf(run: ProgramRun, interactive: boolean): Promise<string> {
  const { plugin, program, signal } = run
  signal.throwIfAborted()
  return new Promise((resolve, reject) => {
    const child = spawn(program, [...(plugin.args ?? [])], {
      env: { ...run.env, ...plugin.env, KUBERNETES_EXEC_INFO: execInfo(run, interactive) },
      stdio: [interactive ? 'inherit' : 'ignore', 'pipe', interactive ? 'inherit' : 'pipe'],
      // Its own group, so that what it has started can be ended with it. At a terminal it could then not read from there.
      detached: !interactive,
      windowsHide: true,
    })
    const printed: Buffer[] = []
    const complaint: Buffer[] = []
    const end = (settle: () => void) => {
      signal.removeEventListener('abort', abort)
      child.stdout?.destroy()
      child.stderr?.destroy()
      settle()
    }
    const giveUp = (error: unknown) => {
      endGroup(child.pid, interactive)
      end(() => reject(error))
    }
    const abort = () => giveUp(signal.reason)
    const fail = (why: string) => giveUp(failed(plugin, why, Buffer.concat(complaint).toString()))
    signal.addEventListener('abort', abort, { once: true })
    child.stdout?.on('data', (chunk: Buffer) => {
      printed.push(chunk)
      if (sizeOf(printed) > LARGEST_OUTPUT) fail(`it printed more than ${LARGEST_OUTPUT} bytes`)
    })
    child.stderr?.on('data', (chunk: Buffer) => {
      if (sizeOf(complaint) < LARGEST_COMPLAINT) complaint.push(chunk)
    })
    child.on('error', (error: NodeJS.ErrnoException) => fail(`it could not be started (${error.code})`))
    child.on('close', (code, by) => {
      if (code === 0) end(() => resolve(Buffer.concat(printed).toString()))
      else fail(code === null ? `it was ended by ${by}` : `it ended with code ${code}`)
    })
  })
}

function endGroup(pid: number | undefined, interactive: boolean): void {
  if (pid === undefined) return
  try {
    process.kill(interactive ? pid : -pid, 'SIGKILL')
  } catch {
    // Nobody is left.
  }
}

function sizeOf(chunks: readonly Buffer[]): number {
  return chunks.reduce((size, { length }) => size + length, 0)
}

/** The ExecCredential that was printed. Pure. */
export function readExecCredential(text: string, plugin: ExecPlugin): ExecCredential {
  const printed = parsed(text)
  if (!isPlainObject(printed) || printed.kind !== 'ExecCredential')
    throw unreadable(plugin, 'no ExecCredential in JSON')
  if (printed.apiVersion !== plugin.apiVersion) throw unreadable(plugin, 'an ExecCredential of another apiVersion')
  const status = isPlainObject(printed.status) ? printed.status : {}
  const { token, clientCertificateData: certificate, clientKeyData: key, expirationTimestamp } = status
  if (!token && !certificate) throw unreadable(plugin, 'neither a token nor a client certificate')
  if (Boolean(certificate) !== Boolean(key)) throw unreadable(plugin, 'half of a client certificate')
  return {
    ...(token ? { token: tokenOf(token, plugin) } : {}),
    ...(certificate ? { certificate: Buffer.from(String(certificate)), key: Buffer.from(String(key)) } : {}),
    ...(expirationTimestamp ? { expires: timeOf(expirationTimestamp, plugin) } : {}),
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A header cannot carry line breaks or anything beyond ASCII. */
function tokenOf(token: unknown, plugin: ExecPlugin): string {
  if (typeof token === 'string' && /^[\x21-\x7e]+$/.test(token)) return token
  throw unreadable(plugin, 'a token with blanks, line breaks or other characters that no header can carry')
}

function timeOf(timestamp: unknown, plugin: ExecPlugin): number {
  const time = typeof timestamp === 'string' ? Date.parse(timestamp) : Number.NaN
  if (!Number.isNaN(time)) return time
  throw unreadable(plugin, 'an expirationTimestamp that is no time')
}

function unreadable({ command, apiVersion }: ExecPlugin, what: string): LoginError {
  return new LoginError({
    message: `The program ${JSON.stringify(command)}, which signs in, printed ${what}`,
    hint: `Run it by hand: it has to print {"kind":"ExecCredential","apiVersion":"${apiVersion}","status":{"token":…}}.`,
  })
}

function failed({ command, installHint }: ExecPlugin, why: string, complaint: string): LoginError {
  const last = lastLine(complaint)
  return new LoginError({
    message: `The program ${JSON.stringify(command)}, which signs in, failed: ${why}${last === '' ? '' : `. Its last words: ${last}`}`,
    hint: installHint ?? 'Run it by hand, or sign in anew by the tool that it belongs to.',
  })
}

/** What a person may read of an error output: one line, no control characters, nothing that could be a secret. */
export function lastLine(text: string): string {
  const line =
    text
      .trim()
      .split(/[\r\n]+/)
      .at(-1) ?? ''
  return (
    line
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
      .replace(/[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069]/g, ' ')
      .replace(/[A-Za-z0-9+/=_.~-]{20,}/g, (word) => (/^[a-z.-]+$/.test(word) ? word : '(hidden)'))
      .replace(/((?:password|passwd|secret|token|bearer|basic)[\s"':=]+)\S+/gi, '$1(hidden)')
      .slice(0, 200)
  )
}

function needsTerminal({ command }: ExecPlugin): LoginError {
  return new LoginError({
    message: `The program ${JSON.stringify(command)}, which signs in, wants to ask a person, and there is no terminal`,
    hint: 'Start this from a terminal, or use credentials that need nobody, such as a service account.',
  })
}
