import { resolve } from 'node:path'
import { defined } from '../../../model/defined.ts'
import type { ApplyOutcome, Obstacle, Occasion } from '../../../model/decision.ts'
import { known, type Observation, present, type Reading, type Unknown, unknown } from '../../../model/observation.ts'
import type { Command, CommandUndo } from '../../../host/command.ts'
import type { Remediator } from '../../../host/remediator.ts'
import type { Target } from '../../../host/target.ts'
import type { Provider, ResourceContext } from '../../../resource-type/define.ts'
import {
  askCommand,
  asShell,
  asWords,
  directoryOf,
  environmentOf,
  type Interpretation,
  type Interpreted,
} from '../../shared/command-line.ts'
import { COMMANDS_FORBIDDEN, runCheck } from '../../shared/policy-command.ts'
import { isSet } from '../../../model/property.ts'
import {
  type ExecAction,
  type ExecObserved,
  type ExecDesired,
  type GuardName,
  type GuardReading,
  NO_UNDO,
} from './decide.ts'

/** Observations, and the argument vector of the command. */
type ExecContext = ExecObserved & ExecAction

type ExecProvider = Provider<ExecDesired, undefined, ExecContext, ExecAction>

/** Provider that parses command and guards with `interpret`. */
function createProvider(name: string, interpret: (line: string) => Interpretation): ExecProvider {
  return {
    name,
    observe: (target, desired, context, occasion) => observe({ target, desired, context, interpret }, occasion),
    apply: (remediator, desired, action, context) => execute(remediator, { desired, context, interpret }, action),
  }
}

/** Commands split into words, without a shell. */
export const posix: ExecProvider = createProvider('posix', asWords)

/** Commands for `/bin/sh -c`. */
export const shell: ExecProvider = createProvider('shell', asShell)

interface Scene {
  readonly target: Target
  readonly desired: ExecDesired
  readonly context: ResourceContext
  readonly interpret: (line: string) => Interpretation
}

/** Checks `creates` and runs the guards in order, no further than needed. Never runs the command. */
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

/** After the command has run, only `unless` is checked, not `onlyif`. */
async function runGuards(
  scene: Scene,
  { onlyif, unless }: Partial<Record<GuardName, Interpreted>>,
  { creates, applied }: Before,
): Promise<Pick<ExecObserved, GuardName>> {
  if (applied) return unless === undefined ? {} : { unless: await runGuard(scene, unless) }
  if (creates !== undefined && (creates.kind === 'unknown' || creates.value)) return {}
  const first = onlyif === undefined ? undefined : await runGuard(scene, onlyif)
  const looked = first === undefined ? {} : { onlyif: first }
  const isSettled = first !== undefined && (first.kind === 'unknown' || first.value !== 0)
  if (isSettled || unless === undefined) return looked
  return { ...looked, unless: await runGuard(scene, unless) }
}

/** Exit code of a guard. A guard that could not run its check has no answer, with any exit code. */
async function runGuard(scene: Scene, guard: Interpreted): Promise<GuardReading> {
  const { target, context } = scene
  const answer = await askCommand(guard, (argv) => runCheck(target, commandOf(scene, argv), context))
  switch (answer.kind) {
    case 'answered':
      return known(answer.command.exitCode)
    case 'not-run':
      if (answer.why.reason !== 'command') return answer.why
      return withMissing(answer.why, missingFor(scene, guard.argv)?.missing)
    case 'lacking':
      return withMissing(answer.why)
    case 'misspelt':
      return answer.why
  }
}

/** An earlier fix may provide the missing path of a guard, or a required resource may. */
function withMissing(reading: Unknown, missing: Obstacle['missing'] = []): GuardReading {
  return { ...reading, missing }
}

function lookForCreated(scene: Scene): Reading<boolean> | undefined {
  const { target, desired } = scene
  if (!isSet(desired.creates)) return undefined
  const seen = target.files.stat(resolve(directoryOf(scene.desired, scene.context), desired.creates))
  return seen.kind === 'unknown' ? seen : known(seen.kind === 'present')
}

function obstaclesOf(scene: Scene, argv: Command['argv']): readonly Obstacle[] {
  const forbidden = scene.context.commandsForbidden === true ? [{ reason: COMMANDS_FORBIDDEN }] : []
  const missing = missingFor(scene, argv)
  return [...forbidden, ...(missing === undefined ? [] : [missing])]
}

/** Missing directory, or missing program with a path. */
function missingFor(scene: Scene, [program]: Command['argv']): Obstacle | undefined {
  const { target } = scene
  const directory = directoryOf(scene.desired, scene.context)
  const seen = target.files.stat(directory)
  if (seen.kind === 'absent') return { reason: `the directory ${directory} does not exist`, missing: directory }
  if (seen.kind === 'present' && seen.state.kind !== 'directory') return { reason: `${directory} is not a directory` }
  if (!program.includes('/')) return undefined
  const path = resolve(directory, program)
  return target.files.stat(path).kind === 'absent' ? { reason: `${path} does not exist`, missing: path } : undefined
}

/** Undo command of the policy. Reports a command that could not be run later. */
function undoOf(scene: Omit<Scene, 'target'>): CommandUndo | Extract<ApplyOutcome, { kind: 'failed' }> {
  const { undo } = scene.desired
  if (!isSet(undo)) return { kind: 'impossible', reason: NO_UNDO }
  const meant = scene.interpret(undo)
  if (!meant.ok) return { kind: 'failed', message: `undo: ${meant.problem ?? 'empty'}` }
  const { signal: _, ...command } = commandOf(scene, meant.argv)
  return { kind: 'command', command }
}

/** Settings shared by command and guards. A timeout of 0 means no limit. */
function commandOf(scene: Pick<Scene, 'desired' | 'context'>, argv: Command['argv']): Command {
  const { timeout = 0 } = scene.desired
  return {
    argv,
    workingDirectory: directoryOf(scene.desired, scene.context),
    environment: environmentOf(scene.desired),
    ...(timeout === 0 ? {} : { timeoutMs: timeout }),
    signal: scene.context.signal,
  }
}

async function execute(
  remediator: Remediator,
  scene: Omit<Scene, 'target'>,
  { argv }: ExecAction,
): Promise<ApplyOutcome> {
  const { desired, context } = scene
  if (context.commandsForbidden === true) return { kind: 'failed', message: COMMANDS_FORBIDDEN }
  const undo = undoOf(scene)
  if (undo.kind === 'failed') return undo
  const outcome = await remediator.run({ ...commandOf(scene, argv), undo })
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
