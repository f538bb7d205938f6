/** What kubectl printed, and what of it is the same on every server. */
export interface Printed {
  readonly code: number
  readonly out: string
  readonly error: string
}

/** Names of what differs from one run to the next, in the order in which they are looked for. */
const PASSING: readonly (readonly [RegExp, string])[] = [
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, 'UID'],
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, 'TIME'],
  [/\b(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d \w{3} \d{4} \d\d:\d\d:\d\d [+-]\d{4}/g, 'TIME'],
  [/\b\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)? [+-]\d{4}( \w+)?/g, 'TIME'],
  [/Context "\w+" modified/g, 'Context modified'],
  [/(resourceVersion"?: )"\d+"/g, '$1"VERSION"'],
  [/Resource Version: +\d+/g, 'Resource Version: VERSION'],
  [/https?:\/\/127\.0\.0\.1:\d+/g, 'SERVER'],
  [/\b10\.96\.\d+\.\d+\b/g, 'ADDRESS'],
  [/\/tmp\/(LIVE|MERGED)-\d+/g, '/tmp/$1'],
  [/\b(\d+d)?(\d+h)?(\d+m)?\d+s\b|\b\d+d(\d+h)?\b|\b\d+m\b(?!\w)|<invalid>/g, 'AGE'],
]

export function normal({ code, out, error }: Printed) {
  // What client-go logs beside, such as a watch that ended soon, is a matter of time.
  return { code, out: rows(out), error: rows(error).filter((line) => !/^[IWE]\d{4} \d\d:/.test(line)) }
}

/** Columns are as wide as their widest cell, ages differ, and the original tells what is invalid in any order. */
function rows(text: string): string[] {
  const same = PASSING.reduce((seen, [pattern, name]) => seen.replaceAll(pattern, name), text)
  const lines = same.split('\n').map((line) => line.replace(/(\S) {2,}/g, '$1  ').trimEnd())
  return / is invalid: *$/.test(lines[0] ?? '') ? lines.sort() : lines
}
