import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { bundle } from '../../scripts/bundle.mjs'

/** The packages as they are offered, their modules joined in a few files: in processes of their own, since tests run on sources. */

/** What a program beside this file prints. */
async function printed(program: string) {
  const file = fileURLToPath(new URL(program, import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, [file])
  return JSON.parse(stdout)
}

/** Below packages/ or node_modules/. */
function places(urls: readonly string[]): readonly string[] {
  return urls.map((url) => url.replace(/^.*\/(packages|node_modules)\//, '')).sort()
}
const packagesOf = (urls: readonly string[]) => [...new Set(places(urls).map((place) => place.replace(/\/.*$/, '')))]

beforeAll(() => bundle())

describe('The packages as they are built', () => {
  it('are there once in a process: all of them know the same classes of errors', async () => {
    const { classes, ...told } = await printed('classes.mjs')
    expect(classes).toBeGreaterThan(15)
    expect(told).toEqual({
      strangers: { core: [], client: [], binnacle: [] },
      outcomes: ['permanent', 'temporary'],
      ours: { ofClient: true, ofCache: true },
      renamed: [],
    })
  })

  it('run handlers in worker threads, whose errors are of the same classes too', async () => {
    expect(await printed('thread.mjs')).toEqual({
      result: 'success',
      permanent: 'permanent: never',
      temporary: 'temporary: not yet',
    })
  })

  it('are a few files each, of which an import reads those only that it needs', async () => {
    const { atImport, atList } = await printed('files.mjs')
    expect(packagesOf(atImport)).toEqual(['client', 'core', 'croner', 'operator'])
    expect(places(atImport).slice(10)).toEqual([])
    expect(packagesOf(atList)).toEqual(['cache', 'client', 'core', 'croner', 'operator', 'undici'])
    expect(places(atList.filter((url: string) => !url.includes('/undici/'))).slice(14)).toEqual([])
  })
})
