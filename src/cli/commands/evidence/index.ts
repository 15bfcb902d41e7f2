import { type Command, defineCommand, type Invocation, type OptionsOf, type OptionSpecs } from '../../command.ts'

const ACTIONS = ['key', 'verify'] as const

const OPTIONS = {
  key: {
    kind: 'list',
    group: 'Trust:',
    placeholder: 'FILE',
    holds: 'path',
    summary: 'Trusted public key of the host for verify, a file or U... (repeatable)',
  },
} as const satisfies OptionSpecs

export type EvidenceInvocation = Invocation<OptionsOf<typeof OPTIONS>>

export const evidence: Command = defineCommand({
  name: 'evidence',
  summary: 'Verify signed runs, or create a signing key',
  details: `Actions
  key FILE       Create a key pair: the private key in FILE (mode 0600), the public key in FILE.pub
  verify BUNDLE  Verify the output of "driftgate fleet evidence" offline; - is standard input

Exit codes of verify
  0  every run or message is signed by one of the keys, none is missing in between, no report was changed
  1  not a bundle, or a key cannot be read
  2  something was changed, replaced, moved or omitted
  3  no manipulation found, but some runs have no signature or report, or --key is missing`,
  operands: { name: 'FILE', summary: 'file of the new key, or the bundle', actions: ACTIONS, atLeast: 2, atMost: 2 },
  options: OPTIONS,
  examples: [
    {
      command: 'driftgate evidence key /etc/driftgate/run.key',
      summary: 'Create a key for "driftgate scan --sign-key"',
    },
    { command: 'driftgate evidence verify web01.json --key run.key.pub', summary: 'Verify a bundle, offline' },
  ],
  run: async (invocation, io) => (await import('./run.ts')).runEvidence(invocation, io),
})
