/**
 * Checks who imports whom, by the rules of .dependency-cruiser.cjs.
 */
import { createRequire } from 'node:module'
import { cruise } from 'dependency-cruiser'

const { forbidden, options } = createRequire(import.meta.url)('../.dependency-cruiser.cjs')

/** @typedef {{ readonly rule: string, readonly from: string, readonly to: string, readonly advice: string }} Violation */

/**
 * @param {string} root of the tree to look at
 * @param {readonly string[]} paths in it
 * @returns {Promise<{ readonly violations: readonly Violation[], readonly files: number }>}
 */
export async function checkLayering(root, paths) {
  const { output } = await cruise([...paths], { ...options, baseDir: root, validate: true, ruleSet: { forbidden } })
  if (typeof output === 'string') throw new Error(`dependency-cruiser answered with text: ${output}`)
  const comments = new Map(
    forbidden.map((/** @type {{ name: string, comment?: string }} */ rule) => [rule.name, rule.comment ?? '']),
  )
  const violations = output.summary.violations.map(({ rule, from, to, cycle }) => ({
    rule: rule.name,
    from,
    to: cycle === undefined ? to : cycle.map(({ name }) => name).join(' → '),
    advice: comments.get(rule.name) ?? '',
  }))
  return { violations, files: output.summary.totalCruised }
}

/** @param {Violation} violation */
export function sentenceOf({ rule, from, to, advice }) {
  return `${rule}\n    ${from} → ${to}${advice === '' ? '' : `\n    ${advice}`}`
}
