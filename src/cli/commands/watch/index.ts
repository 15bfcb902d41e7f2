import { type Command, defineCommand } from '../../command.ts'
import { POLICIES } from '../../options/policies.ts'
import { OPTIONS } from './options.ts'

/** `driftgate watch`: scans again and again in the foreground, as containers want it. */
export const watch: Command = defineCommand({
  name: 'watch',
  summary: 'Scan again and again in the foreground, and say what changed',
  details: `Every other option is one of "driftgate scan". Each scan is a process of its own that reads the policies
afresh. No two run at once: a time that comes while one is still running is left out.

Standard error gets a line for each scan; standard output the report of the first one, and then what
changed, or with --report FORMAT that report of each scan.

With --ccm-config the policies are the manifests of that agent, and what the command line says besides counts more
than the file. What it says that is not meant for an audit is told at the start.

Exit codes
  0  ended by SIGTERM or SIGINT: a scan that was running has ended and written its reports
  1  wrong usage, or the first scan could not be performed`,
  operands: { ...POLICIES, atLeast: 0 },
  options: OPTIONS,
  examples: [
    { command: 'driftgate watch /policies --every 15m', summary: 'In a container' },
    {
      command: 'driftgate watch web.yaml --cron "0 3 * * *" --jitter 10m --metrics /metrics/driftgate.prom',
      summary: 'Every night, for Prometheus',
    },
    {
      command: 'driftgate watch --ccm-config /etc/choria/ccm/config.yaml --trusted',
      summary: "What CCM's agent applies",
    },
    {
      command: `driftgate watch web.yaml --every 1h --on-change 'curl -fsS --json @- https://hooks.example.com/drift'`,
      summary: 'Tell somebody',
    },
  ],
  run: async (invocation, io) => (await import('./run.ts')).runWatch(invocation, io),
})
