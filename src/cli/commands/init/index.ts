import { type Command, defineCommand } from '../../command.ts'
import { OPTIONS } from './options.ts'

/** `driftgate init`: a first policy for this machine. */
export const init: Command = defineCommand({
  name: 'init',
  summary: 'Write a first policy for this machine, from what it is now',
  details: `Looks at what other machines can reach, the services that run and their packages, who may become root,
the files that decide about logins and about what runs by itself, mounts, and parameters of the kernel,
and writes a policy that this machine complies with. Changes nothing else, and writes the same again
where nothing has changed. Run it as root: what cannot be seen is told and left out.

Exit codes
  0  the policy was written
  1  wrong usage, or the file cannot be written
  3  the policy was written without something that could not be seen, or that no resource can say`,
  options: OPTIONS,
  examples: [
    { command: 'driftgate init', summary: 'policy.yaml for this machine' },
    { command: 'driftgate init --output web01.yaml && driftgate scan web01.yaml @linux', summary: 'Beside a baseline' },
  ],
  run: async (invocation, io) => (await import('./run.ts')).runInit(invocation, io),
})
