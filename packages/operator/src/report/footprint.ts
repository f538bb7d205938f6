/** Objects of a kind that are looked at. */
const SAMPLE = 32

/** Bytes on a 64-bit heap without compressed pointers, as Node's is. */
const POINTER = 8
const OBJECT = 24
const ARRAY = 32
const STRING = 16

/**
 * About how many bytes of heap an object takes, from a sample spread over all of them; undefined when there is none.
 * Does not guarantee: exactness. It is counted from the parts of the objects, by the sizes that the engine gives them; texts that objects share are counted in
 * each. What indices hold is not in it.
 */
export function bytesPerObject(objects: readonly unknown[]): number | undefined {
  if (objects.length === 0) return undefined
  const stride = Math.max(1, Math.floor(objects.length / SAMPLE))
  let sum = 0
  let count = 0
  for (let at = 0; at < objects.length && count < SAMPLE; at += stride, count++) sum += bytesOf(objects[at])
  return Math.round(sum / count)
}

/** Names of fields are shared by all objects of one shape, and cost nothing. */
function bytesOf(value: unknown): number {
  if (typeof value === 'string') return STRING + Math.ceil(value.length / POINTER) * POINTER
  if (typeof value === 'number') return Number.isInteger(value) ? 0 : 16
  if (typeof value !== 'object' || value === null) return 0
  const parts: readonly unknown[] = Array.isArray(value) ? value : Object.values(value)
  const own = (Array.isArray(value) ? ARRAY : OBJECT) + parts.length * POINTER
  return parts.reduce<number>((sum, part) => sum + bytesOf(part), own)
}
