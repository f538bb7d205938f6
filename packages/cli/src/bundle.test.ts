import { describe, expect, it } from 'vitest'
import { TestDesk } from '../test/desk.ts'
import { TestParts } from '../test/parts.ts'

/** Loads a file whose operator is named after what it has imported. */
async function nameFrom(files: Record<string, string>, file = 'op.ts'): Promise<string> {
  await using at = new TestDesk({ parts: new TestParts() })
  for (const [path, text] of Object.entries(files)) at.write(path, text)
  void at.run('run', file)
  await at.does('note done')
  return at.ledger.entries.find(({ what }) => what === 'start')?.name ?? ''
}

const op = (imports: string, name: string) =>
  `import { operator, note } from 'binnacle'\n${imports}\nvoid operator(${name}).run()\nnote('done')\n`

describe('the files of a user', () => {
  it('import packages as Node does, which are not bundled', async () => {
    const files = {
      'node_modules/where/package.json': '{ "name": "where", "type": "module", "exports": { "import": "./where.js" } }',
      'node_modules/where/where.js': `export const where = import.meta.url.replace(/^.*node_modules/, '')`,
      'op.ts': op(`import { where } from 'where'`, 'where'),
    }
    expect(await nameFrom(files)).toBe('/where/where.js')
  })

  it('import TypeScript by the name of a package, as in a workspace', async () => {
    const files = {
      'node_modules/shared/package.json': '{ "name": "shared", "type": "module", "exports": "./src/index.ts" }',
      'node_modules/shared/src/index.ts': `enum Name { a = 'from a workspace' }\nexport const name: string = Name.a`,
      'op.ts': op(`import { name } from 'shared'`, 'name'),
    }
    expect(await nameFrom(files)).toBe('from a workspace')
  })

  it('import by the path aliases of their tsconfig', async () => {
    const files = {
      'tsconfig.json': '{ "compilerOptions": { "paths": { "@/*": ["./lib/*"] } } }',
      'lib/name.ts': `export const name = 'by alias'`,
      'op.ts': op(`import { name } from '@/name.ts'`, 'name'),
    }
    expect(await nameFrom(files)).toBe('by alias')
  })

  it('import JSON, and files without their ending', async () => {
    const files = {
      'name.json': '{ "name": "from JSON" }',
      'lib.ts': `import json from './name.json'\nexport const name = json.name`,
      'op.ts': op(`import { name } from './lib'`, 'name'),
    }
    expect(await nameFrom(files)).toBe('from JSON')
  })

  it('may be CommonJS and require packages', async () => {
    const files = {
      'node_modules/old/package.json': '{ "name": "old", "main": "./main.cjs" }',
      'node_modules/old/main.cjs': `module.exports = { name: 'from ' + __filename.replace(/^.*node_modules/, '') }`,
      'lib.cjs': `const { basename } = require('node:path')\nmodule.exports = { name: require('old').name, basename }`,
      'op.ts': op(`import lib from './lib.cjs'`, 'lib.name + lib.basename("/ x")'),
    }
    expect(await nameFrom(files)).toBe('from /old/main.cjs x')
  })

  it('import lazily', async () => {
    const files = {
      'lazy.ts': `export const name = 'lazy'`,
      'op.ts': op(`const { name } = await import('./lazy.ts')`, 'name'),
    }
    expect(await nameFrom(files)).toBe('lazy')
  })

  it('may begin with a line for the shell', async () => {
    const files = {
      'op.mts': `#!/usr/bin/env node\n${op(`const name = import.meta.filename.replace(/^.*op/, 'op')`, 'name')}`,
    }
    expect(await nameFrom(files, 'op.mts')).toBe('op.mts')
  })

  it('name TypeScript for worker threads, which gets a bundle of its own under its own name', async () => {
    const files = {
      'lib/part.ts': `export enum Part { a = 'part' }`,
      'lib/crunch.ts': `import { Part } from './part.ts'\nexport const name = Part.a`,
      'op.ts': op(
        `const worker = (url: URL) => url.href\nconst url = worker(\n  new URL("./lib/crunch.ts", import.meta.url),\n)`,
        `(await import(url)).name + url.replace(/^.*\\//, ' of ')`,
      ),
    }
    expect(await nameFrom(files)).toBe('part of crunch.mjs')
  })
})
