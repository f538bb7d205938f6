/** The checks of what pods are made of, in pods and in templates, in the original's order and words. Pure; those that surprise most, not all of them. */
import { duplicate, invalidValue, notFound, notSupported, required } from '../http/field-error.ts'
import type { Cause } from '../http/status.ts'
import { isObject, type Json, type JsonObject } from '../json.ts'
import { wordCauses } from './metadata.ts'

const list = (value: Json | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? value.map((item: Json) => (isObject(item) ? item : {})) : []
const text = (value: Json | undefined) => (typeof value === 'string' ? value : '')

/** `at` is the path of the spec. That there are containers at all is asked where it matters. */
export function podSpecCauses(spec: Json | undefined, at: string): readonly Cause[] {
  if (!isObject(spec)) return []
  const volumes = new Set(list(spec.volumes).map(({ name }) => text(name)))
  return [
    ...repeated(list(spec.volumes), `${at}.volumes`),
    ...containerCauses(list(spec.containers), volumes, `${at}.containers`),
    ...containerCauses(list(spec.initContainers), volumes, `${at}.initContainers`),
    ...oneOf(spec.restartPolicy, ['Always', 'OnFailure', 'Never'], `${at}.restartPolicy`),
    ...oneOf(spec.dnsPolicy, ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'], `${at}.dnsPolicy`),
    ...(text(spec.hostname) === '' ? [] : wordCauses(text(spec.hostname), `${at}.hostname`)),
    ...list(spec.tolerations).flatMap(({ operator }, i) =>
      oneOf(operator, ['Equal', 'Exists'], `${at}.tolerations[${i}].operator`),
    ),
  ]
}

/** Empty stands for the default. */
export function oneOf(value: Json | undefined, known: readonly string[], at: string): Cause[] {
  return text(value) === '' || known.includes(text(value)) ? [] : [notSupported(at, value, known)]
}

function repeated(items: readonly JsonObject[], at: string): Cause[] {
  const seen = new Set<string>()
  return items.flatMap(({ name }, i) => {
    const again = seen.has(text(name))
    seen.add(text(name))
    return again && text(name) !== '' ? [duplicate(`${at}[${i}].name`, text(name))] : []
  })
}

function containerCauses(containers: readonly JsonObject[], volumes: ReadonlySet<string>, at: string): Cause[] {
  const seen = new Set<string>()
  return containers.flatMap((container, i) => {
    const here = `${at}[${i}]`
    const name = text(container.name)
    const again = seen.has(name)
    seen.add(name)
    return [
      ...(name === '' ? [required(`${here}.name`)] : wordCauses(name, `${here}.name`)),
      ...(again && name !== '' ? [duplicate(`${here}.name`, name)] : []),
      ...(text(container.image) === '' ? [required(`${here}.image`)] : []),
      ...portCauses(list(container.ports), `${here}.ports`),
      ...list(container.env).flatMap((env, k) => (text(env.name) === '' ? [required(`${here}.env[${k}].name`)] : [])),
      ...mountCauses(list(container.volumeMounts), volumes, `${here}.volumeMounts`),
      ...oneOf(container.imagePullPolicy, ['Always', 'IfNotPresent', 'Never'], `${here}.imagePullPolicy`),
    ]
  })
}

function portCauses(ports: readonly JsonObject[], at: string): Cause[] {
  return ports.flatMap(({ containerPort, protocol }, i) => [
    ...((containerPort ?? 0) === 0
      ? [required(`${at}[${i}].containerPort`)]
      : rangeCauses(containerPort, `${at}[${i}].containerPort`)),
    ...oneOf(protocol, ['SCTP', 'TCP', 'UDP'], `${at}[${i}].protocol`),
  ])
}

/** A number that is no port. */
export function rangeCauses(port: Json | undefined, at: string): Cause[] {
  const wrong = typeof port === 'number' && (port < 1 || port > 65535)
  return wrong ? [invalidValue(at, port, 'must be between 1 and 65535, inclusive')] : []
}

function mountCauses(mounts: readonly JsonObject[], volumes: ReadonlySet<string>, at: string): Cause[] {
  return mounts.flatMap(({ name, mountPath }, i) => [
    ...(text(name) === '' ? [required(`${at}[${i}].name`)] : []),
    ...(text(name) === '' || volumes.has(text(name)) ? [] : [notFound(`${at}[${i}].name`, text(name))]),
    ...(text(mountPath) === '' ? [required(`${at}[${i}].mountPath`)] : []),
  ])
}
