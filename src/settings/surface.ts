import type { ValueOrder } from '../model/acceptance.ts'
import type { Reading } from '../model/observation.ts'
import type { FileKind } from '../host/file-kind.ts'
import type { FileAttributes } from '../host/remediator.ts'
import type { Testimony } from '../host/witness.ts'
import type { Assignment, KeyName } from './assignment.ts'
import type { Format } from './formats/format.ts'

/** What a surface reads from. Answers are kept with the observation, so that the same reading can be done again with a fix in it. */
export interface ConfigFiles {
  /** The text of a file, links followed; empty for a link to /dev/null, `null` where it is proved that there is none. */
  text(path: string): Reading<string | null>
  /** The texts in a program, each ended by a zero, that contain one of these words; `null` where there is no such program. */
  textsIn(program: string, words: readonly string[]): Reading<readonly string[] | null>
  /** The names in a directory, sorted by their characters' codes; `null` where it is proved that there is none. */
  names(directory: string): Reading<readonly string[] | null>
  /** The path with every link in it resolved; `null` where it is proved to lead nowhere. */
  real(path: string): Reading<string | null>
  /** Whether anything is at the path. */
  exists(path: string): Reading<boolean>
  /** What the path leads to; `null` where it is proved that there is nothing. */
  kind(path: string): Reading<FileKind | null>
  /** Owner, group and permission bits of what the path leads to; `null` where it is proved that there is nothing. */
  attributes(path: string): Reading<FileAttributes | null>
}

/** What a drop-in of our own starts with, in formats whose comments start with `#`. */
export const OWN_HEAD = '# Written by driftgate.\n'

/** What a program does with the values of one key. */
export interface KeyRules {
  /** How they compare. */
  readonly order: ValueOrder<string>
  /** Which of several assignments counts; with `all` those that count are one list, in the order in which they are read. */
  readonly wins: 'first' | 'last' | 'all'
  /** Where all count: what parts them where they are shown as one value; a space where it is absent. */
  readonly between?: string
  /** Where all count: whether an empty one takes those before it away. */
  readonly emptyResets?: boolean
  /** What the installed version uses where nothing is written; absent where that is not known. */
  readonly default?: string
  /** Whether the key stands alone, without a value: `true` where it is written, also before other text, and else `false`. */
  readonly isFlag?: boolean
  /** The words of the program for true and false, where it has no others; policies may say `true`, `yes` and `on` all the same. */
  readonly switch?: readonly [on: string, off: string]
  /** Whether the program takes such a value; it passes over an assignment with another one. All of them, where it is absent. */
  readonly takes?: (value: string) => boolean
}

/** What counts in general, or in one scope. */
export interface Effective {
  readonly scope?: string
  /** Of a scope: the general value does not count in it, so that it has the default, if any, where no line is about it. */
  readonly standsAlone?: true
  /** What to do about a scope that no file reaches in which a fix writes. */
  readonly remedy?: string
  /** Why its effect or value is unknown; there may be several of a scope, of which one does. */
  readonly doubt?: string
  /** One where first or last wins; none where nothing is written. */
  readonly winners: readonly Assignment[]
  /** Those of the same key and scope that do not count, in the order in which they are read. */
  readonly losers: readonly Assignment[]
}

/** Where a fix writes. */
export interface Writing {
  /** A drop-in of our own, or the main file where the program has no drop-ins or the main file wins over them. */
  readonly file: string
  readonly format: Format
  /** What a new file starts with. */
  readonly head?: string
  /** Another file in which the same has to stand where the first is not enough. */
  readonly also?: string
  /** Permission bits of a file that is new; 0644 where it is absent. */
  readonly mode?: number
  /** Checks a candidate that lies at the path, before it is put in place; exit code 0 is right. */
  readonly check?: (candidate: string) => readonly [program: string, ...args: string[]]
  /** What to do about what a failed check has printed, where that is about another file than the candidate. */
  readonly explain?: (output: string) => string | undefined
}

/** What makes a running program use what is written. */
export type Activation =
  /** Each use reads it again. */
  | { readonly kind: 'none' }
  /** A running unit is told; one that does not run is left alone. Only what loses no session may be restarted. */
  | { readonly kind: 'reload' | 'restart'; readonly unit: string }
  /** A running unit is told by SIGHUP. */
  | { readonly kind: 'signal'; readonly unit: string }
  /** A command, and at which paths it makes files of those that were written, if so. */
  | {
      readonly kind: 'command'
      readonly argv: readonly [program: string, ...args: string[]]
      readonly writes?: readonly string[]
    }
  /** Nothing but a start of the system. */
  | { readonly kind: 'reboot'; readonly why: string }

/** A command that has a program say what it makes of its configuration, and that leaves no trace of it. */
export interface WitnessQuestion {
  /** Run one after another; the first that cannot be asked ends it. */
  readonly commands: readonly [Argv, ...Argv[]]
  readonly hear: (answers: readonly [Testimony, ...Testimony[]]) => WitnessAnswer
  /** The part of our reading that is compared with the answer; the global value where it is absent. */
  readonly ours?: (effective: readonly Effective[]) => string
}

type Argv = readonly [program: string, ...args: string[]]

/** What a program says of a key, in the words of the reader. */
export type WitnessAnswer =
  /** It says nothing of it, or cannot be asked here. */
  | { readonly kind: 'silent' }
  | { readonly kind: 'said'; readonly value: string }
  /** It does not take the configuration as it is. */
  | { readonly kind: 'refused'; readonly words: string }

export const SILENT: WitnessAnswer = { kind: 'silent' }

/**
 * One thing that a program reads its configuration from: main file, drop-ins, includes, precedence, defaults. All of it is pure:
 * functions of `ConfigFiles`.
 */
export interface Surface {
  /** What policies call it. */
  readonly name: string
  /** One sentence: which files in which order, which wins, and where a fix writes. */
  readonly summary: string
  /** What a change of it may cut off, one of `RISKS`. */
  readonly risk?: string
  /** Whether the program is there, or another condition of the question. */
  installed(files: ConfigFiles): Reading<boolean>
  /** The key that the text behind `surface:` means, or what is wrong with it, as the end of a sentence that starts with it. */
  keyOf(text: string): KeyName | { readonly problem: string }
  /** What is known of a key. A default that depends on what is installed needs the files to be told. */
  rulesOf(key: KeyName, files?: ConfigFiles): KeyRules
  /** Whether two spellings are the same key; exactly the same where it is absent. */
  readonly sameKey?: (left: KeyName, right: KeyName) => boolean
  /** What is wrong with a connection or the like to which `match` is to confine the question; absent where nothing can be confined. */
  readonly matchProblem?: (match: string) => string | undefined
  /** Every assignment, in the order in which the program reads them. */
  read(files: ConfigFiles): Reading<readonly Assignment[]>
  /** Which of them count: the general ones first, then for each scope. `resolveByRules` where it is absent. */
  readonly resolve?: (
    assignments: readonly Assignment[],
    rules: KeyRules,
    options: { readonly match?: string },
  ) => readonly [Effective, ...Effective[]]
  /** Where a fix writes a key on this machine. */
  writes(files: ConfigFiles, key: KeyName): Writing
  /** How the program itself is asked what it uses; absent, or undefined for a key, where asking would leave traces. */
  readonly witness?: (
    files: ConfigFiles,
    key: KeyName,
    options: { readonly match?: string },
  ) => WitnessQuestion | undefined
  readonly activation: Activation | ((files: ConfigFiles, key: KeyName) => Activation)
}
