import process from 'node:process'
import { known, type Reading, unknown } from '../../../../model/observation.ts'
import { type Command, type CommandOutcome, type CommandOutput, POLICY_ENVIRONMENT } from '../../../../host/command.ts'
import type { GossRequest, Measured } from '../resource.ts'
import type { Attributes, MeasureContext } from './measure-type.ts'
import { timeoutOf } from './given.ts'

/** In milliseconds. */
const USUAL_TIMEOUT = 10_000

/** The limit for each output; longer output is not compared. */
const MAX_OUTPUT_BYTES = 8 * 1024 * 1024

/** Goss's exit status of a command that a signal terminated. */
const SIGNALLED = -1

/** Runs a shell command once for all attributes. */
export async function measureCommand({ request, target, signal }: MeasureContext): Promise<Reading<Attributes>> {
  const surroundings = surroundingsOf(request)
  if (surroundings.kind === 'unknown') return surroundings
  const outcome = await target.run({
    argv: ['sh', '-c', request.id],
    ...surroundings.value,
    timeoutMs: timeoutOf(request.given, USUAL_TIMEOUT),
    maxOutputBytes: MAX_OUTPUT_BYTES,
    signal,
  })
  const exitStatus = statusOf(outcome)
  if (exitStatus.kind === 'unknown') return exitStatus
  const text = (output: keyof CommandOutput) => (): Measured =>
    outcome.kind === 'not-started' ? exitStatus : measureOutput(outcome[output])
  return known({ 'exit-status': () => exitStatus, stdout: text('stdout'), stderr: text('stderr') })
}

/** The working directory and environment: those of this process, as in Goss, or those of other policy commands. */
function surroundingsOf({ cleanEnvironment }: GossRequest): Reading<Pick<Command, 'workingDirectory' | 'environment'>> {
  if (cleanEnvironment === true) return known({ workingDirectory: '/', environment: POLICY_ENVIRONMENT })
  try {
    return known({ workingDirectory: process.cwd() })
  } catch (error) {
    if (!(error instanceof Error)) throw error
    return unknown('command', `the working directory of the scan was removed: run the scan in an existing directory`)
  }
}

function statusOf(outcome: CommandOutcome): Reading<number> {
  if (outcome.kind === 'exited') return known(outcome.exitCode)
  if (outcome.kind === 'not-started') return unknown('command', outcome.message)
  if (outcome.cause === 'signal') return known(SIGNALLED)
  return unknown(
    outcome.cause === 'timeout' ? 'timeout' : 'not-observable',
    `the command was killed: ${outcome.reason}`,
  )
}

/** Long output lacks its middle part, so the attribute is unknown. */
function measureOutput(output: string): Measured {
  const isCut = Buffer.byteLength(output) > MAX_OUTPUT_BYTES / 2 && /^\[\d+ bytes left out\]$/m.test(output)
  if (isCut) return unknown('not-observable', 'the output of the command exceeds the limit')
  return known({ text: output })
}
