import { known, type Observation, present, type Reading, unknown } from '../../../model/observation.ts'
import type { ResourceContext } from '../../../resource-type/define.ts'
import type { Target } from '../../../host/target.ts'
import {
  askCommand,
  directoryOf,
  environmentOf,
  type Interpretation,
  type Surroundings,
} from '../../shared/command-line.ts'
import { COMMANDS_FORBIDDEN, runCheck } from '../../shared/policy-command.ts'
import { type CommandResult, withoutEnd } from './decide.ts'

/** Properties that define the command. */
interface CommandLine extends Surroundings {
  readonly command: string
  /** In milliseconds; 0 means no limit. */
  readonly timeout: number
}

/** Maximum size of each output; longer outputs are not compared. */
const MAX_OUTPUT_BYTES = 8 * 1024 * 1024

/** Runs the command and returns its result, which `decide` compares. */
export async function observeCommand(
  target: Pick<Target, 'run'>,
  desired: CommandLine,
  context: ResourceContext,
  interpret: (line: string) => Interpretation,
): Promise<Observation<undefined, Reading<CommandResult>>> {
  const line = interpret(desired.command)
  if (!line.ok) return unknown('invalid', `command: ${line.problem ?? 'empty'}`)
  if (context.commandsForbidden === true) return unknown('not-observable', COMMANDS_FORBIDDEN)
  const { timeout } = desired
  const answer = await askCommand(line, (argv) =>
    runCheck(
      target,
      {
        argv,
        workingDirectory: directoryOf(desired, context),
        environment: environmentOf(desired),
        maxOutputBytes: MAX_OUTPUT_BYTES,
        ...(timeout === 0 ? {} : { timeoutMs: timeout }),
      },
      context,
    ),
  )
  if (answer.kind !== 'answered') return present(undefined, answer.why)
  const { exitCode, stdout, stderr } = answer.command
  return present(
    undefined,
    known({ exit_code: exitCode, stdout: requireWholeOutput(stdout), stderr: requireWholeOutput(stderr) }),
  )
}

/** A long output lacks its middle, so its full text is unknown. */
function requireWholeOutput(output: string): Reading<string> {
  const isCut = Buffer.byteLength(output) > MAX_OUTPUT_BYTES / 2 && /^\[\d+ bytes left out\]$/m.test(output)
  return isCut ? unknown('not-observable', 'the output of the command exceeds the limit') : known(withoutEnd(output))
}
