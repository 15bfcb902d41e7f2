import { SEVERITIES } from '../../model/verdict.ts'
import { parseKeep } from '../../runs/history/keep-spec.ts'
import { reportFormats } from '../../report/index.ts'
import { parseKeepUndo } from '../../engine/undo/keep-undo.ts'
import type { OptionsOf, OptionSpecs } from '../command.ts'
import { BUNDLE_OPTIONS } from './bundle.ts'
import { CARRY_OPTIONS } from './carry.ts'
import { CHOOSING_OPTIONS } from './choosing.ts'
import { durationComplaint } from './duration.ts'
import { EXTENSION_OPTIONS } from './extension.ts'
import { AUDIT_OPTIONS, INPUT_OPTIONS, TRUST_OPTIONS } from './input.ts'
import { PLAN_OPTIONS } from './plan.ts'
import { REPORT_MODE } from './report-mode.ts'
import { STATE_OPTIONS } from './state.ts'
import { TARGETS_OPTIONS } from './targets.ts'
import { WAIVER_OPTIONS } from './waiver.ts'

const formatNames = reportFormats.map(({ name }) => name)

const fileNames = reportFormats.flatMap(({ fileName }) => fileName ?? []).join(' and ')

/** The options of a scan that is to be remembered. */
const HISTORY_OPTIONS = {
  history: {
    kind: 'optional-text',
    group: 'History:',
    placeholder: 'DIR',
    implied: '',
    holds: 'path',
    summary: "Store the run, whatever comes of it, in a directory, the system's or the user's where none is named",
  },
  keep: {
    kind: 'value',
    group: 'History:',
    placeholder: 'N|DURATION',
    complain: (text) =>
      parseKeep(text) === undefined
        ? 'must be a number of runs such as 30, or a span of time such as 90d or 12w'
        : undefined,
    summary: 'Then remove what --history has stored, but the newest N runs, or those of the last 90d, 12w, 1y',
  },
  'sign-key': {
    kind: 'value',
    group: 'History:',
    placeholder: 'FILE',
    holds: 'path',
    summary: 'Sign the stored run with the private key of "driftgate evidence key", behind those before it',
  },
} as const satisfies OptionSpecs

/** The options of `driftgate scan`, which all commands that perform scans have. */
export const SCAN_OPTIONS = {
  ...TARGETS_OPTIONS,
  ...CARRY_OPTIONS,
  fix: {
    kind: 'flag',
    group: 'Run:',
    contradicts: 'monitor-only',
    summary: 'Repair what drifted and look again; without it nothing is changed',
  },
  ...CHOOSING_OPTIONS,
  'keep-undo': {
    kind: 'value',
    group: 'Run:',
    placeholder: 'N|DURATION|SIZE',
    complain: (text: string) =>
      parseKeepUndo(text) === undefined
        ? 'must be a number of fixes such as 20, a span of time such as 30d, a size such as 2GiB, or several with commas'
        : undefined,
    summary: 'Which fixes "driftgate undo" can take back, by default 20,30d,2GiB; 0 keeps nothing of this one either',
  },
  ...STATE_OPTIONS,
  'allow-removals': {
    kind: 'flag',
    group: 'Run:',
    summary: 'Let a fix remove packages that no resource names, such as those that conflict with one it installs',
  },
  'in-place': {
    kind: 'flag',
    group: 'Run:',
    summary: 'Let a fix write a file that is a mount point where it lies, because it cannot be replaced',
  },
  'keep-links': {
    kind: 'flag',
    group: 'Run:',
    summary: 'Let a fix write a file that has several names (hard links) through all of them',
  },
  register: {
    kind: 'flag',
    group: 'Run:',
    summary: "Publish the register_when_stable of what the fix finds or makes right to CCM's registry (--context)",
  },
  'confirm-within': {
    kind: 'value',
    group: 'Run:',
    placeholder: 'DURATION',
    complain: durationComplaint(1000),
    summary: 'Take the fix back unless "driftgate confirm" comes within this time after it',
  },
  probe: {
    kind: 'list',
    group: 'Run:',
    placeholder: 'COMMAND',
    summary: 'A shell command that has to succeed after the fix, else it is taken back at once; repeatable',
  },
  ...PLAN_OPTIONS,
  only: {
    kind: 'list',
    group: 'Run:',
    placeholder: 'SELECTOR',
    summary: 'Evaluate only these: type#name (with * and ?), control id, or tag:NAME; commas separate several',
  },
  skip: { kind: 'list', group: 'Run:', placeholder: 'SELECTOR', summary: 'Evaluate all but these; wins over --only' },
  'monitor-only': {
    kind: 'flag',
    group: 'Run:',
    contradicts: 'fix',
    summary: 'Run the health checks of the resources and nothing else',
  },
  'strict-health': {
    kind: 'flag',
    group: 'Run:',
    summary: 'Let the WARNING of a health check count as its CRITICAL does',
  },
  wait: {
    kind: 'value',
    alias: 'retry-timeout',
    group: 'Run:',
    placeholder: 'DURATION',
    complain: durationComplaint(1),
    summary: 'Audit again every second until nothing is wrong or this time is over; reports hold the last audit',
  },
  ...AUDIT_OPTIONS,
  ...TRUST_OPTIONS,
  ...INPUT_OPTIONS,
  ...BUNDLE_OPTIONS,
  ...EXTENSION_OPTIONS,
  'fail-on': {
    kind: 'text',
    group: 'Gate:',
    placeholder: 'SEVERITY',
    choices: SEVERITIES,
    default: 'info',
    summary:
      'Exit with 2 only if something of at least this severity drifted; --fix repairs the same whatever this says',
  },
  baseline: {
    kind: 'value',
    group: 'Gate:',
    placeholder: 'FILE',
    holds: 'path',
    summary: 'Exit with 2 only for drift that this earlier JSON report does not have, or has with other values',
  },
  ...WAIVER_OPTIONS,
  report: {
    kind: 'list',
    group: 'Reports:',
    placeholder: 'FORMAT[=PATH]',
    offers: formatNames,
    holds: 'report',
    summary: `Write a report (${formatNames.join(', ')}) to a file, or without PATH to standard output; repeatable`,
  },
  out: {
    kind: 'optional-text',
    group: 'Reports:',
    placeholder: 'DIR',
    implied: 'reports',
    holds: 'path',
    summary: `Write ${fileNames} to a directory, "reports" where none is named`,
  },
  ...REPORT_MODE,
  ...HISTORY_OPTIONS,
  'no-diff': { kind: 'flag', group: 'Reports:', summary: 'Show no differences of file contents' },
  verbose: {
    kind: 'flag',
    alias: 'v',
    group: 'Reports:',
    contradicts: 'quiet',
    summary: 'List what is compliant, too, and say which config file was used',
  },
  quiet: {
    kind: 'flag',
    alias: 'q',
    group: 'Reports:',
    contradicts: 'verbose',
    summary: 'Print only the summary of a text or plan report, and no message but errors',
  },
} as const satisfies OptionSpecs

/** Their values. */
export type ScanFlags = OptionsOf<typeof SCAN_OPTIONS>
