/** Jobs: pods until enough of them have succeeded. Nothing runs, so that every pod does succeed. Pure. */
import type { Json } from '../json.ts'
import { field, type KubeObject } from '../object.ts'
import { type Controller, count, living, number, pathOf, podWrite, statusWrite } from './write.ts'

export const jobs: Controller = {
  group: 'batch',
  plural: 'jobs',
  decide: (job, world) => {
    if (field(job.spec, 'suspend') === true || isComplete(job)) return []
    const pods = living(world.owned('pods', job))
    const succeeded = pods.filter((pod) => field(pod.status, 'phase') === 'Succeeded').length
    const active = pods.length - succeeded
    const parallelism = number(field(job.spec, 'parallelism'), 1)
    const completions = number(field(job.spec, 'completions'), parallelism)
    const missing = Math.max(0, Math.min(parallelism - active, completions - succeeded - active))
    const startTime = field(job.status, 'startTime') ?? world.now
    const done = succeeded >= completions
    return [
      ...Array.from({ length: missing }, () =>
        podWrite({ owner: job, name: { generateName: `${job.metadata.name}-` } }),
      ),
      ...statusWrite(pathOf('batch', 'jobs', job), job, {
        startTime,
        active: count(done ? 0 : active),
        ready: 0,
        succeeded: count(succeeded),
        terminating: 0,
        uncountedTerminatedPods: {},
        ...(done ? { completionTime: world.now, conditions: completed(world.now) } : {}),
      }),
    ]
  },
}

function isComplete(job: KubeObject): boolean {
  const conditions = field(job.status, 'conditions')
  return Array.isArray(conditions) && conditions.some((c: Json) => field(c, 'type') === 'Complete')
}

const completed = (now: string): Json =>
  ['SuccessCriteriaMet', 'Complete'].map((type) => ({
    type,
    status: 'True',
    lastProbeTime: now,
    lastTransitionTime: now,
    reason: 'CompletionsReached',
    message: 'Reached expected number of succeeded pods',
  }))
