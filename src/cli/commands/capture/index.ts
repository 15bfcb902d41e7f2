import { type Command, defineCommand, type Invocation, type OptionsOf, type OptionSpecs } from '../../command.ts'
import { CARRY_OPTIONS } from '../../options/carry.ts'
import { EXTENSION_OPTIONS } from '../../options/extension.ts'
import { TARGET_OPTIONS } from '../../options/target.ts'

const OPTIONS = {
  recursive: { kind: 'flag', group: 'Content:', summary: 'Include the contents of directories' },
  content: {
    kind: 'flag',
    group: 'Content:',
    summary: 'Include the text of small world-readable files',
  },
  private: {
    kind: 'flag',
    group: 'Content:',
    summary: 'Include digests and settings of private files, never their text',
  },
  absent: { kind: 'flag', group: 'Content:', summary: 'Require absent resources to stay absent' },
  output: {
    kind: 'value',
    group: 'Output:',
    placeholder: 'FILE',
    holds: 'path',
    summary: 'Write to this file with mode 0600 instead of standard output',
  },
  force: { kind: 'flag', group: 'Output:', summary: 'Replace an existing file' },
  ...TARGET_OPTIONS,
  ...CARRY_OPTIONS,
  ...EXTENSION_OPTIONS,
} as const satisfies OptionSpecs

export type CaptureInvocation = Invocation<OptionsOf<typeof OPTIONS>>

export const capture: Command = defineCommand({
  name: 'capture',
  summary: 'Write a policy from the current state of this host',
  details: `TYPE:NAME is a resource as in a policy: file:/etc/ssh, package:openssh-server, service:ssh,
user:deploy, group:sudo, sysctl:net.ipv4.ip_forward, kernel_module:usb-storage, mount:/tmp, port:22,
process:sshd, setting:sshd:PermitRootLogin, or setting:sshd for all sshd settings. Nothing is changed.
Absent, unreadable and unsupported items are reported on standard error and omitted. The text of a file that is
not world-readable is never written.

Exit codes
  0  the policy is complete
  1  wrong usage, or the file cannot be written
  3  some resources are absent, unreadable or not supported; the policy has the rest`,
  operands: {
    name: 'TYPE:NAME',
    summary: 'resources to capture',
    atLeast: 1,
    atMost: Infinity,
    offers: async () => (await import('./words.ts')).listTypePrefixes(),
  },
  options: OPTIONS,
  travels: true,
  refusesThere: ({ options: { output } }) =>
    output === undefined ? undefined : '--output writes on this host: redirect the output instead, as in > FILE',
  examples: [
    {
      command:
        'driftgate capture file:/etc/ssh package:openssh-server service:ssh port:22 --recursive --output ssh.yaml',
      summary: 'Capture the SSH configuration',
    },
    { command: 'driftgate capture user:deploy group:sudo', summary: 'Capture a user and the sudo group' },
    { command: 'driftgate capture setting:sshd --private', summary: 'Capture all sshd settings' },
  ],
  run: async (invocation, io) => (await import('./run.ts')).runCapture(invocation, io),
})
