import { type Command, defineCommand } from '../../command.ts'
import { OPTIONS } from './options.ts'

/** `driftgate capture`: what is there, as a policy. */
export const capture: Command = defineCommand({
  name: 'capture',
  summary: 'Write what is on this machine now as a policy that it complies with',
  details: `Each TYPE:NAME is a thing as a policy names it: file:/etc/ssh, package:openssh-server, service:ssh,
user:deploy, group:sudo, sysctl:net.ipv4.ip_forward, kernel_module:usb-storage, mount:/tmp, port:22,
process:sshd, setting:sshd:PermitRootLogin, or setting:sshd for all that the files of sshd set. Changes
nothing. What cannot be seen, is not there, or cannot be said is told on standard error and left out.
The text of a file that not everybody may read is never written.

Exit codes
  0  all of it is in the policy
  1  wrong usage, or the file cannot be written
  3  something could not be seen, is not there, or no resource can say it; the policy has the rest`,
  operands: {
    name: 'TYPE:NAME',
    summary: 'Things to write down',
    atLeast: 1,
    atMost: Infinity,
    offers: async () => (await import('./words.ts')).offered(),
  },
  options: OPTIONS,
  examples: [
    {
      command:
        'driftgate capture file:/etc/ssh package:openssh-server service:ssh port:22 --recursive --output ssh.yaml',
      summary: 'How this machine takes logins',
    },
    { command: 'driftgate capture user:deploy group:sudo', summary: 'Who somebody is, and who may become root' },
    { command: 'driftgate capture setting:sshd --private', summary: 'What the configuration of sshd says' },
  ],
  run: async (invocation, io) => (await import('./run.ts')).runCapture(invocation, io),
})
