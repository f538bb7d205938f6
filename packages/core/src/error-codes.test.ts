import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { ERROR_CODES } from './error-codes.ts'

const page = readFileSync(new URL('../../../docs/reference/errors.md', import.meta.url), 'utf8')
const entries = new Map(
  page
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [code = '', ...text] = section.split('\n')
      return [code.trim(), text.join(' ').replace(/\s+/g, ' ').trim()]
    }),
)
const codes = Object.entries(ERROR_CODES)

describe('the catalogue of errors', () => {
  it('and the page of the reference have the same codes, in the same order', () => {
    expect([...entries.keys()]).toEqual(Object.keys(ERROR_CODES))
  })

  it.each(codes)('%s says on the page what it means and what to do', (code, { meaning, remedy }) => {
    expect(entries.get(code)).toBe(`${meaning} **What to do:** ${remedy}`)
  })

  it.each(codes)('%s is named and written in full sentences', (code, { meaning, remedy }) => {
    expect(code).toMatch(/^BIN_[A-Z_]+$/)
    for (const text of [meaning, remedy]) expect(text).toMatch(/^[A-Z`].*\.$/)
  })
})
