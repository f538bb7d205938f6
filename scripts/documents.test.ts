import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const documents = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'], { cwd: root })
  .toString()
  .split('\n')
  // A template is read where it is published, and changes are read in the changelog.
  .filter((path) => path !== '' && !/^\.changeset\/|^bench\/publish\//.test(path) && existsSync(join(root, path)))

/** A block of code may say above itself which file it is taken from: `<!-- from: examples/01-hello/operator.ts -->`. */
const BLOCK = /(?:<!-- from: (\S+) -->\n+)?```(\w+)\n([\s\S]*?)```/g
const LINK = /\[[^\]]*\]\(([^)\s]+)\)/g

describe.each(documents)('%s', (path) => {
  const text = readFileSync(join(root, path), 'utf8')

  it('has code without mistakes of syntax', () => {
    for (const [, , language, code = ''] of text.matchAll(BLOCK)) {
      if (language !== 'ts') continue
      const { diagnostics = [] } = ts.transpileModule(code, {
        reportDiagnostics: true,
        compilerOptions: { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext },
      })
      expect(diagnostics.map(({ messageText }) => `${messageText} in:\n${code}`)).toEqual([])
    }
  })

  it('shows code as it stands in the file that it names', () => {
    for (const [, source, , code = ''] of text.matchAll(BLOCK)) {
      if (source !== undefined) expect(readFileSync(join(root, source), 'utf8')).toContain(code)
    }
  })

  it('links to what is there', () => {
    const targets = [...text.replace(/```[\s\S]*?```/g, '').matchAll(LINK)].map(([, target = '']) => target)
    const local = targets
      .filter((target) => !/^(https?:|mailto:|#)/.test(target))
      .map((target) => target.replace(/#.*$/, ''))
    expect(local.filter((target) => !existsSync(join(root, dirname(path), target)))).toEqual([])
  })
})
