/** What the original asks of Jobs and CronJobs beyond their types. Pure. */
import { invalidValue, required } from '../http/field-error.ts'
import type { Cause } from '../http/status.ts'
import { equalJson, type Json } from '../json.ts'
import { field, type KubeObject } from '../object.ts'
import { oneOf, podSpecCauses } from './pod-spec-checks.ts'

const counts = ['parallelism', 'completions', 'activeDeadlineSeconds', 'backoffLimit', 'ttlSecondsAfterFinished']
/** A new number of pods side by side, a pause and a deadline are allowed at any time. */
const frozen = ['completions', 'selector']

export function jobCauses({ spec }: KubeObject, old: KubeObject | undefined): readonly Cause[] {
  const changed = frozen.filter((name) => old && !equalJson(field(spec, name) ?? null, field(old.spec, name) ?? null))
  return [
    ...jobSpecCauses(spec, 'spec'),
    ...changed.map((name) => invalidValue(`spec.${name}`, field(spec, name), 'field is immutable')),
  ]
}

function jobSpecCauses(spec: Json | undefined, at: string): readonly Cause[] {
  const pod = field(field(spec, 'template'), 'spec')
  const policy = field(pod, 'restartPolicy')
  const lasting = policy !== 'OnFailure' && policy !== 'Never'
  return [
    ...counts.flatMap((name) => countCauses(field(spec, name), `${at}.${name}`)),
    ...podSpecCauses(pod, `${at}.template.spec`),
    ...(lasting ? [required(`${at}.template.spec.restartPolicy`, 'valid values: "OnFailure", "Never"')] : []),
  ]
}

function countCauses(value: Json | undefined, at: string): Cause[] {
  return typeof value === 'number' && value < 0 ? [invalidValue(at, value, 'must be greater than or equal to 0')] : []
}

export function cronJobCauses({ spec }: KubeObject): readonly Cause[] {
  return [
    ...scheduleCauses(field(spec, 'schedule')),
    ...oneOf(field(spec, 'concurrencyPolicy'), ['Allow', 'Forbid', 'Replace'], 'spec.concurrencyPolicy'),
    ...jobSpecCauses(field(field(spec, 'jobTemplate'), 'spec'), 'spec.jobTemplate.spec'),
  ]
}

/** How many fields there are, not what they say; names such as @daily have none. */
function scheduleCauses(schedule: Json | undefined): Cause[] {
  if (typeof schedule !== 'string' || schedule === '') return [required('spec.schedule')]
  const fields = schedule.trim().split(/\s+/)
  if (schedule.startsWith('@') || fields.length === 5) return []
  const why = `expected exactly 5 fields, found ${fields.length}: [${fields.join(' ')}]`
  return [invalidValue('spec.schedule', schedule, why)]
}
