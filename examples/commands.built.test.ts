import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))

/** The command of an example's README that starts its operator on a cluster of its own. */
function commandOf(example: string): string | undefined {
  const readme = readFileSync(new URL(`${example}/README.md`, import.meta.url), 'utf8')
  return /^npx (binnacle dev .*)$/m.exec(readme)?.[1]
}

/** Runs the command until its operator is at work, interrupts it, and tells how it ended and what it said. */
async function run(command: string): Promise<{ readonly code: number | null; readonly said: string }> {
  const [, ...args] = command.split(' ')
  const program = spawn(process.execPath, ['node_modules/.bin/binnacle', ...args], { cwd: root })
  let said = ''
  const hear = (text: Buffer) => {
    const before = said
    said += text
    if (!before.includes('\nRunning ') && said.includes('\nRunning ')) program.kill('SIGINT')
  }
  program.stdout.on('data', hear)
  program.stderr.on('data', hear)
  const code = await new Promise<number | null>((resolve) => program.once('close', resolve))
  return { code, said }
}

const examples = readdirSync(new URL('.', import.meta.url), { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && /^\d\d-/.test(entry.name))
  .map(({ name }) => name)
  // It is a program of its own, which starts the operator itself.
  .filter((name) => name !== '12-embedded')

describe('an example is started by the command in its README', () => {
  it.each(examples)('%s', async (example) => {
    const command = commandOf(example)
    expect(command, `${example}/README.md has no line that begins with "npx binnacle dev"`).toBeDefined()
    const { code, said } = await run(command ?? '')
    expect(said).toContain('is ready: it watches')
    expect(said).not.toMatch(/BIN_|Error:.*\n\s+at .*binnacle/)
    expect(code, said).toBe(0)
  })
})
