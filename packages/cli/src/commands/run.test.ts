import { describe, expect, it } from 'vitest'
import { TestDesk } from '../../test/desk.ts'
import { TestParts } from '../../test/parts.ts'

const HELLO = `
import { operator } from 'binnacle'
export const op = operator('hello')
`

function desk(parts = new TestParts()): TestDesk {
  return new TestDesk({ parts })
}

describe('binnacle run', () => {
  it('runs the operator that the file exports until it is told to stop, and exits with 0', async () => {
    await using at = desk()
    at.write('op.ts', HELLO)
    const code = at.run('run', 'op.ts')
    await at.does('start hello')
    at.signal('SIGTERM')
    expect(await code).toBe(0)
    expect(at.ledger.story).toEqual(['start hello', 'stop hello'])
    expect(at.stderr.text).not.toContain('error')
  })

  it('leaves no listener, no callback and no temporary file behind', async () => {
    await using at = desk()
    at.write('op.ts', HELLO)
    const code = at.run('run', 'op.ts')
    await at.does('start hello')
    expect(at.leftovers).toHaveLength(1)
    at.signal()
    await code
    expect(at.leftovers).toEqual([])
    expect(at.listeners).toBe(0)
    expect(at.atExit.size).toBe(0)
  })

  it.each(['op.ts', 'op.mts', 'op.js', 'op.mjs'])('loads %s', async (file) => {
    await using at = desk()
    at.write(file, HELLO)
    const code = at.run('run', file)
    await at.does('start hello')
    at.signal()
    expect(await code).toBe(0)
  })

  it('loads TypeScript that needs more than types taken away, and the files that it imports', async () => {
    await using at = desk()
    at.write('names.ts', `export enum Name { hello = 'hello' }`)
    at.write(
      'op.ts',
      `import { operator } from 'binnacle'; import { Name } from './names.ts'; export default operator(Name.hello)`,
    )
    const code = at.run('run', 'op.ts')
    await at.does('start hello')
    at.signal()
    expect(await code).toBe(0)
  })

  it('runs all operators that a file exports, and each of them once', async () => {
    await using at = desk()
    at.write(
      'op.ts',
      `import { operator } from 'binnacle'
       export const a = operator('a'), b = operator('b'), number = 1, nothing = null
       export default a`,
    )
    const code = at.run('run', 'op.ts')
    await at.does('start b')
    at.signal()
    await code
    expect([...at.ledger.story].sort()).toEqual(['start a', 'start b', 'stop a', 'stop b'])
  })

  it('runs several files, which share what they import', async () => {
    await using at = desk()
    at.write('shared.ts', `import { note } from 'binnacle'; note('loaded')`)
    at.write('a.ts', `import './shared.ts'; import { operator } from 'binnacle'; export const op = operator('a')`)
    at.write('b.ts', `import './shared.ts'; import { operator } from 'binnacle'; export const op = operator('b')`)
    const code = at.run('run', 'a.ts', 'b.ts')
    await at.does('start a')
    await at.does('start b')
    at.signal()
    await code
    expect(at.ledger.story.filter((line) => line === 'note loaded')).toHaveLength(1)
  })

  it('runs a file that runs its operator itself once, with the flags of the command line', async () => {
    await using at = desk()
    at.write(
      'op.ts',
      `import { operator, note } from 'binnacle'
       export const op = operator('hello')
       await op.run({ namespaces: 'from-file', health: 8080 })
       note('after')`,
    )
    const code = at.run('run', 'op.ts', '-n', 'shop')
    await at.does('start hello')
    expect(at.ledger.entries[0]?.options).toMatchObject({ namespaces: ['shop'], health: 8080 })
    at.signal()
    expect(await code).toBe(0)
    await at.ledger.has('note after')
    expect(at.ledger.story).toEqual(['start hello', 'stop hello', 'note after'])
  })

  it('stops an operator that a file has started and not awaited', async () => {
    await using at = desk()
    at.write('op.ts', `import { operator } from 'binnacle'; void operator('hello').run()`)
    const code = at.run('run', 'op.ts')
    await at.does('start hello')
    at.signal()
    expect(await code).toBe(0)
    expect(at.ledger.story).toEqual(['start hello', 'stop hello'])
  })

  it('starts what a file exports and has not started itself', async () => {
    await using at = desk()
    at.write(
      'op.ts',
      `import { operator } from 'binnacle'
       export const a = operator('a'), b = operator('b')
       void a.run()`,
    )
    const code = at.run('run', 'op.ts')
    await at.does('start b')
    at.signal()
    expect(await code).toBe(0)
    expect([...at.ledger.story].sort()).toEqual(['start a', 'start b', 'stop a', 'stop b'])
  })

  it('ends when the operators have ended by themselves', async () => {
    await using at = desk()
    at.write(
      'op.ts',
      `import { operator } from 'binnacle'
       const running = await operator('hello').start({})
       await running.stop()`,
    )
    expect(await at.run('run', 'op.ts')).toBe(0)
  })

  it('hands the flags to the operator', async () => {
    await using at = desk()
    at.write('op.ts', HELLO)
    const flags = ['-n', 'a,b', '--namespace=c', '--context', 'staging', '--log-format', 'json', '-q']
    const code = at.run('run', ...flags, 'op.ts')
    await at.does('start hello')
    expect(at.ledger.entries[0]?.options).toMatchObject({
      namespaces: ['a', 'b', 'c'],
      context: 'staging',
      logger: { format: 'json', level: 'warn' },
    })
    at.signal()
    await code
  })

  it('lets a server on the command line take the place of the client in the file', async () => {
    await using at = desk()
    at.write(
      'op.ts',
      `import { operator } from 'binnacle'; await operator('hello').run({ client: {}, logger: { info() {} } })`,
    )
    const code = at.run('run', 'op.ts', '--kubeconfig', 'dev.yaml', '-v')
    await at.does('start hello')
    const { options } = at.ledger.entries[0] ?? {}
    expect(options).not.toHaveProperty('client')
    expect(options.kubeconfig).toBe(`${at.cwd}/dev.yaml`)
    expect(options.logger).toHaveProperty('info')
    at.signal()
    await code
  })

  it('keeps the address of a source, and does not take the file for the program', async () => {
    await using at = desk()
    at.write(
      'lib/where.ts',
      `export const where = [import.meta.url, import.meta.filename, import.meta.dirname].join(' ')`,
    )
    at.write(
      'op.ts',
      `import { operator } from 'binnacle'
       import { where } from './lib/where.ts'
       export const op = operator(where + (import.meta.main ? ' main' : ''))`,
    )
    const code = at.run('run', 'op.ts')
    const file = `${at.cwd}/lib/where.ts`
    await at.does(`start file://${file} ${file} ${at.cwd}/lib`)
    at.signal()
    await code
  })

  it('exits at once at the second signal', async () => {
    await using at = desk()
    at.write('op.ts', `import { operator } from 'binnacle'; export const op = operator('stuck')`)
    void at.run('run', 'op.ts')
    await at.does('start stuck')
    at.signal('SIGINT')
    expect(at.exits).toEqual([])
    at.signal('SIGINT')
    expect(at.exits).toEqual([130])
    at.abandon()
    expect(at.leftovers).toEqual([])
  })
})

describe('binnacle run refuses', () => {
  async function refused(files: Record<string, string>, ...argv: readonly string[]) {
    await using at = desk()
    for (const [name, text] of Object.entries(files)) at.write(name, text)
    const code = await at.run('run', ...argv)
    expect(at.leftovers).toEqual([])
    expect(at.listeners).toBe(0)
    expect(at.stdout.text).toBe('')
    return { code, text: at.stderr.text, story: at.ledger.story }
  }

  it('a file that is not there', async () => {
    const { code, text } = await refused({}, 'op.ts')
    expect(code).toBe(1)
    expect(text).toMatch(/^error: There is no file op\.ts \[BIN_OPERATOR_FILE\]\nLooked for .*op\.ts\.\n$/)
  })

  it('a file that is not a script', async () => {
    const { code, text } = await refused({ 'crd.yaml': '' }, 'crd.yaml')
    expect(code).toBe(1)
    expect(text).toContain('crd.yaml is not a script')
  })

  it('a file that declares no operator, with the line to write', async () => {
    const { code, text } = await refused({ 'op.ts': 'export const answer = 42' }, 'op.ts')
    expect(code).toBe(1)
    expect(text).toContain('op.ts declares no operator [BIN_OPERATOR_FILE]')
    expect(text).toContain(`  export const op = operator('hello')`)
  })

  it('a file that neither exports nor runs its operator, and names it', async () => {
    const { text } = await refused({ 'op.ts': `import { operator } from 'binnacle'; operator('web')` }, 'op.ts')
    expect(text).toContain('op.ts declares the operator "web", but neither exports nor runs it')
    expect(text).toContain(`  export const op = operator('web')`)
  })

  it('a file with a syntax error, and shows the place', async () => {
    const { code, text } = await refused({ 'op.ts': 'export const a = 1\nconst = 2\n' }, 'op.ts')
    expect(code).toBe(1)
    expect(text).toContain('op.ts:2 cannot be loaded [BIN_OPERATOR_FILE]')
    expect(text).toContain('op.ts:2:7: Expected identifier but found "="\n    const = 2\n          ^')
  })

  it('a file that imports what is not installed, and shows the place', async () => {
    const { text } = await refused({ 'op.ts': `import 'no-such-package'` }, 'op.ts')
    expect(text).toContain('op.ts:1:8: Could not resolve "no-such-package"')
  })

  it('a file that throws while it is loaded', async () => {
    const { code, text } = await refused({ 'op.ts': `throw new TypeError('no token')` }, 'op.ts')
    expect(code).toBe(1)
    expect(text).toContain('op.ts threw while it was loaded: TypeError: no token [BIN_OPERATOR_FILE]')
  })

  it('an error of ours in the file under its own code, with its own hint', async () => {
    const error = `Object.assign(new Error('Handler "x" twice'), { code: 'BIN_DECLARATION', hint: 'Give it an id.' })`
    const { text } = await refused({ 'op.ts': `throw ${error}` }, 'op.ts')
    expect(text).toContain('op.ts threw while it was loaded: Handler "x" twice [BIN_DECLARATION]\nGive it an id.')
  })

  it('a kubeconfig that cannot be read, before the file is loaded', async () => {
    const file = `import { operator, note } from 'binnacle'; note('loaded'); export const op = operator('hello')`
    const { code, text, story } = await refused({ 'op.ts': file }, 'op.ts', '--kubeconfig', 'missing')
    expect(code).toBe(1)
    expect(text).toMatch(/^error: The kubeconfig .*missing cannot be read: .* \[BIN_KUBECONFIG\]\nCheck the path\.\n$/)
    expect(story).toEqual([])
  })

  it.each([
    ['exports', `import { operator } from 'binnacle'; export const op = operator('refused')`],
    ['runs', `import { operator } from 'binnacle'; await operator('refused').run()`],
    ['runs without waiting', `import { operator } from 'binnacle'; void operator('refused').run()`],
  ])('a server that refuses the connection, for an operator that the file %s', async (_, file) => {
    const { code, text } = await refused({ 'op.ts': file }, 'op.ts')
    expect(code).toBe(1)
    expect(text).toBe(
      'error: No answer from https://127.0.0.1:1: connection refused [BIN_NETWORK]\nCheck that the server runs.\n',
    )
  })

  it('to go on with one operator when another has failed', async () => {
    const file = `import { operator } from 'binnacle'; export const a = operator('a'), b = operator('dies')`
    const { code, text, story } = await refused({ 'op.ts': file }, 'op.ts')
    expect(code).toBe(1)
    expect(text).toBe('error: The login has expired [BIN_LOGIN]\n')
    expect(story).toContain('stop a')
  })
})
