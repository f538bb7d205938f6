/** The fieldPath of a rule: .spec.size, .labels['a/b']. */
import type { StructuralSchema } from './structural.ts'

const segment = /\.([A-Za-z_][A-Za-z0-9_-]*)|\['((?:[^'\\]|\\.)+)'\]/y

/** As it is shown behind the path of the rule's own place; undefined when it leads nowhere. Lists cannot be entered. */
export function fieldPath(text: string, schema: StructuralSchema): string | undefined {
  let at: StructuralSchema = schema
  let shown = ''
  segment.lastIndex = 0
  while (segment.lastIndex < text.length) {
    const match = segment.exec(text)
    if (!match) return undefined
    const name = match[1] ?? (match[2] ?? '').replace(/\\(.)/g, '$1')
    const property = at.properties.get(name)
    const next = property ?? at.additional
    if (next === undefined || next === true) return undefined
    shown += property ? `.${name}` : `[${name}]`
    at = next
  }
  return shown === '' ? undefined : shown
}
