import { relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A line of a stack that names a place: `at fn (/path/file.ts:3:9)`, `at file:///path/file.ts:3:9`. */
const FRAME = /^\s*at (?:async )?(?:(?<call>.*?) \()?(?<place>(?:file:\/\/)?[^()]*?):(?<line>\d+):(?<column>\d+)\)?$/

/** The folder that holds this package and its siblings. */
const PACKAGES = fileURLToPath(new URL('../../', import.meta.url))
/** What `bundle.ts` writes. */
const BUNDLED = /binnacle-\w{6}[\\/]\d+[\\/](entry|chunk)-\w+\.mjs$/

/**
 * The lines of an error's stack that lie in the user's own files, nearest first, with paths as they would be typed here.
 * Assumes: source maps were on when the file was loaded, so that the places are those of the TypeScript.
 */
export function userFrames(error: unknown, cwd: string): readonly string[] {
  const stack = error instanceof Error ? (error.stack ?? '') : ''
  return stack.split('\n').flatMap((line) => frame(line, cwd))
}

function frame(line: string, cwd: string): readonly string[] {
  const { call, place, line: row, column } = FRAME.exec(line)?.groups ?? {}
  if (place === undefined || !isUsers(place)) return []
  const at = `${typed(place, cwd)}:${row}:${column}`
  return [`    at ${call === undefined || call === '<anonymous>' ? at : `${call} (${at})`}`]
}

function isUsers(place: string): boolean {
  if (place.startsWith('node:') || place.includes(`${sep}node_modules${sep}`)) return false
  return /\.[cm]?[jt]sx?$/.test(place) && !isOurs(place)
}

/** One of our packages, or what was bundled and no source map leads out of. */
function isOurs(place: string): boolean {
  const path = pathOf(place)
  return path.startsWith(PACKAGES) || BUNDLED.test(path)
}

/** As a person in this directory would type it. */
function typed(place: string, cwd: string): string {
  const path = pathOf(place)
  const below = relative(cwd, path)
  return below === '' || below.startsWith('..') ? path : below
}

function pathOf(place: string): string {
  return place.startsWith('file:') ? fileURLToPath(place) : place
}
