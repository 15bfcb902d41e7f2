import type { Io } from './output/io.ts'

/** One option of a command. The only source for parsing it, its help and its completion. */
export type OptionSpec = FlagSpec | TextSpec | ValueSpec | OptionalTextSpec | ListSpec

interface CommonSpec {
  readonly summary: string
  /** Heading of the option in the help. */
  readonly group: string
  /** Alias of the option. */
  readonly alias?: string
}

/** `--name`; `--name=false` overrides the value of a config file. */
export interface FlagSpec extends CommonSpec {
  readonly kind: 'flag'
  /** The flag that conflicts with this one. */
  readonly contradicts?: string
}

/** `--name VALUE`, at most once. */
export interface TextSpec extends CommonSpec {
  readonly kind: 'text'
  readonly placeholder: string
  readonly choices: readonly string[]
  readonly default: string
}

/** `--name VALUE`, at most once, without a default. */
export interface ValueSpec extends CommonSpec {
  readonly kind: 'value'
  readonly placeholder: string
  readonly holds?: Contents
  /** Describes why a value is invalid, as the end of a sentence: `must be a whole number`. */
  readonly complain?: (text: string) => string | undefined
}

/** `--name` or `--name VALUE`. Without a value, `implied` applies; if it is empty, the command chooses a default. */
export interface OptionalTextSpec extends CommonSpec {
  readonly kind: 'optional-text'
  readonly placeholder: string
  readonly implied: string
  readonly holds?: Contents
  /** True if a scan option of the same name has another meaning, so that its config value does not apply. */
  readonly isOwn?: boolean
}

/** `--name VALUE`, any number of times. */
export interface ListSpec extends CommonSpec {
  readonly kind: 'list'
  readonly placeholder: string
  /** Values that completion offers. */
  readonly offers?: readonly string[]
  readonly holds?: Contents
  /** Describes why a value is invalid, as the end of a sentence. */
  readonly complain?: (text: string) => string | undefined
}

/**
 * Kind of the value other than text: a path (or address), a report with its path after `=`, a policy, or a target name.
 */
type Contents = 'path' | 'report' | 'policy' | 'target'

export type OptionSpecs = Readonly<Record<string, OptionSpec>>

type ValueOf<Spec extends OptionSpec> = Spec extends { kind: 'flag' }
  ? boolean
  : Spec extends { kind: 'list' }
    ? readonly string[]
    : Spec extends { kind: 'text'; choices: readonly (infer Choice)[] }
      ? Choice
      : string | undefined

/** Typed option values of a command. Only a value or optional text can be undefined, if it was not given. */
export type OptionsOf<Specs extends OptionSpecs> = { readonly [Name in keyof Specs]: ValueOf<Specs[Name]> }

/** Positional arguments of a command. */
export interface Operands {
  readonly name: string
  /** Names of the operands after the first, if they have another meaning. */
  readonly others?: readonly string[]
  readonly summary: string
  readonly atLeast: number
  readonly atMost: number
  /** Allowed first words, if the first word selects an action. */
  readonly actions?: readonly string[]
  /** The only allowed words. Without `choices` and `offers`, operands are file paths. */
  readonly choices?: readonly string[]
  /**
   * True if the operands (or the first one, if the others have another meaning) are policies, next to which a config
   * file can be. An action word is not a policy.
   */
  readonly arePolicies?: boolean
  /** Values that completion offers although others are allowed. Called only to generate a completion script. */
  readonly offers?: () => Promise<readonly string[]>
}

/** Example for the help, runnable as it is. */
export interface CommandExample {
  readonly command: string
  readonly summary: string
}

interface CommandDefinition<Specs extends OptionSpecs> {
  readonly name: string
  readonly summary: string
  /** Long help, printed after the options. */
  readonly details?: string
  readonly operands?: Operands
  readonly options: Specs
  readonly examples: readonly CommandExample[]
  /** Two-word commands that begin with this name, with their own operands and options. */
  readonly subcommands?: readonly Command[]
  /**
   * True if the command also runs on a single `--target` to which driftgate is copied, with its output printed here.
   * Such a command writes no files and its options are scan options.
   */
  readonly travels?: boolean
  /** Reason why these options are refused for a remote run, as a sentence; undefined if they are allowed. */
  readonly refusesThere?: (invocation: Invocation<OptionsOf<Specs>>) => string | undefined
  /** Resource limits for input from others; no limits if absent or undefined. */
  readonly limits?: (invocation: Invocation<OptionsOf<Specs>>) => Limits | undefined
  /** Runs the command and returns the exit code. Throws an `OperatorError` for errors that the operator can correct. */
  readonly run: (invocation: Invocation<OptionsOf<Specs>>, io: Io) => Promise<number>
}

export interface Invocation<Options> {
  readonly operands: readonly string[]
  readonly options: Options
  /** Options given on the command line, without those of a config file. */
  readonly said: Readonly<Record<string, unknown>>
  /** Config file that supplied further options, as shown to the user. */
  readonly configFile?: string
}

/** Resource limits of a command's process. */
export interface Limits {
  readonly timeoutMs: number
  /** Heap limit in MiB. */
  readonly memoryMib: number
}

/** A command with the types of its own options erased. */
export interface Command extends Omit<CommandDefinition<OptionSpecs>, 'run' | 'limits' | 'refusesThere'> {
  /** `options` must hold the values parsed with this command's specs. */
  readonly run: (invocation: AnyInvocation, io: Io) => Promise<number>
  /** `options` as for `run`. */
  readonly limits: (invocation: AnyInvocation) => Limits | undefined
  readonly refusesThere: (invocation: AnyInvocation) => string | undefined
}

export type AnyInvocation = Invocation<Readonly<Record<string, unknown>>>

/** All commands, each followed by its subcommands. */
export function withSubcommands(commands: readonly Command[]): readonly Command[] {
  return commands.flatMap((command) => [command, ...(command.subcommands ?? [])])
}

/** Creates a command; checks the type of `run` against the declared options. */
export function defineCommand<const Specs extends OptionSpecs>(definition: CommandDefinition<Specs>): Command {
  // The values come from parsing with these specs.
  const typed = (invocation: AnyInvocation): Invocation<OptionsOf<Specs>> => ({
    ...invocation,
    options: invocation.options as OptionsOf<Specs>,
  })
  return {
    ...definition,
    run: (invocation, io) => definition.run(typed(invocation), io),
    limits: (invocation) => definition.limits?.(typed(invocation)),
    refusesThere: (invocation) => definition.refusesThere?.(typed(invocation)),
  }
}
