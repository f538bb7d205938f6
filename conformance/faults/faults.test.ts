import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { MUTANTS, mutated, stale } from './mutants.mjs'
import { SCENARIOS } from './scenarios.mjs'

const RUN = fileURLToPath(new URL('run.mjs', import.meta.url))
const MUTATION = new URL('mutation.mjs', import.meta.url).href

interface Ended {
  readonly code: number | null
  readonly out: string
}

/** `npm run faults -- …`, on what was built. */
function faults(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ended> {
  return new Promise((resolve) => {
    const options = { env: { ...process.env, ...env } }
    const child = execFile(process.execPath, [RUN, '--jobs', '1', ...args], options, (_, out, err) =>
      resolve({ code: child.exitCode, out: out + err }),
    )
  })
}

describe('the campaign', () => {
  it('repeats a single plan alone, and says what came of it', async () => {
    const { code, out } = await faults(['--only', 'indices over relists', '--replay', '1:conflict@1'])
    expect(out).toMatch(/^conflict +1 +1 +0 +0 +0 +0 +0 /m)
    expect(out).toMatch(/^1 passed, 0 failed$/m)
    expect(code).toBe(0)
  }, 60_000)

  // Each of these once ended badly: a line that was away for longer than writes were tried, a fault amid the recovery from another, and an end amid
  // an answer that was kept back, which leaves in doubt what was done.
  it.each([
    ['create with retries and steps', '1:partition-on-event@5'],
    ['update in the middle of progress', '1:partition-at-write@2'],
    ['deletion with finalizers', '105:partition-on-event@20,events-reordered@15'],
    ['recreated under the same name', '144:watch-reset@3,partition-on-event@18'],
    ['indices over relists', '368:slow-request@4,terminated-after-write@3'],
  ])(
    'leaves nothing bad of "%s" under %s',
    async (scenario, plan) => {
      const { out } = await faults(['--only', scenario, '--replay', plan])
      expect(out).toMatch(/^1 passed, 0 failed$/m)
    },
    60_000,
  )

  it('keeps to the faults that it is told, with drawn plans of those', async () => {
    const { out } = await faults(['--only', 'watch-too-old', '--seeds', '1'])
    const runs = SCENARIOS.map(({ name }) => new RegExp(`^${name}: .*; (\\d+) runs$`, 'm').exec(out)?.[1] ?? '0').map(
      Number,
    )
    expect(runs.every((count) => count > 1)).toBe(true)
    expect(out).toMatch(/^watch-too-old /m)
    expect(out).toMatch(new RegExp(`^several at once +${SCENARIOS.length} `, 'm'))
    expect(out).toContain(`${runs.reduce((sum, count) => sum + count, 0)} passed, 0 failed`)
  }, 60_000)

  it('prints the command that repeats a failing run alone', async () => {
    const env = { NODE_OPTIONS: `--import ${MUTATION}`, BINNACLE_MUTANT: 'failed-cycle-forgotten' }
    const { code, out } = await faults(['--only', 'indices over relists', '--replay', '1:too-large@1'], env)
    expect(out).toContain('The operator does not survive too-large@1')
    expect(out).toContain("npm run faults -- --only 'indices over relists' --replay 1:too-large@1")
    expect(out).toMatch(/^0 passed, 1 failed$/m)
    expect(code).toBe(1)
  }, 60_000)

  it('tells the names that there are to whoever asks for another', async () => {
    const { code, out } = await faults(['--only', 'meteor'])
    expect(out).toMatch(/^Nothing is called "meteor"\. There are scenarios: create with retries and steps, /)
    expect(code).toBe(2)
  })
})

describe('the mutants', () => {
  it('are all of the code as it is', () => {
    expect(stale()).toEqual([])
    expect(MUTANTS.length).toBeGreaterThanOrEqual(20)
    expect(new Set(MUTANTS.map(({ name }) => name)).size).toBe(MUTANTS.length)
  })

  it('whose text is not there are an error, not a survivor', () => {
    const edit = { module: 'core/dist/index.js', from: 'nobody writes this', to: '' }
    const gone = { name: 'gone', flaw: '', edits: [edit], scenario: '', fault: 'none' }
    expect(stale([gone])).toEqual([expect.stringContaining('gone: its text is 0 times in packages/core/dist/index.js')])
    expect(() => mutated('something else', [edit])).toThrow('not in the module')
  })

  it('are caught: the machinery bites', async () => {
    const { code, out } = await faults(['--mutants', '--only', 'requeue-lost,index-keeps,failed-cycle'])
    expect(out).toMatch(
      /^requeue-lost-on-status-write +create with retries and steps +nothing at all +not converged, lost$/m,
    )
    expect(out).toMatch(/^index-keeps-the-dead +indices over relists +nothing at all +not converged$/m)
    expect(out).toMatch(/^failed-cycle-forgotten +create with retries and steps +too-large@1 +/m)
    expect(out).toMatch(/^3 passed, 0 failed$/m)
    expect(code).toBe(0)
  }, 60_000)
})
