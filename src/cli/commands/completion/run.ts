import { EXIT } from '../../../model/gate.ts'
import type { Command, Invocation } from '../../command.ts'
import type { Io } from '../../output/io.ts'
import { fishCompletion } from './fish.ts'
import { bashCompletion, zshCompletion } from './script.ts'

/** Prints the completion script of a shell for these commands. */
export async function runCompletion(
  { operands: [shell] }: Pick<Invocation<unknown>, 'operands'>,
  io: Io,
  commands: readonly Command[],
): Promise<number> {
  const script = shell === 'fish' ? fishCompletion : shell === 'zsh' ? zshCompletion : bashCompletion
  await io.print(script(await Promise.all(commands.map(withOffers))))
  return EXIT.ok
}

/** Adds the offers to the choices, which are the same in a script. */
async function withOffers(command: Command): Promise<Command> {
  const { operands } = command
  if (operands?.offers === undefined) return command
  return { ...command, operands: { ...operands, choices: await operands.offers() } }
}
