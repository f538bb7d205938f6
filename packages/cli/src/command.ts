import type { ArgDef, ArgsDef, CommandContext, ParsedArgs } from 'citty'
import type { Io } from './io.ts'
import type { Parts } from './parts.ts'
import type { Terminal } from './terminal.ts'

/** What a command is given besides its flags. */
export interface Desk {
  readonly io: Io
  readonly parts: Parts
  readonly terminal: Terminal
}

/** A command: citty's definition of its flags, and what citty has no place for. */
export interface Command<T extends ArgsDef = ArgsDef> {
  readonly name: string
  /** One line, for the list of commands. */
  readonly summary: string
  /** What it does, for whoever asks this command for help. */
  readonly description: string
  readonly args: T
  /** Flags that may be given several times. */
  readonly repeatable: readonly string[]
  /** How many files it takes. */
  readonly files: 'none' | 'one' | 'several'
  readonly examples: readonly string[]
  run(args: ParsedArgs<T>, desk: Desk): Promise<void>
}

// biome-ignore lint/suspicious/noExplicitAny: a command with whichever flags
export type AnyCommand = Command<any>

/** The flags of a command that are not files, by name. */
export function flagsOf(command: AnyCommand): readonly (readonly [string, ArgDef])[] {
  const args: ArgsDef = command.args
  return Object.entries(args).filter(([, arg]) => arg.type !== 'positional')
}

export function shortOf(arg: ArgDef): string | undefined {
  const alias = 'alias' in arg ? arg.alias : undefined
  return typeof alias === 'string' ? alias : alias?.[0]
}

/** The command as citty runs it. */
export function definitionOf<T extends ArgsDef>(command: Command<T>) {
  return {
    meta: { name: command.name, description: command.summary },
    args: command.args,
    run: ({ args, data }: CommandContext<T>) => command.run(args, data),
  }
}
