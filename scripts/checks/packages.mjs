/**
 * Looks at the packages as users get them: as tarballs, with publint and attw.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
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

/** @param {string} tarball @returns {Promise<string[]>} what npm and bundlers will stumble over */
async function lint(tarball) {
  const bytes = readFileSync(tarball)
  const { messages, pkg } = await publint({ strict: true, pack: { tarball: new Uint8Array(bytes).buffer } })
  return messages.map((message) => `${basename(tarball)}: ${formatMessage(message, pkg) ?? message.code}`)
}

/** @param {string} tarball @returns {Promise<string[]>} what the compilers of users will stumble over */
async function resolveTypes(tarball) {
  const { code, output } = await tool('@arethetypeswrong/cli/dist/index.js', [
    tarball,
    '--profile',
    'esm-only',
    '--no-emoji',
  ])
  return code === 0 ? [] : [output.trim()]
}

/** @returns {Promise<string[]>} */
export async function checkPackages() {
  const out = mkdtempSync(join(tmpdir(), 'binnacle-pack-'))
  try {
    const { tarballs, complaint } = await pack(out)
    if (complaint !== undefined) return [complaint]
    const faults = []
    for (const tarball of tarballs) faults.push(...(await lint(tarball)), ...(await resolveTypes(tarball)))
    const expected = publishedPackages().length
    if (tarballs.length !== expected) faults.push(`npm pack made ${tarballs.length} tarballs of ${expected} packages.`)
    return faults
  } finally {
    rmSync(out, { recursive: true, force: true })
  }
}
