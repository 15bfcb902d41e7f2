import { type Command, defineCommand } from '../command.ts'

/** `driftgate completion`: prints a script that makes a shell complete driftgate, made of the commands themselves. */
export function completionOf(others: readonly Command[]): Command {
  const completion: Command = defineCommand({
    name: 'completion',
    summary: 'Print a script that lets bash or zsh complete commands, options and values',
    operands: { name: 'shell', summary: 'bash or zsh', atLeast: 1, atMost: 1, choices: ['bash', 'zsh'] },
    options: {},
    examples: [
      { command: 'source <(driftgate completion bash)', summary: 'Complete in this bash' },
      {
        command: 'driftgate completion zsh > "${fpath[1]}/_driftgate"',
        summary: 'Complete in every new zsh',
      },
    ],
    async run({ operands: [shell] }, io) {
      const { bashCompletion, zshCompletion } = await import('../completion-script.ts')
      const script = shell === 'zsh' ? zshCompletion : bashCompletion
      await io.print(script(await Promise.all([...others, completion].map(withOffers))))
      return 0
    },
  })
  return completion
}

/** For a script, offers are no different from choices. */
async function withOffers(command: Command): Promise<Command> {
  const { operands } = command
  if (operands?.offers === undefined) return command
  return { ...command, operands: { ...operands, choices: await operands.offers() } }
}
