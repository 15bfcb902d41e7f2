import { type Command, defineCommand } from '../../command.ts'

const SHELLS = ['bash', 'zsh', 'fish']

/** The completion command for the other commands. */
export function completionOf(others: readonly Command[]): Command {
  const completion: Command = defineCommand({
    name: 'completion',
    summary: 'Print a completion script for bash, zsh or fish',
    operands: { name: 'shell', summary: 'bash, zsh or fish', atLeast: 1, atMost: 1, choices: SHELLS },
    options: {},
    examples: [
      { command: 'source <(driftgate completion bash)', summary: 'Enable completion in this shell' },
      {
        command: 'driftgate completion zsh > "${fpath[1]}/_driftgate"',
        summary: 'Enable completion in new zsh sessions',
      },
      {
        command: 'driftgate completion fish > ~/.config/fish/completions/driftgate.fish',
        summary: 'Enable completion in new fish sessions',
      },
    ],
    run: async (invocation, io) => (await import('./run.ts')).runCompletion(invocation, io, [...others, completion]),
  })
  return completion
}
