import { isAbsolute, resolve } from 'node:path'
import { defined } from '../../core/defined.ts'
import type { ApplyOutcome, Obstacle, Occasion } from '../../core/decision.ts'
import { known, type Observation, present, type Reading, type Unknown, unknown } from '../../core/observation.ts'
import { type Command, POLICY_ENVIRONMENT } from '../../target/command.ts'
import type { Remediator } from '../../target/remediator.ts'
import type { Target } from '../../target/target.ts'
import type { Provider, ResourceContext } from '../../resource-type/define.ts'
import { COMMANDS_FORBIDDEN, runCheck } from '../shared/policy-command.ts'
import { isSet } from '../../core/property.ts'
import { splitWords } from '../../core/shell-split.ts'
import type { ExecAction, ExecLook, ExecWanted, GuardName, GuardReading } from './decide.ts'

/** What a command line means to a provider: what to run, or why there is nothing; no problem means it is empty. */
type Interpretation = Interpreted | { readonly ok: false; readonly problem: string | undefined }

interface Interpreted {
  readonly ok: true
  readonly argv: Command['argv']
  /** Where a shell runs it: what exits with 0 if the shell can read it at all, and does nothing. */
  readonly syntaxCheck?: Command['argv']
}

/** What was seen, and the words of the command. */
type ExecContext = ExecLook & ExecAction

type ExecProvider = Provider<ExecWanted, undefined, ExecContext, ExecAction>

/** A provider that runs command and guards by the words that `interpret` makes of them. */
function createProvider(name: string, interpret: (line: string) => Interpretation): ExecProvider {
  return {
    name,
    observe: (target, desired, context, occasion) => observe({ target, desired, context, interpret }, occasion),
    apply: execute,
  }
}

/** Commands as words, without a shell. */
export const posix: ExecProvider = createProvider('posix', asWords)

/** Commands for `/bin/sh -c`. */
export const shell: ExecProvider = createProvider('shell', asShell)

/** Splits into words as a shell does; nothing is expanded, piped or redirected. */
function asWords(line: string): Interpretation {
  const split = splitWords(line)
  if (!split.ok) return { ok: false, problem: split.problem }
  const [program, ...args] = split.words
  return program === undefined ? { ok: false, problem: undefined } : { ok: true, argv: [program, ...args] }
}

/** Gives it to a shell, with everything a shell makes of it. */
function asShell(line: string): Interpretation {
  if (line.trim() === '') return { ok: false, problem: undefined }
  return { ok: true, argv: ['/bin/sh', '-c', line], syntaxCheck: ['/bin/sh', '-n', '-c', line] }
}

interface Scene {
  readonly target: Target
  readonly desired: ExecWanted
  readonly context: ResourceContext
  readonly interpret: (line: string) => Interpretation
}

/** Looks at `creates` and runs the guards, in their order and no further than needed. Never runs the command. */
async function observe(scene: Scene, occasion: Occasion): Promise<Observation<undefined, ExecContext>> {
  const { desired, interpret } = scene
  const command = interpret(isSet(desired.command) ? desired.command : desired.name)
  if (!command.ok) {
    return unknown('invalid', command.problem === undefined ? 'no command specified' : `command: ${command.problem}`)
  }
  const { argv } = command
  const guards: Partial<Record<GuardName, Interpreted>> = {}
  for (const name of ['onlyif', 'unless'] as const) {
    const line = desired[name]
    if (!isSet(line)) continue
    const guard = interpret(line)
    if (guard.ok) guards[name] = guard
    else return unknown('invalid', guard.problem === undefined ? EMPTY_GUARD : `${INVALID_GUARD}: ${guard.problem}`)
  }
  const creates = lookForCreated(scene)
  const look = { argv, obstacles: obstaclesOf(scene, argv), ...defined({ creates }) }
  const seen = await runGuards(scene, guards, { creates, applied: occasion.applied })
  return present(undefined, { ...look, ...seen })
}

const EMPTY_GUARD = 'empty guard command'
const INVALID_GUARD = 'invalid guard command'

interface Before {
  readonly creates: Reading<boolean> | undefined
  readonly applied: boolean
}

/** After the command has run, `unless` says whether it did its work, and `onlyif` says nothing any more. */
async function runGuards(
  scene: Scene,
  { onlyif, unless }: Partial<Record<GuardName, Interpreted>>,
  { creates, applied }: Before,
): Promise<Pick<ExecLook, GuardName>> {
  if (applied) return unless === undefined ? {} : { unless: await runGuard(scene, unless) }
  if (creates !== undefined && (creates.kind === 'unknown' || creates.value)) return {}
  const first = onlyif === undefined ? undefined : await runGuard(scene, onlyif)
  const looked = first === undefined ? {} : { onlyif: first }
  const isSettled = first !== undefined && (first.kind === 'unknown' || first.value !== 0)
  if (isSettled || unless === undefined) return looked
  return { ...looked, unless: await runGuard(scene, unless) }
}

/** The guard's exit code where that is its answer. A guard that could not do its work has none, whatever it exited with. */
async function runGuard(scene: Scene, guard: Interpreted): Promise<GuardReading> {
  const { target, context } = scene
  const reading = await runCheck(target, commandOf(scene, guard.argv), context)
  if (reading.kind === 'unknown') {
    return reading.reason === 'command' ? lacking(reading, missingFor(scene, guard.argv)?.missing) : reading
  }
  const { exitCode, stderr } = reading.value
  const because = whyNoAnswer(exitCode, guard.syntaxCheck === undefined ? 'words' : 'shell')
  if (because !== undefined) return lacking(unknown('command', said(because, stderr)))
  if (exitCode !== SHELL_SYNTAX_EXIT || guard.syntaxCheck === undefined) return known(exitCode)
  const syntax = await runCheck(target, commandOf(scene, guard.syntaxCheck), context)
  if (syntax.kind === 'unknown') return syntax
  return syntax.value.exitCode === 0 ? known(exitCode) : unknown('command', said('cannot be read by the shell', stderr))
}

/** What a guard lacks may come with an earlier fix: at a path, or with whatever it requires. */
function lacking(reading: Unknown, missing: Obstacle['missing'] = []): GuardReading {
  return { ...reading, missing }
}

/** With what the guard said about it, in a line. */
function said(because: string, stderr: string): string {
  const [line = ''] = stderr.trim().split('\n')
  return line === '' ? because : `${because}: ${line}`
}

function lookForCreated(scene: Scene): Reading<boolean> | undefined {
  const { target, desired } = scene
  if (!isSet(desired.creates)) return undefined
  const seen = target.stat(resolve(directoryOf(scene), desired.creates))
  return seen.kind === 'unknown' ? seen : known(seen.kind === 'present')
}

function obstaclesOf(scene: Scene, argv: Command['argv']): readonly Obstacle[] {
  const forbidden = scene.context.commandsForbidden === true ? [{ reason: COMMANDS_FORBIDDEN }] : []
  const missing = missingFor(scene, argv)
  return [...forbidden, ...(missing === undefined ? [] : [missing])]
}

/** What is not there and has to be: the directory, or a program that is named by its path. */
function missingFor(scene: Scene, [program]: Command['argv']): Obstacle | undefined {
  const { target } = scene
  const directory = directoryOf(scene)
  const seen = target.stat(directory)
  if (seen.kind === 'absent') return { reason: `the directory ${directory} does not exist`, missing: directory }
  if (seen.kind === 'present' && seen.state.kind !== 'directory') return { reason: `${directory} is not a directory` }
  if (!program.includes('/')) return undefined
  const path = resolve(directory, program)
  return target.stat(path).kind === 'absent' ? { reason: `${path} does not exist`, missing: path } : undefined
}

function directoryOf({ desired: { cwd }, context }: Pick<Scene, 'desired' | 'context'>): string {
  if (!isSet(cwd)) return '/'
  return isAbsolute(cwd) ? cwd : resolve(context.workingDirectory, cwd)
}

/** What command and guards share. A timeout of 0 is none. */
function commandOf(scene: Pick<Scene, 'desired' | 'context'>, argv: Command['argv']): Command {
  const { timeout = 0 } = scene.desired
  return {
    argv,
    workingDirectory: directoryOf(scene),
    environment: environmentOf(scene.desired),
    ...(timeout === 0 ? {} : { timeoutMs: timeout }),
    signal: scene.context.signal,
  }
}

function environmentOf({ environment = [], path }: ExecWanted): Readonly<Record<string, string>> {
  const own = environment.map((entry): [string, string] => {
    const separator = entry.indexOf('=')
    return [entry.slice(0, separator), entry.slice(separator + 1)]
  })
  return { ...POLICY_ENVIRONMENT, ...Object.fromEntries(own), ...(isSet(path) ? { PATH: path } : {}) }
}

async function execute(
  remediator: Remediator,
  desired: ExecWanted,
  { argv }: ExecAction,
  context: ResourceContext,
): Promise<ApplyOutcome> {
  if (context.commandsForbidden === true) return { kind: 'failed', message: COMMANDS_FORBIDDEN }
  const outcome = await remediator.run(commandOf({ desired, context }, argv))
  switch (outcome.kind) {
    case 'not-started':
      return { kind: 'failed', message: outcome.message }
    case 'killed':
      return { kind: 'failed', message: `the command was killed: ${outcome.reason}`, output: outcome.output }
    case 'exited': {
      const { exitCode, output } = outcome
      const returns = desired.returns === undefined || desired.returns.length === 0 ? [0] : desired.returns
      if (returns.includes(exitCode)) return { kind: 'done', ...(desired.logoutput ? { output } : {}) }
      return { kind: 'failed', message: `exit code ${exitCode} not in allowed returns [${returns.join(' ')}]`, output }
    }
  }
}

/** The first exit code by which a shell says that a signal ended what it ran: 128 and the number of the signal. */
const SHELL_SIGNAL_BASE = 128

/** Linux knows signals up to this number. */
const LAST_SIGNAL = 64

/** The exit code of a shell that could not read what it was given; grep and others use it for troubles of their own. */
const SHELL_SYNTAX_EXIT = 2

/**
 * Why the exit code of a guard is no answer of the guard: what it names could not be run, or, where a shell ran it, was ended
 * by a signal. Undefined where the guard itself has answered.
 * @see POSIX.1-2017, Shell Command Language, 2.8.2 Exit Status for Commands
 */
function whyNoAnswer(exitCode: number, runBy: 'shell' | 'words'): string | undefined {
  if (exitCode === 126) return 'exited with 126, a program of it cannot be run'
  if (exitCode === 127) return 'exited with 127, a program of it was not found'
  const signal = exitCode - SHELL_SIGNAL_BASE
  if (runBy === 'words' || signal < 1 || signal > LAST_SIGNAL) return undefined
  return `exited with ${exitCode}, a program of it was ended by signal ${signal}`
}
