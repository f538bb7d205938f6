import type { ArgDef } from 'citty'
import { type AnyCommand, flagsOf, shortOf } from './command.ts'

/** The texts of `--help`. README.md shows the same; a test holds both together. */

export function helpOf(command: AnyCommand): string {
  const files = { none: '', one: ' <file>', several: ' <file...>' }[command.files]
  const flags = flagsOf(command).map(([name, arg]) => [label(name, arg), described(command, name, arg)] as const)
  return [
    command.description,
    section('Usage:', [`binnacle ${command.name} [options]${files}`]),
    section('Options:', columns([...flags, ['-h, --help', 'Show this text']])),
    section('Examples:', command.examples),
  ].join('\n\n')
}

export function helpOfAll(commands: readonly AnyCommand[]): string {
  return [
    'Kubernetes operators in TypeScript: run them, develop them, and the cluster to do it on',
    section('Usage:', ['binnacle <command> [options]']),
    section('Commands:', columns(commands.map(({ name, summary }) => [name, summary]))),
    section(
      'Options:',
      columns([
        ['-h, --help', 'Show this text, or that of a command'],
        ['--version', 'Show the version'],
      ]),
    ),
    section(
      'Exit codes:',
      columns([
        ['0', 'Done, or stopped by a signal as asked'],
        ['1', 'Something failed; the message says what to do'],
        ['2', 'The command line was not understood'],
      ]),
    ),
    '`binnacle <command> --help` shows the options of a command.',
  ].join('\n\n')
}

function label(name: string, arg: ArgDef): string {
  const short = shortOf(arg)
  const value = arg.type === 'boolean' ? '' : ` <${valueHint(name, arg)}>`
  return `${short ? `-${short}, ` : ''}--${name}${value}`
}

function valueHint(name: string, arg: ArgDef): string {
  if ('options' in arg && arg.options) return arg.options.join('|')
  return arg.valueHint ?? name
}

function described(command: AnyCommand, name: string, arg: ArgDef): string {
  const again = command.repeatable.includes(name) ? '; may be repeated' : ''
  return `${arg.description ?? ''}${again}`
}

function section(title: string, lines: readonly string[]): string {
  return [title, ...lines.map((line) => `  ${line}`)].join('\n')
}

function columns(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `${left.padEnd(width)}  ${right}`)
}
