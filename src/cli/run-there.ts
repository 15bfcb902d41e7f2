import { OperatorError } from '../model/operator-error.ts'
import type { RemoteJob } from '../remote/job.ts'
import type { RemoteResult } from '../remote/run-job.ts'
import { runThere } from '../remote/run-there.ts'
import type { RemoteSpec } from '../remote/spec.ts'
import type { AnyInvocation, Command } from './command.ts'
import { policiesAmong } from './config/find-config.ts'
import { type CarriedOptions, jobOf, sayingAll } from './remote-job.ts'
import { interruptionOf } from '../model/gate.ts'
import { watchInterruption } from './interruption.ts'
import type { Io } from './output/io.ts'
import { showText } from './output/show-value.ts'

/**
 * Runs a command on its target, prints the output here, and returns its exit code. Throws an `OperatorError` if the
 * target is unreachable.
 */
export async function runCommandThere(
  spec: RemoteSpec,
  command: Command,
  invocation: AnyInvocation,
  io: Io,
): Promise<number> {
  const { operands, options } = invocation
  const policies = policiesAmong(operands, command.operands)
  const job = await jobOf({
    command: command.name,
    policies,
    words: operands.slice(policies.length),
    // The options come from parsing with the specs of the command.
    options: options as CarriedOptions,
    memoryMib: command.limits(invocation)?.memoryMib,
    stdin: io.stdin,
    say: (text) => io.say(text),
  })
  const interruption = watchInterruption(io, () => undefined)
  const { signal } = interruption
  try {
    const found = await runJobThere(spec, job, { signal, io })
    if (found.kind === 'heard') return found.value
    // An interruption is not a connection failure.
    const interruption = interruptionOf(signal)
    if (interruption !== undefined) return interruption.code
    throw new OperatorError(found.message)
  } finally {
    interruption.release()
  }
}

/** Runs a job on a target, prints the output here, and returns the exit code. */
export function runJobThere(
  spec: RemoteSpec,
  job: RemoteJob,
  { signal, io }: { readonly signal: AbortSignal; readonly io: Io },
): Promise<RemoteResult<number>> {
  const print = (text: string): Promise<void> => io.print(showText(text))
  return runThere(spec, job, { signal, print, say: sayingAll(io) })
}
