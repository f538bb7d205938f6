import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { TestDesk } from '../test/desk.ts'
import { TestParts } from '../test/parts.ts'

async function say(...argv: readonly string[]) {
  await using at = new TestDesk({ parts: new TestParts() })
  const code = await at.run(...argv)
  return { code, out: at.stdout.text, err: at.stderr.text }
}

describe('binnacle', () => {
  it.each([['--help'], ['-h'], ['help']])('shows its commands at %s', async (word) => {
    const { code, out, err } = await say(word)
    expect([code, err]).toEqual([0, ''])
    for (const name of ['dev', 'run', 'cluster']) expect(out).toMatch(new RegExp(`^  ${name} +\\S`, 'm'))
  })

  it('shows its commands as a mistake when it is called without one', async () => {
    const { code, out, err } = await say()
    expect([code, out]).toEqual([2, ''])
    expect(err).toContain('Usage:')
  })

  it.each(['dev', 'run', 'cluster'])('shows the flags of %s, wherever --help stands', async (name) => {
    const { code, out } = await say(name, '--help')
    expect(code).toBe(0)
    expect(out).toContain(`binnacle ${name} [options]`)
    expect(await say(name, '--crd', 'x', '-h')).toEqual({ code, out, err: '' })
    expect(await say('help', name)).toEqual({ code, out, err: '' })
  })

  it('shows the version of its package', async () => {
    const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
    expect(await say('--version')).toEqual({ code: 0, out: `${version}\n`, err: '' })
  })

  it('has help that fits a terminal of 120 columns', async () => {
    for (const name of ['dev', 'run', 'cluster']) {
      const { out } = await say(name, '--help')
      expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(120)
    }
  })

  it('has the same help in its README', async () => {
    const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
    for (const argv of [['--help'], ['dev', '--help'], ['run', '--help'], ['cluster', '--help']]) {
      const { out } = await say(...argv)
      expect(readme).toContain(`\`\`\`text\n$ binnacle ${argv.join(' ')}\n${out}\`\`\`\n`)
    }
  })
})

describe('binnacle refuses, with exit code 2 and one message,', () => {
  it.each([
    ['an unknown command', ['rnu'], /"rnu"\nDid you mean `binnacle run`\? `binnacle --help` shows all commands\.\n$/],
    ['a command that resembles none', ['frobnicate'], /"frobnicate"\n`binnacle --help` shows all commands\.\n$/],
    ['a file in the place of a command', ['op.ts'], /Did you mean `binnacle run op\.ts`\?/],
    ['an unknown flag before a command', ['--verison'], /the flag --verison\nDid you mean --version\?/],
    ['help for an unknown command', ['help', 'clutser'], /Did you mean `binnacle cluster`\?/],
    [
      'an unknown flag',
      ['run', 'op.ts', '--kubeconfg', 'x'],
      /`binnacle run` does not know the flag --kubeconfg\nDid you mean --kubeconfig\?/,
    ],
    ['a flag of another command', ['run', 'op.ts', '--port=1'], /`binnacle run` does not know the flag --port\n/],
    ['an unknown short flag', ['cluster', '-x'], /the flag -x\n`binnacle cluster --help` shows all flags\.\n$/],
    ['a long flag with one dash', ['cluster', '-host'], /does not know the flag -/],
    ['a flag that is negated', ['run', 'op.ts', '--no-verbose'], /the flag --no-verbose\n/],
    ['a flag without its value', ['cluster', '--port'], /--port needs a value: number\n/],
    [
      'a flag in the place of a value',
      ['run', '--kubeconfig', '--context', 'a', 'op.ts'],
      /--kubeconfig needs a value: file/,
    ],
    [
      'a value for a flag that takes none',
      ['run', 'op.ts', '--verbose=yes'],
      /--verbose takes no value, and got "yes"/,
    ],
    [
      'a value outside of the choices',
      ['run', 'op.ts', '--log-level', 'wran'],
      /is one of debug, .*"wran"\nDid you mean warn\?/,
    ],
    ['flags that contradict each other', ['run', 'op.ts', '-qv'], /--verbose and --quiet contradict each other/],
    ['no file', ['run'], /`binnacle run` needs the file that declares the operator\n.*binnacle run operator\.ts/],
    ['a file too many', ['dev', 'a.ts', 'b.ts'], /`binnacle dev` takes one file, and got "a\.ts" and "b\.ts"/],
  ])('%s', async (_, argv, message) => {
    const { code, out, err } = await say(...argv)
    expect([code, out]).toEqual([2, ''])
    expect(err).toMatch(/^error: /)
    expect(err).toMatch(message)
    if (!argv.includes('-qv')) expect(err).not.toMatch(/^\s+at /m)
  })

  it('and shows the stack only to whoever asks for it', async () => {
    expect((await say('run', 'op.ts', '-v')).err).toMatch(/^\s+at /m)
    expect((await say('run', 'op.ts')).err).not.toMatch(/^\s+at /m)
  })
})

describe('colours', () => {
  async function shown(isTTY: boolean, env: Record<string, string>) {
    await using at = new TestDesk({ parts: new TestParts(), env })
    at.stderr.isTTY = isTTY
    await at.run('nonsense')
    return at.stderr.text.includes('\u001B[')
  }

  it('are on a terminal only, and never when NO_COLOR is set', async () => {
    expect(await shown(true, {})).toBe(true)
    expect(await shown(false, {})).toBe(false)
    expect(await shown(true, { NO_COLOR: '1' })).toBe(false)
    expect(await shown(true, { NO_COLOR: '' })).toBe(true)
    expect(await shown(true, { TERM: 'dumb' })).toBe(false)
  })
})
