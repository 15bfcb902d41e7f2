import { parseDuration } from '../../../model/duration.ts'
import { SEVERITIES } from '../../../model/verdict.ts'
import { CONTROL_VERDICTS } from '../../../fleet/select.ts'
import type { Invocation, OptionsOf, OptionSpecs } from '../../command.ts'

/** What `driftgate fleet` can do. */
export const ACTIONS = ['status', 'hosts', 'controls', 'silent', 'gate', 'export', 'serve', 'token'] as const

/** One of them. */
export type FleetAction = (typeof ACTIONS)[number]

/** The options of `driftgate fleet`. */
export const OPTIONS = {
  from: {
    kind: 'value',
    group: 'Hosts:',
    placeholder: 'DIR',
    holds: 'path',
    summary: 'The directory with the reports of all hosts: histories, copies of them, artefacts',
  },
  context: {
    kind: 'value',
    group: 'Hosts:',
    placeholder: 'FILE',
    holds: 'path',
    summary: 'The way into the server that has the reports: viewer/context.json of "driftgate fleet init"',
  },
  roster: {
    kind: 'value',
    group: 'Hosts:',
    placeholder: 'FILE',
    holds: 'path',
    summary: 'The hosts that should report; without it nobody can be missing that never reported',
  },
  interval: {
    kind: 'value',
    group: 'Hosts:',
    placeholder: 'DURATION',
    complain: (text) => ((parseDuration(text) ?? 0) > 0 ? undefined : 'must be a span of time such as 1h or 1d'),
    summary: 'How often hosts report of which the roster does not say it; 1d where it is absent',
  },
  host: { kind: 'list', group: 'Only:', placeholder: 'NAME', summary: 'Only these hosts; * and ? stand for others' },
  label: {
    kind: 'list',
    group: 'Only:',
    placeholder: 'KEY=VALUE',
    summary: 'Only hosts with this label in the roster; with several labels all of them',
  },
  control: {
    kind: 'list',
    group: 'Only:',
    placeholder: 'ID',
    summary: 'Only these controls and resources, and with hosts where one of them is open; * and ? likewise',
  },
  ring: { kind: 'list', group: 'Only:', placeholder: 'NAME', summary: 'Only hosts of these rings of the roster' },
  verdict: {
    kind: 'list',
    group: 'Only:',
    placeholder: 'VERDICT',
    complain: (text) =>
      Object.hasOwn(CONTROL_VERDICTS, text) ? undefined : `must be one of ${Object.keys(CONTROL_VERDICTS).join(', ')}`,
    summary: 'With --control: only hosts where it has this verdict, in the place of open',
  },
  'fail-on': {
    kind: 'text',
    group: 'Gate:',
    placeholder: 'SEVERITY',
    choices: SEVERITIES,
    default: 'info',
    summary: 'Exit with 2 only if something of at least this severity drifted',
  },
  listen: {
    kind: 'value',
    group: 'Serve:',
    placeholder: 'ADDRESS:PORT',
    summary: 'Where the web view listens; 127.0.0.1:8642 where it is absent',
  },
  'tls-cert': {
    kind: 'value',
    group: 'Serve:',
    placeholder: 'FILE',
    holds: 'path',
    summary: 'The certificate (PEM) with those above it; needed to listen for other machines',
  },
  'tls-key': { kind: 'value', group: 'Serve:', placeholder: 'FILE', holds: 'path', summary: 'Its key (PEM)' },
  tokens: {
    kind: 'value',
    group: 'Serve:',
    placeholder: 'FILE',
    holds: 'path',
    summary: 'Who may look, a line of "fleet token" for each; needed to listen for other machines',
  },
  release: {
    kind: 'flag',
    group: 'Serve:',
    summary:
      'Give each ring of a rollout what was signed for it when it is its turn, and put on record what is forged; several may do so',
  },
  name: { kind: 'value', group: 'Token:', placeholder: 'NAME', summary: 'Whose token it is' },
  role: {
    kind: 'text',
    group: 'Token:',
    placeholder: 'ROLE',
    choices: ['api', 'reader', 'operator'],
    default: 'reader',
    summary: 'What the token is for: api reads /api/v1 and /metrics alone, the others see the pages, too',
  },
  format: {
    kind: 'text',
    group: 'Output:',
    placeholder: 'FORMAT',
    choices: ['text', 'json'],
    default: 'text',
    summary: 'Print for people, or for programs; export always prints a line of JSON for each finding',
  },
  verbose: {
    kind: 'flag',
    alias: 'v',
    group: 'Output:',
    summary: 'List what is in order, too, and everything in full',
  },
} as const satisfies OptionSpecs

/** Their values. */
export type FleetFlags = OptionsOf<typeof OPTIONS>

/** What `driftgate fleet` is asked to do. */
export type FleetInvocation = Invocation<FleetFlags>
