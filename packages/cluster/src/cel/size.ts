/** How large a value of a schema can be: by its limits, or by what fits into a request. */
import type { StructuralSchema } from '../schema/structural.ts'

/** The largest body of a request, in bytes. */
export const requestLimit = 3 * 1024 * 1024

const dateSize = 12
const timeSize = 22
const durationSize = { least: 4, most: 32 }

/** The most characters, items or entries. */
export function maxElements(schema: StructuralSchema): number {
  const { maxItems, maxProperties, maxLength } = schema.limits
  if (schema.intOrString) return requestLimit - 2
  switch (schema.type) {
    case 'array':
      return maxItems ?? Math.floor((requestLimit - 2) / (schema.items ? minSize(schema.items) + 1 : 1))
    case 'object': {
      const { additional } = schema
      const each = additional === undefined || additional === true ? 2 : minSize(additional)
      return maxProperties ?? Math.floor((requestLimit - 2) / (each + 6))
    }
    case 'string':
      return maxText(schema, maxLength)
    default:
      return 1
  }
}

function maxText({ format, enum: values }: StructuralSchema, maxLength: number | undefined): number {
  if (format === 'date') return dateSize - 2
  if (format === 'date-time') return timeSize - 2
  if (format === 'duration') return durationSize.most - 2
  // A character is up to four bytes; base64 grows by a third, and what is measured is what it holds.
  if (maxLength !== undefined) return format === 'byte' ? maxLength : maxLength * 4
  if (values && values.length > 0)
    return Math.max(...values.map((value) => (typeof value === 'string' ? value.length : 0)))
  return requestLimit - 2
}

/** The fewest bytes that a value takes in a body. */
export function minSize(schema: StructuralSchema): number {
  if (schema.intOrString) return 1
  switch (schema.type) {
    case 'array':
      return 2
    case 'object':
      return schema.additional === undefined ? minObject(schema) : 2
    case 'boolean':
      return 4
    case 'string':
      return minText(schema.format)
    default:
      return 1
  }
}

function minText(format: string | undefined): number {
  if (format === 'date') return dateSize
  if (format === 'date-time') return timeSize
  return format === 'duration' ? durationSize.least : 2
}

function minObject(schema: StructuralSchema): number {
  let size = 2
  for (const name of schema.required) {
    const part = schema.properties.get(name)
    if (part && part.default === undefined) size += name.length + minSize(part) + 4
  }
  return size
}
