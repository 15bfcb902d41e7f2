import { known, type Reading, unknown } from '../../model/observation.ts'
import type { Command, CommandOutcome } from '../../host/command.ts'
import type { Target } from '../../host/target.ts'
import type { ResourceContext } from '../../resource-type/define.ts'

/** Why a command is not run if the operator has forbidden commands of policies. */
export const COMMANDS_FORBIDDEN = 'policy commands are not run (--no-commands, --untrusted or --target)'

export type FinishedCommand = Extract<CommandOutcome, { kind: 'exited' }>

/**
 * Runs a check command of a policy, such as a guard or a health check. Its exit code is a value. Unknown: `not-observable` if
 * commands are forbidden or the run was interrupted, `timeout` if it was killed at its timeout, and `command` if it could not
 * start or was killed otherwise.
 */
export async function runCheck(
  target: Pick<Target, 'run'>,
  command: Omit<Command, 'signal'>,
  { commandsForbidden, signal }: Pick<ResourceContext, 'commandsForbidden' | 'signal'>,
): Promise<Reading<FinishedCommand>> {
  if (commandsForbidden === true) return unknown('not-observable', COMMANDS_FORBIDDEN)
  const outcome = await target.run({ ...command, signal })
  switch (outcome.kind) {
    case 'exited':
      return known(outcome)
    case 'not-started':
      return unknown(signal.aborted ? 'not-observable' : 'command', outcome.message)
    case 'killed':
      return unknown(REASONS[outcome.cause], `${command.argv[0]} was killed: ${outcome.reason}`)
  }
}

const REASONS = { timeout: 'timeout', interruption: 'not-observable', signal: 'command' } as const
