import type { ValueOrder } from '../model/acceptance.ts'
import type { Reading } from '../model/observation.ts'
import type { FileKind } from '../host/file-kind.ts'
import type { FileAttributes } from '../host/remediator.ts'
import type { Manner, Testimony } from '../host/witness.ts'
import type { Assignment, KeyName } from './assignment.ts'
import type { Format } from './formats/format.ts'

/**
 * The files that a surface reads. Answers are recorded with the observation, so that the reading can be repeated with a
 * fix applied.
 */
export interface ConfigFiles {
  /** The text of a file, links followed; empty for a link to /dev/null, `null` if proven absent. */
  text(path: string): Reading<string | null>
  /** The NUL-terminated texts in a program that contain one of these words; `null` if there is no such program. */
  textsIn(program: string, words: readonly string[]): Reading<readonly string[] | null>
  /** The names in a directory, sorted by character code; `null` if proven absent. */
  names(directory: string): Reading<readonly string[] | null>
  /** The path with all links resolved; `null` if it is proven not to exist. */
  real(path: string): Reading<string | null>
  exists(path: string): Reading<boolean>
  /** The kind of file at the path, links followed; `null` if proven absent. */
  kind(path: string): Reading<FileKind | null>
  /** Owner, group and permission bits of the file at the path, links followed; `null` if proven absent. */
  attributes(path: string): Reading<FileAttributes | null>
}

/** The head of a driftgate drop-in, in formats with `#` comments. */
export const OWN_HEAD = '# Written by driftgate.\n'

/** How a program interprets the values of one key. */
export interface KeyRules {
  /** How they compare. */
  readonly order: ValueOrder<string>
  /** Which of several assignments is effective; with `all`, their values form one list, in reading order. */
  readonly wins: 'first' | 'last' | 'all'
  /** With `all`: the separator when shown as one value; a space by default. */
  readonly between?: string
  /** With `all`: whether an empty value resets the earlier ones. */
  readonly emptyResets?: boolean
  /** The default of the installed version; undefined if unknown. */
  readonly default?: string
  /** Whether the key has no value: `true` if it is present, even before other text, otherwise `false`. */
  readonly isFlag?: boolean
  /** The program's only words for true and false; policies may still use `true`, `yes` and `on`. */
  readonly switch?: readonly [on: string, off: string]
  /** Whether a value is valid; the program ignores an assignment with an invalid one. If undefined, all are valid. */
  readonly takes?: (value: string) => boolean
}

/** The effective value, globally or in one scope. */
export interface Effective {
  readonly scope?: string
  /** For a scope: it does not inherit the global value, so it has the default, if any, unless a line sets it. */
  readonly standsAlone?: true
  /** Why no program uses the setting, so that its default is not effective either. */
  readonly unused?: string | undefined
  /** How to change a scope that a fix cannot reach. */
  readonly remedy?: string
  /** Why its effect or value is unknown; a scope may have several, one of which applies. */
  readonly doubt?: string
  /** The effective assignments: one for first or last, empty without any. */
  readonly winners: readonly Assignment[]
  /** Overridden assignments of the same key and scope, in reading order. */
  readonly losers: readonly Assignment[]
}

/** The destination of a fix. */
export interface Writing {
  /** A driftgate drop-in, or the main file if the program has no drop-ins or the main file takes precedence. */
  readonly file: string
  readonly format: Format
  /** The head of a new file. */
  readonly head?: string
  /** A second file that needs the same assignment, if one file is not enough. */
  readonly also?: string
  /** Permission bits of a new file; 0644 by default. */
  readonly mode?: number
  /** The command that checks a candidate before it is renamed into place; exit code 0 means valid. */
  readonly check?: (candidate: string) => readonly [program: string, ...args: string[]]
  /** Advice on the output of a failed check that concerns another file. */
  readonly explain?: (output: string) => string | undefined
}

/** How a running program applies the configuration. */
export type Activation =
  /** It reads the configuration on every use. */
  | { readonly kind: 'none' }
  /** Reloads or restarts a running unit. Use `restart` only if no session is lost. */
  | { readonly kind: 'reload' | 'restart'; readonly unit: string }
  /** Sends SIGHUP to a running unit. */
  | { readonly kind: 'signal'; readonly unit: string }
  /** Runs a command; `writes` are the paths that it generates, if any. */
  | {
      readonly kind: 'command'
      readonly argv: readonly [program: string, ...args: string[]]
      readonly writes?: readonly string[]
    }
  /** Only a reboot applies it. */
  | { readonly kind: 'reboot'; readonly why: string }

/** Commands that make a program dump its configuration without side effects. */
export interface WitnessQuestion {
  /** Run in sequence; the first failure ends them. */
  readonly commands: readonly [Argv, ...Argv[]]
  /** How they run; sandboxed ones run only if the run permits it. */
  readonly manner?: Manner
  /** The scope of the answer; the global value by default. */
  readonly scope?: string
  readonly hear: (answers: readonly [Testimony, ...Testimony[]]) => WitnessAnswer
  /** The part of the observed state to compare with the answer; the value in the scope by default. */
  readonly ours?: (effective: readonly Effective[]) => string
}

type Argv = readonly [program: string, ...args: string[]]

/** The program's value of a key, in the spelling of the reader. */
export type WitnessAnswer =
  /** It has no answer, or cannot be asked here. */
  | { readonly kind: 'silent' }
  | { readonly kind: 'said'; readonly value: string }
  /** It reads the configuration in another way, which is no matter of one value. */
  | { readonly kind: 'differs'; readonly words: string }
  /** It rejects the configuration. */
  | { readonly kind: 'refused'; readonly words: string }

export const SILENT: WitnessAnswer = { kind: 'silent' }

/**
 * The configuration of one program: main file, drop-ins, includes, precedence, defaults. All members are pure functions
 * of `ConfigFiles`.
 */
export interface Surface {
  /** Its name in policies. */
  readonly name: string
  /** One sentence: the files in order, the precedence, and where a fix writes. */
  readonly summary: string
  /** The risk of a change: one of `RISKS`. */
  readonly risk?: string
  /** Whether the program is installed, or the setting otherwise applies. */
  installed(files: ConfigFiles): Reading<boolean>
  /** Parses the text after `surface:` to a key; a problem is the end of a sentence that starts with the text. */
  keyOf(text: string): KeyName | { readonly problem: string }
  /** The rules of a key. Defaults that depend on the installed version need `files`. */
  rulesOf(key: KeyName, files?: ConfigFiles): KeyRules
  /** Whether two keys are the same; by default, if they are equal. */
  readonly sameKey?: (left: KeyName, right: KeyName) => boolean
  /** The problem of a `match` value, such as a connection; undefined if the surface has no `match`. */
  readonly matchProblem?: (match: string) => string | undefined
  /** All assignments, in the program's reading order. */
  read(files: ConfigFiles): Reading<readonly Assignment[]>
  /** The effective values: the global one first, then one for each scope. `resolveByRules` by default. */
  readonly resolve?: (
    assignments: readonly Assignment[],
    rules: KeyRules,
    options: { readonly match?: string },
  ) => readonly [Effective, ...Effective[]]
  /** The file in which a fix sets a key on this machine. */
  writes(files: ConfigFiles, key: KeyName): Writing
  /** How to ask the programs for their own values; empty if that would have side effects. */
  readonly witness?: (
    files: ConfigFiles,
    key: KeyName,
    options: { readonly match?: string },
  ) => readonly WitnessQuestion[]
  readonly activation: Activation | ((files: ConfigFiles, key: KeyName) => Activation)
}
