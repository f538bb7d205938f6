import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { Lines } from './desk.ts'

/** The command line as a process of its own, with the real cluster, client and operator, all from their sources. */
class Tool implements AsyncDisposable {
  readonly cwd = realpathSync(mkdtempSync(join(tmpdir(), 'tool-')))
  readonly stdout = new Lines()
  readonly stderr = new Lines()
  readonly #temp = join(this.cwd, 'tmp')
  #child: ChildProcess | undefined
  #exit: Promise<number | NodeJS.Signals | null> = Promise.resolve(null)

  constructor() {
    mkdirSync(this.#temp)
    this.write(
      'node_modules/binnacle/package.json',
      '{ "name": "binnacle", "type": "module", "exports": "./index.js" }',
    )
    this.write(
      'node_modules/binnacle/index.js',
      `export * from ${JSON.stringify(source('../../operator/src/index.ts'))}`,
    )
  }

  write(path: string, text: string): void {
    const file = join(this.cwd, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }

  start(...argv: readonly string[]): void {
    const args = ['--import', source('./typescript.mjs'), fileURLToPath(source('../src/bin.ts')), ...argv]
    const env = { PATH: process.env['PATH'], HOME: this.cwd, TMPDIR: this.#temp }
    const child = spawn(process.execPath, args, { cwd: this.cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
    child.stdout.on('data', (data) => this.stdout.write(String(data)))
    child.stderr.on('data', (data) => this.stderr.write(String(data)))
    this.#child = child
    this.#exit = new Promise((resolve) => child.once('close', (code, signal) => resolve(code ?? signal)))
  }

  /** Waits for what is shown; a process that ends before it is a failure that shows what it said. */
  async shows(pattern: RegExp): Promise<void> {
    const ended = this.#exit.then((code) => {
      throw new Error(`the process has ended with ${code}:\n${this.stdout.text}${this.stderr.text}`)
    })
    await Promise.race([this.stdout.shows(pattern), this.stderr.shows(pattern), ended])
  }

  signal(signal: NodeJS.Signals): void {
    this.#child?.kill(signal)
  }

  get exit(): Promise<number | NodeJS.Signals | null> {
    return this.#exit
  }

  get leftovers(): readonly string[] {
    return readdirSync(this.#temp)
  }

  /** The server that the printed kubeconfig leads to. */
  get server(): string {
    const path = /export KUBECONFIG=(.*)/.exec(this.stdout.text)?.[1] ?? ''
    return /server: (\S+)/.exec(readFileSync(path, 'utf8'))?.[1] ?? ''
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child?.kill('SIGKILL')
    await this.#exit
    rmSync(this.cwd, { recursive: true, force: true })
  }
}

function source(path: string): string {
  return new URL(path, import.meta.url).href
}

const APP = `
export const App = resource({ group: 'example.com', version: 'v1', kind: 'App' })
`

describe('the process', { timeout: 60_000 }, () => {
  it('runs an operator on an embedded cluster, reloads it, and ends cleanly at SIGINT', async () => {
    await using tool = new Tool()
    const file = (greeting: string) => `
      import { operator, resource } from 'binnacle'
      ${APP}
      const op = operator('hello')
      op.on.create(App, ({ name, logger, patch }) => {
        patch.status.greeting = '${greeting}, ' + name
        logger.info('${greeting} to ' + name)
      })
      await op.run()`
    tool.write('op.ts', file('Hello'))
    tool.write('a.yaml', 'apiVersion: example.com/v1\nkind: App\nmetadata: { name: a, namespace: shop }\n')
    tool.start('dev', 'op.ts', '--apply', 'a.yaml')
    await tool.shows(/Handler "create" \(create\) succeeded/)
    expect(tool.stdout.text).toContain('Hello to a')

    tool.write('op.ts', file('Goodbye'))
    await tool.shows(/Reloaded hello \(1 handler\) from op\.ts/)
    const apps = `${tool.server}/apis/example.com/v1/namespaces/shop/apps`
    const body = JSON.stringify({ apiVersion: 'example.com/v1', kind: 'App', metadata: { name: 'b' } })
    await fetch(apps, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    const greetings = async () => {
      const { items } = (await (await fetch(apps)).json()) as { items: { status?: { greeting: string } }[] }
      return items.map(({ status }) => status?.greeting)
    }
    await expect.poll(greetings, { timeout: 10_000 }).toEqual(['Hello, a', 'Goodbye, b'])

    tool.signal('SIGINT')
    expect(await tool.exit).toBe(0)
    expect(tool.leftovers).toEqual([])
  })

  it('runs a handler of TypeScript in a worker thread, and reloads when its file changes', async () => {
    await using tool = new Tool()
    const crunch = (word: string) => `
      import { inWorker } from 'binnacle'
      import { isMainThread } from 'node:worker_threads'
      enum Place { here = '${word}' }
      export const crunch = inWorker('apps.example.com', ({ name, logger }) => logger.info(name + ' ' + Place.here + ' ' + isMainThread))`
    tool.write('threads/crunch.ts', crunch('one'))
    tool.write(
      'op.ts',
      `import { operator, resource, worker } from 'binnacle'
      ${APP}
      export const op = operator('hello')
      op.on.create(App, { id: 'crunch' }, worker(new URL('./threads/crunch.ts', import.meta.url)))
      op.on.resume(App, { id: 'again' }, worker(new URL('./threads/crunch.ts', import.meta.url)))`,
    )
    tool.write('a.yaml', 'apiVersion: example.com/v1\nkind: App\nmetadata: { name: a, namespace: shop }\n')
    tool.start('dev', 'op.ts', '--apply', 'a.yaml')
    await tool.shows(/a one false/)
    tool.write('threads/crunch.ts', 'export const crunch = (')
    await tool.shows(/threads\/crunch\.ts:1 cannot be loaded[\s\S]*The version before it keeps running/)
    tool.write('threads/crunch.ts', crunch('two'))
    await tool.shows(/a two false/)
    tool.signal('SIGINT')
    expect(await tool.exit).toBe(0)
    expect(tool.leftovers).toEqual([])
  })

  it('shows the lines of the TypeScript in which a file threw', async () => {
    await using tool = new Tool()
    tool.write(
      'lib/token.ts',
      `interface Secret {\n  token: string\n}\n\nexport function token(from: Secret) {\n  return from.token\n}\n`,
    )
    tool.write(
      'op.ts',
      `import { operator } from 'binnacle'\nimport { token } from './lib/token.ts'\n\nexport const op = operator('x')\ntoken(undefined as never)\n`,
    )
    tool.start('run', 'op.ts')
    expect(await tool.exit).toBe(1)
    expect(tool.stderr.text).toBe(
      "error: op.ts threw while it was loaded: TypeError: Cannot read properties of undefined (reading 'token') [BIN_OPERATOR_FILE]\n" +
        '    at token (lib/token.ts:6:15)\n    at op.ts:5:1\n',
    )
    expect(tool.leftovers).toEqual([])
  })

  it('says that a definition is missing, and waits for it', async () => {
    await using tool = new Tool()
    tool.write(
      'op.ts',
      `import { operator } from 'binnacle'\nexport const op = operator('x')\nop.on.create('apps.example.com', () => {})\n`,
    )
    await using cluster = new Tool()
    cluster.start('cluster', '--kubeconfig', join(tool.cwd, 'kubeconfig'))
    await cluster.shows(/export KUBECONFIG/)
    tool.start('run', 'op.ts', '--kubeconfig', 'kubeconfig')
    await tool.shows(/apps\.example\.com \(handler ."create."\) is not served yet, and awaited\. Install its/)
    tool.signal('SIGTERM')
    expect(await tool.exit).toBe(0)
    cluster.signal('SIGTERM')
    expect(await cluster.exit).toBe(0)
  })

  it('cleans up when the second signal ends it at once', async () => {
    await using tool = new Tool()
    await using cluster = new Tool()
    cluster.start('cluster', '--kubeconfig', join(tool.cwd, 'kubeconfig'))
    await cluster.shows(/export KUBECONFIG/)
    tool.write(
      'op.ts',
      `import { operator } from 'binnacle'
       const pool = { [Symbol.asyncDispose]: () => new Promise<void>(() => setInterval(() => {}, 1000)) }
       export const op = operator('stuck', { shared: () => pool })`,
    )
    tool.start('run', 'op.ts', '--kubeconfig', 'kubeconfig')
    await tool.shows(/is ready/)
    expect(tool.leftovers).toHaveLength(1)
    tool.signal('SIGTERM')
    await tool.shows(/Stopping/)
    tool.signal('SIGTERM')
    expect(await tool.exit).toBe(143)
    expect(tool.leftovers).toEqual([])
  })

  it('cleans up when a file ends it', async () => {
    await using tool = new Tool()
    tool.write('op.ts', `import { operator } from 'binnacle'; export const op = operator('x'); process.exit(7)`)
    tool.start('run', 'op.ts')
    expect(await tool.exit).toBe(7)
    expect(tool.leftovers).toEqual([])
  })
})
