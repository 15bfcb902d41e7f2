import { parseDuration } from '../../../model/duration.ts'
import { CONTROL_VERDICTS } from '../../../fleet/select.ts'
import type { Invocation, OptionsOf, OptionSpecs } from '../../command.ts'
import { FORMAT } from '../../options/format.ts'
import { FAIL_ON } from '../../options/scan.ts'

export const ACTIONS = ['status', 'hosts', 'controls', 'silent', 'gate', 'export', 'serve', 'token'] as const

export type FleetAction = (typeof ACTIONS)[number]

export const OPTIONS = {
  from: {
    kind: 'value',
    group: 'Hosts:',
    placeholder: 'DIR',
    holds: 'path',
    summary: 'Directory with the reports of all hosts',
  },
  context: {
    kind: 'value',
    group: 'Hosts:',
    placeholder: 'FILE',
    holds: 'path',
    summary: 'Connection to the fleet server (viewer/context.json)',
  },
  roster: {
    kind: 'value',
    group: 'Hosts:',
    placeholder: 'FILE',
    holds: 'path',
    summary: 'List of expected hosts (needed to detect missing ones)',
  },
  interval: {
    kind: 'value',
    group: 'Hosts:',
    placeholder: 'DURATION',
    complain: (text) => ((parseDuration(text) ?? 0) > 0 ? undefined : 'must be a duration such as 1h or 1d'),
    summary: 'Default reporting interval for hosts without one (default: 1d)',
  },
  host: { kind: 'list', group: 'Only:', placeholder: 'NAME', summary: 'Show only matching hosts (* and ?)' },
  label: {
    kind: 'list',
    group: 'Only:',
    placeholder: 'KEY=VALUE',
    summary: 'Show only hosts with this label (all labels must match)',
  },
  control: {
    kind: 'list',
    group: 'Only:',
    placeholder: 'ID',
    summary: 'Show only matching controls and hosts where one is open (* and ?)',
  },
  ring: { kind: 'list', group: 'Only:', placeholder: 'NAME', summary: 'Show only hosts of these rings' },
  verdict: {
    kind: 'list',
    group: 'Only:',
    placeholder: 'VERDICT',
    complain: (text) =>
      Object.hasOwn(CONTROL_VERDICTS, text) ? undefined : `must be one of ${Object.keys(CONTROL_VERDICTS).join(', ')}`,
    summary: 'Show only hosts where the control has this verdict (with --control)',
  },
  ...FAIL_ON,
  listen: {
    kind: 'value',
    group: 'Serve:',
    placeholder: 'ADDRESS:PORT',
    summary: 'Address of the web view (default: 127.0.0.1:8642)',
  },
  'tls-cert': {
    kind: 'value',
    group: 'Serve:',
    placeholder: 'FILE',
    holds: 'path',
    summary: 'Certificate chain in PEM (required beyond loopback)',
  },
  'tls-key': { kind: 'value', group: 'Serve:', placeholder: 'FILE', holds: 'path', summary: 'Private key in PEM' },
  tokens: {
    kind: 'value',
    group: 'Serve:',
    placeholder: 'FILE',
    holds: 'path',
    summary: 'File of access tokens, one per line (required beyond loopback)',
  },
  release: {
    kind: 'flag',
    group: 'Serve:',
    summary: 'Release rollout rings when due and record forgeries',
  },
  name: { kind: 'value', group: 'Token:', placeholder: 'NAME', summary: 'Token owner' },
  role: {
    kind: 'text',
    group: 'Token:',
    placeholder: 'ROLE',
    choices: ['api', 'reader', 'operator'],
    default: 'reader',
    summary: 'Token role (api: /api/v1 and /metrics only)',
  },
  format: { ...FORMAT.format, summary: 'Output format (export always prints JSON lines)' },
  verbose: {
    kind: 'flag',
    alias: 'v',
    group: 'Output:',
    summary: 'List compliant hosts and controls, and show full details',
  },
} as const satisfies OptionSpecs

export type FleetFlags = OptionsOf<typeof OPTIONS>

export type FleetInvocation = Invocation<FleetFlags>
