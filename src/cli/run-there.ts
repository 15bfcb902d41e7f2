import { OperatorError } from '../core/operator-error.ts'
import type { Errand } from '../remote/errand.ts'
import { runThere } from '../remote/run-there.ts'
import type { RemoteSpec } from '../remote/spec.ts'
import type { AnyInvocation, Command } from './command.ts'
import { policiesAmong } from './config/find-config.ts'
import { errandOf, sayingAll } from './errand.ts'
import { exitCodeOf, watchInterruption } from './interruption.ts'
import type { CarryFlags } from './options/carry.ts'
import type { Io } from './output/io.ts'
import { showText } from './output/show-value.ts'

/**
 * Has a command run where its target is and prints here what it says there; gives its exit code. Throws an `OperatorError` where the
 * target cannot be reached.
 */
export async function runCommandThere(
  spec: RemoteSpec,
  command: Command,
  invocation: AnyInvocation,
  io: Io,
): Promise<number> {
  const { operands, options } = invocation
  const policies = policiesAmong(operands, command.operands)
  const errand = await errandOf({
    command: command.name,
    policies,
    words: operands.slice(policies.length),
    // Parsing against the specs of the command has produced them.
    options: options as Readonly<Record<string, unknown>> & CarryFlags,
    memoryMib: command.limits(invocation)?.memoryMib,
  })
  const found = await runErrandThere(spec, errand, io)
  if (typeof found === 'number') return found
  throw new OperatorError(found.message)
}

/** Runs a command there; `message` says why nothing is known of what it said. */
async function runErrandThere(
  spec: RemoteSpec,
  errand: Errand,
  io: Io,
): Promise<number | { readonly message: string }> {
  const interruption = watchInterruption(() => undefined)
  const { signal } = interruption
  const print = (text: string): Promise<void> => io.print(showText(text))
  try {
    const found = await runThere(spec, errand, { signal, print, say: sayingAll(io) })
    if (found.kind === 'heard') return found.value
    // An interruption is no trouble with the place.
    return signal.aborted ? exitCodeOf(signal.reason) : found
  } finally {
    interruption.release()
  }
}
