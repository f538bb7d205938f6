import { parseArgs } from 'node:util'
import { BinnacleError } from '@binnacle/core'
import type { ArgDef } from 'citty'
import { type AnyCommand, flagsOf, shortOf } from './command.ts'
import { nearest } from './suggestion.ts'

/** Stands between the values of a flag that was given several times. No file and no namespace has it in its name. */
const BETWEEN = '\n'

type Token = NonNullable<ReturnType<typeof parseArgs>['tokens']>[number]
type OptionToken = Extract<Token, { kind: 'option' }>

/**
 * The words after the command, in the one form that citty reads without doubt: `--name=value` for each flag, then the files.
 * Guarantees: a flag that the command does not know, a missing or needless value, a value outside of the choices, and a file too many or
 * too few are refused in one sentence with a suggestion; citty itself would let most of them pass.
 */
export function canonical(command: AnyCommand, words: readonly string[]): string[] {
  const given = new Map<string, string[]>()
  const files: string[] = []
  for (const token of tokens(command, words)) {
    if (token.kind === 'positional') files.push(token.value)
    if (token.kind !== 'option') continue
    const [name, value] = checked(command, token)
    const before = command.repeatable.includes(name) ? (given.get(name) ?? []) : []
    given.set(name, [...before, value])
  }
  checkFiles(command, files)
  const flags = [...given].map(([name, values]) => `--${name}=${values.join(BETWEEN)}`)
  return [...flags, '--', ...files]
}

/** The values of a flag that may be given several times. */
export function values(joined: string | undefined): readonly string[] {
  return joined === undefined ? [] : joined.split(BETWEEN)
}

/** Whether one of the flags stands among the words, before any `--`. */
export function mentions(words: readonly string[], ...flags: readonly string[]): boolean {
  const end = words.indexOf('--')
  return (end < 0 ? words : words.slice(0, end)).some((word) => flags.includes(word))
}

export function usageError(message: string, hint: string): BinnacleError {
  return new BinnacleError('BIN_USAGE', { message, hint })
}

function tokens(command: AnyCommand, words: readonly string[]): readonly Token[] {
  const options = Object.fromEntries(flagsOf(command).map(([name, arg]) => [name, optionOf(arg)]))
  return parseArgs({ args: [...words], options, strict: false, allowPositionals: true, tokens: true }).tokens
}

function optionOf(arg: ArgDef): { type: 'string' | 'boolean'; short?: string } {
  const short = shortOf(arg)
  return { type: arg.type === 'boolean' ? 'boolean' : 'string', ...(short !== undefined && { short }) }
}

function checked(command: AnyCommand, token: OptionToken): readonly [string, string] {
  const flag = flagsOf(command).find(([name]) => name === token.name)
  if (!flag) throw unknownFlag(command, token.rawName)
  const [name, arg] = flag
  if (arg.type !== 'boolean') return [name, textOf(command, arg, token)]
  if (token.value !== undefined) {
    throw usageError(`${token.rawName} takes no value, and got "${token.value}"`, moreIn(command))
  }
  return [name, 'true']
}

function textOf(command: AnyCommand, arg: ArgDef, token: OptionToken): string {
  const inline = token.inlineValue === true
  const value = inline && !token.rawName.startsWith('--') ? token.value?.replace(/^=/, '') : token.value
  if (!value || (!inline && /^-./.test(value))) {
    throw usageError(`${token.rawName} needs a value: ${arg.valueHint ?? 'value'}`, moreIn(command))
  }
  const choices = 'options' in arg ? arg.options : undefined
  if (choices && !choices.includes(value)) {
    const meant = nearest(value, choices)
    throw usageError(
      `${token.rawName} is one of ${choices.join(', ')}, and got "${value}"`,
      `${meant ? `Did you mean ${meant}? ` : ''}${moreIn(command)}`,
    )
  }
  return value
}

function unknownFlag(command: AnyCommand, raw: string): BinnacleError {
  const names = ['--help', ...flagsOf(command).map(([name]) => `--${name}`)]
  const meant = nearest(raw.replace(/^-*/, '--'), names)
  return usageError(
    `\`binnacle ${command.name}\` does not know the flag ${raw}`,
    `${meant ? `Did you mean ${meant}? ` : ''}${moreIn(command)}`,
  )
}

function checkFiles(command: AnyCommand, files: readonly string[]): void {
  const [first, second] = files
  if (command.files === 'none' && first !== undefined) {
    throw usageError(`\`binnacle ${command.name}\` takes no file, and got "${first}"`, moreIn(command))
  }
  if (command.files !== 'none' && first === undefined) {
    throw usageError(
      `\`binnacle ${command.name}\` needs the file that declares the operator`,
      `Write it after the command: binnacle ${command.name} operator.ts`,
    )
  }
  if (command.files === 'one' && second !== undefined) {
    throw usageError(`\`binnacle ${command.name}\` takes one file, and got "${first}" and "${second}"`, moreIn(command))
  }
}

function moreIn(command: AnyCommand): string {
  return `\`binnacle ${command.name} --help\` shows all flags.`
}
