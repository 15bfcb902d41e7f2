import { type Command, defineCommand } from '../../command.ts'
import { ACTIONS, OPTIONS } from './options.ts'

/** `driftgate evidence`: keys that sign runs, and what signed runs prove. */
export const evidence: Command = defineCommand({
  name: 'evidence',
  summary: 'Verify the signed runs of a host, or make the key that signs them',
  details: `What to do
  key FILE       Make a pair of keys: the private one in FILE, for its owner alone, the public one in FILE.pub
  verify BUNDLE  Check what "driftgate fleet evidence" printed, without a network; - is standard input

Exit codes of verify
  0  every run or message was signed by one of the keys, none is missing between the first and the last, no report was changed
  1  it is no bundle, or a key cannot be read
  2  something was changed, replaced, moved or left out
  3  nothing of that was found, but not everything is proved: runs without signature or report, or no --key`,
  operands: { name: 'FILE', summary: 'the key to be made, or the bundle', actions: ACTIONS, atLeast: 2, atMost: 2 },
  options: OPTIONS,
  examples: [
    { command: 'driftgate evidence key /etc/driftgate/run.key', summary: 'A key for "driftgate scan --sign-key"' },
    { command: 'driftgate evidence verify web01.json --key run.key.pub', summary: 'What an auditor runs' },
  ],
  run: async (invocation, io) => (await import('./run.ts')).runEvidence(invocation, io),
})
