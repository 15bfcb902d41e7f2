import { isAbsolute, resolve } from 'node:path'
import { type Reading, type Unknown, unknown } from '../../model/observation.ts'
import { isSet } from '../../model/property.ts'
import { splitWords } from '../../model/shell-split.ts'
import type { ResourceContext } from '../../resource-type/define.ts'
import { type Command, POLICY_ENVIRONMENT } from '../../host/command.ts'
import type { FinishedCommand } from './policy-command.ts'

/** What a command line means to a provider: what to run, or why there is nothing; no problem means it is empty. */
export type Interpretation = Interpreted | { readonly ok: false; readonly problem: string | undefined }

/** A command line that can be run. */
export interface Interpreted {
  readonly ok: true
  readonly argv: Command['argv']
  /** Where a shell runs it: what exits with 0 if the shell can read it at all, and does nothing. */
  readonly syntaxCheck?: Command['argv']
}

/** Splits into words as a shell does; nothing is expanded, piped or redirected. */
export function asWords(line: string): Interpretation {
  const split = splitWords(line)
  if (!split.ok) return { ok: false, problem: split.problem }
  const [program, ...args] = split.words
  return program === undefined ? { ok: false, problem: undefined } : { ok: true, argv: [program, ...args] }
}

/** Gives it to a shell, with everything a shell makes of it. */
export function asShell(line: string): Interpretation {
  if (line.trim() === '') return { ok: false, problem: undefined }
  return { ok: true, argv: ['/bin/sh', '-c', line], syntaxCheck: ['/bin/sh', '-n', '-c', line] }
}

/** What a policy says of where a command runs, and with what. */
export interface Surroundings {
  readonly cwd?: string | undefined
  readonly environment?: readonly string[] | undefined
  readonly path?: string | undefined
}

/** The directory of a command: `/` where none is said, else relative to the policy. */
export function directoryOf(
  { cwd }: Surroundings,
  { workingDirectory }: Pick<ResourceContext, 'workingDirectory'>,
): string {
  if (!isSet(cwd)) return '/'
  return isAbsolute(cwd) ? cwd : resolve(workingDirectory, cwd)
}

/** All variables that a command of a policy sees. */
export function environmentOf({ environment = [], path }: Surroundings): Readonly<Record<string, string>> {
  const own = environment.map((entry): [string, string] => {
    const separator = entry.indexOf('=')
    return [entry.slice(0, separator), entry.slice(separator + 1)]
  })
  return { ...POLICY_ENVIRONMENT, ...Object.fromEntries(own), ...(isSet(path) ? { PATH: path } : {}) }
}

/** What came of asking something of a command. */
export type CommandAnswer =
  | { readonly kind: 'answered'; readonly command: FinishedCommand }
  /** It did not start, or not come to its end. */
  | { readonly kind: 'not-run'; readonly why: Unknown }
  /** A program that it names could not be run. */
  | { readonly kind: 'lacking'; readonly why: Unknown }
  /** The shell could not read it. */
  | { readonly kind: 'misspelt'; readonly why: Unknown }

/** Runs a command that looks at something. Where it could not do its work, it has no answer, with any exit code. */
export async function askCommand(
  { argv, syntaxCheck }: Interpreted,
  run: (argv: Command['argv']) => Promise<Reading<FinishedCommand>>,
): Promise<CommandAnswer> {
  const reading = await run(argv)
  if (reading.kind === 'unknown') return { kind: 'not-run', why: reading }
  const { exitCode, stderr } = reading.value
  const because = whyNoAnswer(exitCode, syntaxCheck === undefined ? 'words' : 'shell')
  if (because !== undefined) return { kind: 'lacking', why: unknown('command', said(because, stderr)) }
  const answered = { kind: 'answered', command: reading.value } as const
  if (exitCode !== SHELL_SYNTAX_EXIT || syntaxCheck === undefined) return answered
  const syntax = await run(syntaxCheck)
  // What stands in the way of the check has nothing to do with programs that may still come.
  if (syntax.kind === 'unknown') return { kind: 'misspelt', why: syntax }
  if (syntax.value.exitCode === 0) return answered
  return { kind: 'misspelt', why: unknown('command', said('cannot be read by the shell', stderr)) }
}

/** With what the command said about it, in a line. */
function said(because: string, stderr: string): string {
  const [line = ''] = stderr.trim().split('\n')
  return line === '' ? because : `${because}: ${line}`
}

/** The first exit code by which a shell says that a signal ended what it ran: 128 and the number of the signal. */
const SHELL_SIGNAL_BASE = 128

/** Linux knows signals up to this number. */
const LAST_SIGNAL = 64

/** The exit code of a shell that could not read what it was given; grep and others use it for troubles of their own. */
const SHELL_SYNTAX_EXIT = 2

/**
 * Why the exit code of a command is no answer of it: what it names could not be run, or, where a shell ran it, was ended by a
 * signal. Undefined where the command itself has answered.
 * @see POSIX.1-2017, Shell Command Language, 2.8.2 Exit Status for Commands
 */
function whyNoAnswer(exitCode: number, runBy: 'shell' | 'words'): string | undefined {
  if (exitCode === 126) return 'exited with 126, a program of it cannot be run'
  if (exitCode === 127) return 'exited with 127, a program of it was not found'
  const signal = exitCode - SHELL_SIGNAL_BASE
  if (runBy === 'words' || signal < 1 || signal > LAST_SIGNAL) return undefined
  return `exited with ${exitCode}, a program of it was ended by signal ${signal}`
}
