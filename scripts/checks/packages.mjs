/**
 * Looks at the packages as users get them: as tarballs, with publint and attw.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { npm, tool } from './command.mjs'
import { publishedPackages } from './workspace.mjs'

/**
 * @param {string} out where the tarballs go
 * @returns {Promise<{ readonly tarballs: readonly string[], readonly complaint: string | undefined }>}
 */
async function pack(out) {
  const workspaces = publishedPackages().flatMap(({ folder }) => ['--workspace', folder])
  const { code, output } = await npm([
    'pack',
    '--json',
    '--pack-destination',
    out,
    '--loglevel=error',
    '--ignore-scripts',
    ...workspaces,
  ])
  if (code !== 0) return { tarballs: [], complaint: `npm pack failed:\n${output}` }
  const names = [...output.matchAll(/"filename":\s*"([^"]+)"/g)].map((match) => match[1] ?? '')
  return { tarballs: names.map((name) => join(out, name)), complaint: undefined }
}

/** @param {string} tarball @returns {Promise<string[]>} what is wrong with it */
async function inspect(tarball) {
  const [lint, types] = await Promise.all([
    tool('publint/src/cli.js', ['run', tarball, '--strict']),
    tool('@arethetypeswrong/cli/dist/index.js', [tarball, '--profile', 'esm-only', '--no-emoji']),
  ])
  return [lint, types].filter(({ code }) => code !== 0).map(({ output }) => output.trim())
}

/** @returns {Promise<string[]>} */
export async function checkPackages() {
  const out = mkdtempSync(join(tmpdir(), 'binnacle-pack-'))
  try {
    const { tarballs, complaint } = await pack(out)
    if (complaint !== undefined) return [complaint]
    const faults = []
    for (const tarball of tarballs) faults.push(...(await inspect(tarball)))
    const expected = publishedPackages().length
    if (tarballs.length !== expected) faults.push(`npm pack made ${tarballs.length} tarballs of ${expected} packages.`)
    return faults
  } finally {
    rmSync(out, { recursive: true, force: true })
  }
}
