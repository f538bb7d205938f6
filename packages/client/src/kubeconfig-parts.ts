import { basename, resolve } from 'node:path'
import { getOwn, isPlainObject, KubeConfigError, type PlainObject } from '@binnacle/core'
import type { ConnectionInfo, ExecPlugin, Impersonation } from './connection.ts'
import type { Entry, Place } from './kubeconfig-file.ts'
import { booleanField, lacking, listField, locate, mapField, textField } from './kubeconfig-file.ts'

/**
 * A cluster and a user of a kubeconfig → their parts of a connection. Pure.
 * Guarantees: what kubectl reads is read in the same way, data before paths, paths relative to their own file; what it refuses is refused,
 * with file and field.
 */
export function clusterPart(cluster: Entry): ConnectionInfo {
  const server = textField(cluster.fields, 'server', cluster.place)
  if (!server) throw lacking(cluster, 'server', 'It is the address of the API server, such as https://10.0.0.1:6443.')
  const ca = dataOrPath(cluster, 'certificate-authority', 'caData', 'caPath')
  const insecure = booleanField(cluster.fields, 'insecure-skip-tls-verify', cluster.place)
  if (insecure && Object.keys(ca).length > 0) throw contradiction(cluster)
  return {
    server,
    ...ca,
    ...(insecure && { insecure }),
    ...optional(cluster, 'tls-server-name', 'tlsServerName'),
    ...optional(cluster, 'proxy-url', 'proxyUrl'),
  }
}

export function userPart(user: Entry, cluster: Entry): Partial<ConnectionInfo> {
  refuse(
    user,
    'auth-provider',
    'Kubernetes removed auth providers in 1.26: use an exec plugin, a token, a tokenFile or a client certificate.',
  )
  const exec = execPart(user, cluster)
  const impersonate = impersonationPart(user)
  return {
    ...optional(user, 'token', 'token'),
    ...optional(user, 'username', 'username'),
    ...optional(user, 'password', 'password'),
    ...pathField(user, 'tokenFile', 'tokenPath'),
    ...dataOrPath(user, 'client-certificate', 'certificateData', 'certificatePath'),
    ...dataOrPath(user, 'client-key', 'privateKeyData', 'privateKeyPath'),
    ...(exec && { exec }),
    ...(impersonate && { impersonate }),
  }
}

type TextName = Exclude<keyof ConnectionInfo, 'server' | 'insecure' | 'exec' | 'impersonate'>

function optional(entry: Entry, field: string, name: TextName): Partial<ConnectionInfo> {
  const value = textField(entry.fields, field, entry.place)
  return value ? { [name]: value } : {}
}

function pathField(entry: Entry, field: string, name: TextName): Partial<ConnectionInfo> {
  const path = textField(entry.fields, field, entry.place)
  return path ? { [name]: resolve(entry.place.directory, path) } : {}
}

/** Data wins over the path, as in kubectl. */
function dataOrPath(entry: Entry, field: string, data: TextName, path: TextName): Partial<ConnectionInfo> {
  const given = optional(entry, `${field}-data`, data)
  return Object.keys(given).length > 0 ? given : pathField(entry, field, path)
}

function impersonationPart({ fields, place }: Entry): Impersonation | undefined {
  const user = textField(fields, 'as', place) ?? ''
  const uid = textField(fields, 'as-uid', place)
  const groups = texts(listField(fields, 'as-groups', place), 'as-groups', place)
  const extra = Object.entries(mapField(fields, 'as-user-extra', place)).map(
    ([key, values]) => [key, texts(Array.isArray(values) ? values : [values], 'as-user-extra', place)] as const,
  )
  if (user === '' && !uid && groups.length === 0 && extra.length === 0) return undefined
  return {
    user,
    ...(uid && { uid }),
    ...(groups.length > 0 && { groups }),
    ...(extra.length > 0 && { extra: Object.fromEntries(extra) }),
  }
}

const EXEC_VERSIONS = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1'] as const
const MODES = ['Never', 'IfAvailable', 'Always'] as const
/** Where a cluster keeps what only the program that signs in understands. */
const EXEC_EXTENSION = 'client.authentication.k8s.io/exec'

function execPart(user: Entry, cluster: Entry): ExecPlugin | undefined {
  const fields = mapField(user.fields, 'exec', user.place)
  if (Object.keys(fields).length === 0) return undefined
  const place = { ...user.place, path: `${user.place.path}.exec` }
  const command = textField(fields, 'command', place)
  if (!command) throw lacking({ place }, 'command', 'It is the program that prints the credentials.')
  const installHint = textField(fields, 'installHint', place)
  const clusterConfig = extensionOf(cluster)
  return {
    // A path is relative to the file that names it; a name alone is looked up on PATH.
    command: basename(command) === command ? command : resolve(place.directory, command),
    args: texts(listField(fields, 'args', place), 'args', place),
    env: environmentOf(listField(fields, 'env', place), place),
    apiVersion: oneOf(EXEC_VERSIONS, fields, 'apiVersion', place) ?? missingVersion(place),
    interactiveMode: oneOf(MODES, fields, 'interactiveMode', place) ?? 'IfAvailable',
    provideClusterInfo: booleanField(fields, 'provideClusterInfo', place),
    ...(clusterConfig !== undefined && { clusterConfig }),
    ...(installHint && { installHint }),
  }
}

function environmentOf(list: readonly unknown[], place: Place): { readonly [name: string]: string } {
  const pairs = list.map((item, index) => {
    const at = { ...place, path: `${place.path}.env[${index}]` }
    const name = isPlainObject(item) ? textField(item, 'name', at) : undefined
    if (!isPlainObject(item) || !name) throw lacking({ place: at }, 'name', 'Write env as a list of name and value.')
    return [name, textField(item, 'value', at) ?? ''] as const
  })
  return Object.fromEntries(pairs)
}

function extensionOf({ fields, place }: Entry): unknown {
  const found = listField(fields, 'extensions', place).find(
    (item) => isPlainObject(item) && item.name === EXEC_EXTENSION,
  )
  return isPlainObject(found) ? found.extension : undefined
}

function texts(list: readonly unknown[], field: string, place: Place): readonly string[] {
  return list.map((item) => {
    if (typeof item === 'string') return item
    throw new KubeConfigError({
      message: `${locate(place, field)} must be a list of texts`,
      hint: 'Put each of them in quotes.',
    })
  })
}

function oneOf<T extends string>(
  values: readonly T[],
  fields: PlainObject,
  field: string,
  place: Place,
): T | undefined {
  const given = textField(fields, field, place)
  if (!given) return undefined
  const value = values.find((candidate) => candidate === given)
  if (value !== undefined) return value
  throw new KubeConfigError({
    message: `${locate(place, field)} is none of the values that it can have`,
    hint: `It is one of: ${values.join(', ')}.`,
  })
}

function missingVersion(place: Place): never {
  throw lacking({ place }, 'apiVersion', `It is one of: ${EXEC_VERSIONS.join(', ')}.`)
}

function refuse(entry: Entry, field: string, hint: string): void {
  const value = getOwn(entry.fields, field)
  if (value === undefined || value === null || value === '') return
  throw new KubeConfigError({ message: `${locate(entry.place, field)} cannot be used`, hint })
}

function contradiction(cluster: Entry): KubeConfigError {
  return new KubeConfigError({
    message: `${locate(cluster.place, 'insecure-skip-tls-verify')} contradicts the certificate authority of the same cluster`,
    hint: 'Remove insecure-skip-tls-verify, so that the certificate is checked.',
  })
}
