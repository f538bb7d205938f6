/** The data file cannot be used: what is wrong with it, and what to do. */
export class DataFileError extends Error {
  readonly file: string

  constructor(file: string, problem: string, advice: string, options?: ErrorOptions) {
    super(`The data file ${file} ${problem}. ${advice}`, options)
    this.name = 'DataFileError'
    this.file = file
  }
}

const reasons: ReadonlyMap<string, string> = new Map([
  ['EACCES', 'this user may not use it'],
  ['EPERM', 'this user may not use it'],
  ['EROFS', 'the file system is read-only'],
  ['EISDIR', 'it is a folder'],
  ['ENOENT', 'its folder does not exist'],
  ['ENOTDIR', 'a part of its path is no folder'],
  ['ENOSPC', 'the disk is full'],
  ['EDQUOT', 'the disk quota is used up'],
])

/** Why the system refused, in words. */
export function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  return reasons.get(code ?? '') ?? message
}
