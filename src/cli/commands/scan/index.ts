import { type Command, defineCommand, type Invocation, type OptionsOf } from '../../command.ts'
import { limitsOf } from '../../options/input.ts'
import { POLICIES } from '../../options/policies.ts'
import { TARGET_FORMS } from '../../options/target.ts'
import { SCAN_OPTIONS } from '../../options/scan.ts'

const OPTIONS = SCAN_OPTIONS

export type ScanInvocation = Invocation<OptionsOf<typeof OPTIONS>>

export const scan: Command = defineCommand({
  name: 'scan',
  summary: 'Compare this host with policies and report every difference',
  details: `Exit codes
  0  compliant, fixed, waived or not applicable
  1  the scan did not run: wrong usage or invalid policy
  2  drift at or above --fail-on, beyond --baseline if given
  3  no such drift, but unknown or blocked results
  4  --fix failed for at least one resource
  5  nothing was evaluated
  129, 130, 143  interrupted by SIGHUP, SIGINT, SIGTERM; reports are partial

One report goes to standard output, all messages to standard error. NO_COLOR and FORCE_COLOR are honoured.

Targets
${TARGET_FORMS}`,
  operands: POLICIES,
  options: OPTIONS,
  examples: [
    { command: 'driftgate scan policies/', summary: 'Audit this host' },
    { command: 'driftgate scan web.yaml --report junit=junit.xml', summary: 'Audit in a pipeline' },
    { command: 'driftgate scan web.yaml --out --fail-on high', summary: 'Write reports and gate on high severity' },
    { command: 'driftgate scan web.yaml --history --keep 90d', summary: 'Save runs for 90 days' },
    { command: "driftgate scan web.yaml --only 'file#/etc/ssh/*' --fix", summary: 'Fix matching resources only' },
    { command: 'driftgate scan web.yaml --save-plan plan.json', summary: 'Save a plan' },
    { command: 'driftgate scan web.yaml --fix --plan plan.json', summary: 'Apply exactly that plan' },
    { command: 'driftgate scan web.yaml --target root:/mnt/disk', summary: 'Audit a mounted disk' },
    {
      command: 'driftgate scan https://policies.example.com/web.tgz --checksum sha256:…',
      summary: 'Audit with a pinned bundle',
    },
  ],
  limits: ({ operands, options: given }) => limitsOf(operands, given),
  run: async (invocation, io) => (await import('./run.ts')).runScan(invocation, io),
})
