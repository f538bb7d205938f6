import { describe, expect, it } from 'vitest'
import { userFrames } from './stack.ts'

function thrown(...frames: readonly string[]): Error {
  return Object.assign(new Error('x'), { stack: ['Error: x', ...frames.map((frame) => `    at ${frame}`)].join('\n') })
}

describe('userFrames', () => {
  it('keeps the places in the files of the user, as they would be typed', () => {
    const error = thrown(
      'token (/home/me/app/src/token.ts:6:15)',
      'Object.<anonymous> (/home/me/app/node_modules/zod/index.js:1:1)',
      'async file:///home/me/app/op.ts:5:1',
      '<anonymous> (/home/me/shared/lib.mts:2:3)',
      'ModuleJob.run (node:internal/modules/esm/module_job:325:25)',
      `main (${import.meta.url.replace('stack.test.ts', 'main.ts')}:1:1)`,
      '/tmp/binnacle-a1B2c3/0/entry-0.mjs:3:1',
    )
    expect(userFrames(error, '/home/me/app')).toEqual([
      '    at token (src/token.ts:6:15)',
      '    at op.ts:5:1',
      '    at /home/me/shared/lib.mts:2:3',
    ])
  })

  it('has none for what is no error', () => {
    expect(userFrames('oops', '/')).toEqual([])
    expect(userFrames(null, '/')).toEqual([])
  })
})
