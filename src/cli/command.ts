import type { Io } from './output/io.ts'

/** One option of a command. The only source for parsing it, its help and its completion. */
export type OptionSpec = FlagSpec | TextSpec | ValueSpec | OptionalTextSpec | ListSpec

interface CommonSpec {
  readonly summary: string
  /** The heading of the help it stands under. */
  readonly group: string
  /** Another name that means the same. */
  readonly alias?: string
}

/** `--name`; `--name=false` takes back what a config file says. */
export interface FlagSpec extends CommonSpec {
  readonly kind: 'flag'
  /** The flag that makes no sense beside this one. */
  readonly contradicts?: string
}

/** `--name VALUE`, at most once. */
export interface TextSpec extends CommonSpec {
  readonly kind: 'text'
  readonly placeholder: string
  readonly choices: readonly string[]
  readonly default: string
}

/** `--name VALUE`, at most once; without a default. */
export interface ValueSpec extends CommonSpec {
  readonly kind: 'value'
  readonly placeholder: string
  readonly holds?: Contents
  /** What is wrong with a value, as the end of a sentence: `must be a whole number`. */
  readonly complain?: (text: string) => string | undefined
}

/** `--name` or `--name VALUE`; without a value it means `implied`, where that is empty a default the command finds itself. */
export interface OptionalTextSpec extends CommonSpec {
  readonly kind: 'optional-text'
  readonly placeholder: string
  readonly implied: string
  readonly holds?: Contents
  /** It has the name of an option of scans and means something else, so what a config says is not meant for it. */
  readonly isOwn?: boolean
}

/** `--name VALUE`, any number of times. */
export interface ListSpec extends CommonSpec {
  readonly kind: 'list'
  readonly placeholder: string
  /** What completion offers for a value. */
  readonly offers?: readonly string[]
  readonly holds?: Contents
  /** What is wrong with one of the values, as the end of a sentence. */
  readonly complain?: (text: string) => string | undefined
}

/** What a value is beside text: a path (or an address), a report with its path behind `=`, a policy, or the name of a target. */
type Contents = 'path' | 'report' | 'policy' | 'target'

export type OptionSpecs = Readonly<Record<string, OptionSpec>>

type ValueOf<Spec extends OptionSpec> = Spec extends { kind: 'flag' }
  ? boolean
  : Spec extends { kind: 'list' }
    ? readonly string[]
    : Spec extends { kind: 'text'; choices: readonly (infer Choice)[] }
      ? Choice
      : string | undefined

/** The typed values of a command's options. Only a value or an optional text that was not given is undefined. */
export type OptionsOf<Specs extends OptionSpecs> = { readonly [Name in keyof Specs]: ValueOf<Specs[Name]> }

/** What stands on the command line without a dash. */
export interface Operands {
  readonly name: string
  /** The names of those that follow the first, where they mean something else. */
  readonly others?: readonly string[]
  readonly summary: string
  readonly atLeast: number
  readonly atMost: number
  /** What the first word may be, where it says what to do with the others. */
  readonly actions?: readonly string[]
  /** The only words allowed; paths of files where neither they nor offers are there. */
  readonly choices?: readonly string[]
  /**
   * Whether they are policies, or the first is one where the others mean something else, beside which a config file may
   * lie. A word that says what to do is not one.
   */
  readonly arePolicies?: boolean
  /** What completion offers where other words are possible, too. Asked for only when a script is made. */
  readonly offers?: () => Promise<readonly string[]>
}

/** A line for the help that can be run as it stands. */
export interface CommandExample {
  readonly command: string
  readonly summary: string
}

interface CommandDefinition<Specs extends OptionSpecs> {
  readonly name: string
  readonly summary: string
  /** More for the command's own help, after the options. */
  readonly details?: string
  readonly operands?: Operands
  readonly options: Specs
  readonly examples: readonly CommandExample[]
  /** Commands of two words that begin with this one's name, each with operands and options of its own. */
  readonly subcommands?: readonly Command[]
  /**
   * Whether it runs at its one `--target` where driftgate is carried there, and is printed here: it writes nothing, and its options
   * are among those of scans.
   */
  readonly travels?: boolean
  /** Why these options are not for a target to which driftgate is carried, as a sentence; undefined where they are. */
  readonly refusesThere?: (invocation: Invocation<OptionsOf<Specs>>) => string | undefined
  /** What the work may take where others say how much it is; there are no limits where it is absent or gives nothing. */
  readonly limits?: (invocation: Invocation<OptionsOf<Specs>>) => Limits | undefined
  /** Does the work and returns the exit code. Throws `OperatorError` for what the operator can correct. */
  readonly run: (invocation: Invocation<OptionsOf<Specs>>, io: Io) => Promise<number>
}

export interface Invocation<Options> {
  readonly operands: readonly string[]
  readonly options: Options
  /** What the command line alone says of the options: those it names, without what a config adds. */
  readonly said: Readonly<Record<string, unknown>>
  /** The config file that gave options the command line does not, as people would name it. */
  readonly configFile?: string
}

/** What the process of a command may take before it is ended. */
export interface Limits {
  readonly timeoutMs: number
  /** For values and texts, in MiB. */
  readonly memoryMib: number
}

/** A command as the command line sees it, the types of its own options hidden. */
export interface Command extends Omit<CommandDefinition<OptionSpecs>, 'run' | 'limits' | 'refusesThere'> {
  /** `options` must hold the values that parsing against this command's specs gave. */
  readonly run: (invocation: AnyInvocation, io: Io) => Promise<number>
  /** The same holds for it. */
  readonly limits: (invocation: AnyInvocation) => Limits | undefined
  readonly refusesThere: (invocation: AnyInvocation) => string | undefined
}

/** What was asked of any command. */
export type AnyInvocation = Invocation<Readonly<Record<string, unknown>>>

/** The commands with those of two words, each of which follows the one it belongs to. */
export function withSubcommands(commands: readonly Command[]): readonly Command[] {
  return commands.flatMap((command) => [command, ...(command.subcommands ?? [])])
}

/** Makes a command of its parts and checks its `run` against the options it declares. */
export function defineCommand<const Specs extends OptionSpecs>(definition: CommandDefinition<Specs>): Command {
  // Parsing against these very specs has produced the values.
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
