import { type Command, defineCommand } from '../../command.ts'
import { limitsOf } from '../../options/input.ts'
import { POLICIES } from '../../options/policies.ts'
import { OPTIONS } from './options.ts'

/** `driftgate scan`: compares this machine with policies, writes reports, and decides the exit code. */
export const scan: Command = defineCommand({
  name: 'scan',
  summary: 'Compare this machine with policies and report every difference',
  details: `Exit codes
  0  everything is compliant, fixed, waived or not applicable
  1  the scan could not be performed: wrong usage, or a policy that is not valid
  2  something drifted at or above --fail-on, with --baseline beyond what it knows
  3  no such drift, but something could not be decided
  4  --fix could not repair something
  5  nothing was evaluated
  129, 130, 143  interrupted by SIGHUP, SIGINT, SIGTERM; the reports hold what was done

Standard output carries exactly one report: text, unless another one is sent there. Everything
else goes to standard error. NO_COLOR and FORCE_COLOR are honoured.`,
  operands: POLICIES,
  options: OPTIONS,
  examples: [
    { command: 'driftgate scan policies/', summary: 'Audit this machine' },
    { command: 'driftgate scan web.yaml --report junit=junit.xml', summary: 'Audit in a pipeline' },
    { command: 'driftgate scan web.yaml --out --fail-on high', summary: 'Write all reports, gate on what matters' },
    { command: 'driftgate scan web.yaml --history --keep 90d', summary: 'Audit on a schedule, and keep what it found' },
    { command: "driftgate scan web.yaml --only 'file#/etc/ssh/*' --fix", summary: 'Repair a part' },
    { command: 'driftgate scan web.yaml --save-plan plan.json', summary: 'Write what a fix would do' },
    { command: 'driftgate scan web.yaml --fix --plan plan.json', summary: 'Do exactly that, and nothing else' },
    { command: 'driftgate scan web.yaml --target root:/mnt/disk', summary: 'Audit the system on a disk' },
    {
      command: 'driftgate scan https://policies.example.com/web.tgz --checksum sha256:…',
      summary: 'Audit with a bundle from a web server, and with no other',
    },
  ],
  limits: ({ operands, options: given }) => limitsOf(operands, given),
  run: async (invocation, io) => (await import('./run.ts')).runScan(invocation, io),
})
