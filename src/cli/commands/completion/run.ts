import { EXIT } from '../../../model/gate.ts'
import type { Command, Invocation } from '../../command.ts'
import type { Io } from '../../output/io.ts'
import { fishCompletion } from './fish.ts'
import { bashCompletion, zshCompletion } from './script.ts'

/** Prints the script of a shell that completes these commands. */
export async function runCompletion(
  { operands: [shell] }: Pick<Invocation<unknown>, 'operands'>,
  io: Io,
  commands: readonly Command[],
): Promise<number> {
  const script = shell === 'fish' ? fishCompletion : shell === 'zsh' ? zshCompletion : bashCompletion
  await io.print(script(await Promise.all(commands.map(withOffers))))
  return EXIT.ok
}

/** For a script, offers are no different from choices. */
async function withOffers(command: Command): Promise<Command> {
  const { operands } = command
  if (operands?.offers === undefined) return command
  return { ...command, operands: { ...operands, choices: await operands.offers() } }
}
