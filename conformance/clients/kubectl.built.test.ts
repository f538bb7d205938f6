import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { kubectlProgram } from './builds.mjs'
import { ClusterProcess } from './cluster-process.ts'
import { commands } from './kubectl/commands.ts'
import { normal, type Printed } from './kubectl/printed.ts'
import { Session } from './kubectl/session.ts'

/**
 * kubectl, unmodified: what it prints on the embedded cluster is compared line by line with what it printed on a live kube-apiserver. The record is made by
 * `BINNACLE_RECORD=1 BINNACLE_WORLD=real BINNACLE_KUBECONFIG=… npx vitest run conformance/clients/kubectl`, on a control plane that has seen nothing else.
 */
const record = fileURLToPath(new URL('kubectl/recorded.jsonl', import.meta.url))
const real = process.env['BINNACLE_WORLD'] === 'real'

describe('kubectl prints the same as on the original', () => {
  const home = mkdtempSync(join(tmpdir(), 'kubectl-'))
  const printed: Printed[] = []
  let cluster: ClusterProcess | undefined
  let session: Session | undefined

  beforeAll(async () => {
    const kubectl = await kubectlProgram()
    if (!real) cluster = await ClusterProcess.start([], { flags: ['--rbac'], definition: false })
    const kubeconfig = join(home, 'config')
    writeFileSync(kubeconfig, readFileSync(cluster?.kubeconfig() ?? process.env['BINNACLE_KUBECONFIG'] ?? '', 'utf8'), {
      mode: 0o600,
    })
    session = new Session(kubectl, { home, kubeconfig, patient: real })
    for (const command of commands) printed.push(await session.run(command))
    if (real) {
      writeFileSync(record, commands.map((command, i) => `${JSON.stringify({ command, ...printed[i] })}\n`).join(''))
    }
  }, 900_000)
  afterAll(async () => {
    await session?.[Symbol.asyncDispose]()
    await cluster?.[Symbol.asyncDispose]()
    rmSync(home, { recursive: true, force: true })
  })

  it.each(commands.map((command, i) => [command, i] as const))('%s', (command, i) => {
    const lines = readFileSync(record, 'utf8').trim().split('\n')
    const { command: recorded, ...expected } = JSON.parse(lines[i] ?? '{}')
    expect(recorded).toBe(command)
    expect(normal(printed[i] as Printed)).toEqual(normal(expected))
  })
})
