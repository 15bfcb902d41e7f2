import { trimBlanksOfC } from '../../settings/blanks.ts'
import { isAbsolute, resolve } from 'node:path'
import { type Reading, type Unknown, unknown } from '../../model/observation.ts'
import { isSet } from '../../model/property.ts'
import { splitWords } from '../../model/shell-split.ts'
import type { ResourceContext } from '../../resource-type/define.ts'
import { type Command, POLICY_ENVIRONMENT } from '../../host/command.ts'
import type { FinishedCommand } from './policy-command.ts'

/** Result of parsing a command line: a command or a problem. No problem means that the line is empty. */
export type Interpretation = Interpreted | { readonly ok: false; readonly problem: string | undefined }

export interface Interpreted {
  readonly ok: true
  readonly argv: Command['argv']
  /** With a shell: command that exits with 0 if the syntax is valid, and runs nothing. */
  readonly syntaxCheck?: Command['argv']
}

/** Splits a line into words like a shell, without expansion, pipes or redirections. */
export function asWords(line: string): Interpretation {
  const split = splitWords(line)
  if (!split.ok) return { ok: false, problem: split.problem }
  const [program, ...args] = split.words
  return program === undefined ? { ok: false, problem: undefined } : { ok: true, argv: [program, ...args] }
}

export function asShell(line: string): Interpretation {
  if (trimBlanksOfC(line) === '') return { ok: false, problem: undefined }
  return { ok: true, argv: ['/bin/sh', '-c', line], syntaxCheck: ['/bin/sh', '-n', '-c', line] }
}

/** Working directory and environment of a command in a policy. */
export interface Surroundings {
  readonly cwd?: string | undefined
  readonly environment?: readonly string[] | undefined
  readonly path?: string | undefined
}

/** Working directory of a command: `/` by default, otherwise relative to the policy. */
export function directoryOf(
  { cwd }: Surroundings,
  { workingDirectory }: Pick<ResourceContext, 'workingDirectory'>,
): string {
  if (!isSet(cwd)) return '/'
  return isAbsolute(cwd) ? cwd : resolve(workingDirectory, cwd)
}

/** Complete environment of a command of a policy. */
export function environmentOf({ environment = [], path }: Surroundings): Readonly<Record<string, string>> {
  const own = environment.map((entry): [string, string] => {
    const separator = entry.indexOf('=')
    return [entry.slice(0, separator), entry.slice(separator + 1)]
  })
  return { ...POLICY_ENVIRONMENT, ...Object.fromEntries(own), ...(isSet(path) ? { PATH: path } : {}) }
}

/** Result of a check command. */
export type CommandAnswer =
  | { readonly kind: 'answered'; readonly command: FinishedCommand }
  /** The command did not start or finish. */
  | { readonly kind: 'not-run'; readonly why: Unknown }
  /** A program that the command names could not be run. */
  | { readonly kind: 'lacking'; readonly why: Unknown }
  /** The shell reports a syntax error. */
  | { readonly kind: 'misspelt'; readonly why: Unknown }

/** Runs a check command. A command that could not run its check has no answer, with any exit code. */
export async function askCommand(
  { argv, syntaxCheck }: Interpreted,
  run: (argv: Command['argv']) => Promise<Reading<FinishedCommand>>,
): Promise<CommandAnswer> {
  const reading = await run(argv)
  if (reading.kind === 'unknown') return { kind: 'not-run', why: reading }
  const { exitCode, stderr } = reading.value
  const because = whyNoAnswer(exitCode, syntaxCheck === undefined ? 'words' : 'shell')
  if (because !== undefined) return { kind: 'lacking', why: unknown('command', appendFirstLine(because, stderr)) }
  const answered = { kind: 'answered', command: reading.value } as const
  if (exitCode !== SHELL_SYNTAX_EXIT || syntaxCheck === undefined) return answered
  const syntax = await run(syntaxCheck)
  // An obstacle to the syntax check is not a program that may be installed later.
  if (syntax.kind === 'unknown') return { kind: 'misspelt', why: syntax }
  if (syntax.value.exitCode === 0) return answered
  return { kind: 'misspelt', why: unknown('command', appendFirstLine('cannot be parsed by the shell', stderr)) }
}

/** Appends the first line of stderr. */
function appendFirstLine(because: string, stderr: string): string {
  const [line = ''] = trimBlanksOfC(stderr).split('\n')
  return line === '' ? because : `${because}: ${line}`
}

/** Shells exit with 128 plus the signal number if a signal ended the command. */
const SHELL_SIGNAL_BASE = 128

/** Highest signal number of Linux. */
const LAST_SIGNAL = 64

/** Exit code of a shell for a syntax error; grep and others use it for errors of their own. */
const SHELL_SYNTAX_EXIT = 2

/**
 * Why the exit code is no answer of the command: a program could not be run, or, under a shell, a signal ended it. Undefined if
 * the command itself answered.
 * @see POSIX.1-2017, Shell Command Language, 2.8.2 Exit Status for Commands
 */
function whyNoAnswer(exitCode: number, runBy: 'shell' | 'words'): string | undefined {
  if (exitCode === 126) return 'exited with 126: a program in it cannot be run'
  if (exitCode === 127) return 'exited with 127: a program in it was not found'
  const signal = exitCode - SHELL_SIGNAL_BASE
  if (runBy === 'words' || signal < 1 || signal > LAST_SIGNAL) return undefined
  return `exited with ${exitCode}: a program in it was killed by signal ${signal}`
}
