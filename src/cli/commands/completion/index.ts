import { type Command, defineCommand } from '../../command.ts'

const SHELLS = ['bash', 'zsh', 'fish']

/** `driftgate completion`: prints a script that makes a shell complete driftgate, made of the commands themselves. */
export function completionOf(others: readonly Command[]): Command {
  const completion: Command = defineCommand({
    name: 'completion',
    summary: 'Print a script that lets bash, zsh or fish complete commands, options and values',
    operands: { name: 'shell', summary: 'bash, zsh or fish', atLeast: 1, atMost: 1, choices: SHELLS },
    options: {},
    examples: [
      { command: 'source <(driftgate completion bash)', summary: 'Complete in this bash' },
      {
        command: 'driftgate completion zsh > "${fpath[1]}/_driftgate"',
        summary: 'Complete in every new zsh',
      },
      {
        command: 'driftgate completion fish > ~/.config/fish/completions/driftgate.fish',
        summary: 'Complete in every new fish',
      },
    ],
    async run({ operands: [shell] }, io) {
      const script = await scriptOf(shell)
      await io.print(script(await Promise.all([...others, completion].map(withOffers))))
      return 0
    },
  })
  return completion
}

async function scriptOf(shell: string | undefined): Promise<(commands: readonly Command[]) => string> {
  if (shell === 'fish') return (await import('./fish.ts')).fishCompletion
  const { bashCompletion, zshCompletion } = await import('./script.ts')
  return shell === 'zsh' ? zshCompletion : bashCompletion
}

/** For a script, offers are no different from choices. */
async function withOffers(command: Command): Promise<Command> {
  const { operands } = command
  if (operands?.offers === undefined) return command
  return { ...command, operands: { ...operands, choices: await operands.offers() } }
}
