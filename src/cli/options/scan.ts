import { SEVERITIES } from '../../model/verdict.ts'
import { parseKeep } from '../../runs/history/keep-spec.ts'
import { reportFormats } from '../../report/index.ts'
import { parseKeepUndo } from '../../engine/undo/keep-undo.ts'
import type { OptionsOf, OptionSpecs } from '../command.ts'
import { BUNDLE_OPTIONS } from './bundle.ts'
import { CARRY_OPTIONS } from './carry.ts'
import { durationComplaint } from './duration.ts'
import { EXTENSION_OPTIONS } from './extension.ts'
import { AUDIT_OPTIONS, INPUT_OPTIONS, TRUST_OPTIONS } from './input.ts'
import { DETAILS, REPORT_MODE } from './report-mode.ts'
import { STATE_OPTIONS } from './state.ts'
import { TARGETS_OPTIONS } from './targets.ts'
import { WAIVER_OPTIONS } from './waiver.ts'

/** Scan options for saved plans. */
const PLAN_OPTIONS = {
  'save-plan': {
    kind: 'value',
    group: 'Fix:',
    placeholder: 'FILE',
    holds: 'path',
    summary: 'Write the plan of a fix to a file (audit only)',
  },
  plan: {
    kind: 'value',
    group: 'Fix:',
    placeholder: 'FILE',
    holds: 'path',
    summary: 'Apply this plan and nothing else (requires --fix)',
  },
  'plan-max-age': {
    kind: 'value',
    group: 'Fix:',
    placeholder: 'DURATION',
    complain: durationComplaint(1),
    summary: 'Refuse plans older than this (default: 24h)',
  },
} as const satisfies OptionSpecs

/** Scan options that select among the changes of a fix. */
const CHOOSING_OPTIONS = {
  'fix-severity': {
    kind: 'value',
    group: 'Fix:',
    placeholder: 'SEVERITY',
    complain: (text: string) =>
      SEVERITIES.some((severity) => severity === text) ? undefined : `must be one of ${SEVERITIES.join(', ')}`,
    summary: 'Fix only drift of at least this severity (--fail-on sets the gate)',
  },
  'max-changes': {
    kind: 'value',
    group: 'Fix:',
    placeholder: 'N',
    complain: (text: string) => (/^\d+$/.test(text) ? undefined : 'must be a number of resources'),
    summary: 'Change nothing if a fix would make more than N changes (exit code 4)',
  },
  ask: { kind: 'flag', group: 'Fix:', summary: 'Prompt on the terminal before each change' },
  'confirm-risky': {
    kind: 'flag',
    group: 'Fix:',
    summary: 'Refuse risky changes without --confirm-within',
  },
} as const satisfies OptionSpecs

const formatNames = reportFormats.map(({ name }) => name)

const fileNames = reportFormats.flatMap(({ fileName }) => fileName ?? []).join(' and ')

const HISTORY_OPTIONS = {
  history: {
    kind: 'optional-text',
    group: 'History:',
    placeholder: 'DIR',
    implied: '',
    holds: 'path',
    summary: 'Save every run in DIR (default: the state directory)',
  },
  keep: {
    kind: 'value',
    group: 'History:',
    placeholder: 'N|DURATION',
    complain: (text) =>
      parseKeep(text) === undefined
        ? 'must be a number of runs such as 30, or a duration such as 90d or 12w'
        : undefined,
    summary: 'Prune saved runs by count or age, such as 90d',
  },
  'sign-key': {
    kind: 'value',
    group: 'History:',
    placeholder: 'FILE',
    holds: 'path',
    summary: 'Sign saved runs with this private key',
  },
} as const satisfies OptionSpecs

/** Option of commands with a gate. */
export const FAIL_ON = {
  'fail-on': {
    kind: 'text',
    group: 'Gate:',
    placeholder: 'SEVERITY',
    choices: SEVERITIES,
    default: 'info',
    summary: 'Lowest severity of drift that exits with 2',
  },
} as const satisfies OptionSpecs

export const SCAN_OPTIONS = {
  ...TARGETS_OPTIONS,
  ...CARRY_OPTIONS,
  fix: {
    kind: 'flag',
    group: 'Fix:',
    contradicts: 'monitor-only',
    summary: 'Fix drift and verify the result',
  },
  ...CHOOSING_OPTIONS,
  'keep-undo': {
    kind: 'value',
    group: 'Fix:',
    placeholder: 'N|DURATION|SIZE',
    complain: (text: string) =>
      parseKeepUndo(text) === undefined
        ? 'must be a number of fixes such as 20, a duration such as 30d, a size such as 2GiB, or several with commas'
        : undefined,
    summary: 'Limit stored undo data (default: 20,30d,2GiB; 0 stores none)',
  },
  ...STATE_OPTIONS,
  'allow-removals': {
    kind: 'flag',
    group: 'Fix:',
    summary: 'Allow removal of packages that no resource names',
  },
  'in-place': {
    kind: 'flag',
    group: 'Fix:',
    summary: 'Allow in-place writes to files that are mount points',
  },
  'keep-links': {
    kind: 'flag',
    group: 'Fix:',
    summary: 'Allow in-place writes to files with several hard links',
  },
  register: {
    kind: 'flag',
    group: 'Fix:',
    summary: 'Publish register_when_stable entries to the CCM registry',
  },
  'confirm-within': {
    kind: 'value',
    group: 'Fix:',
    placeholder: 'DURATION',
    complain: durationComplaint(1000),
    summary: 'Revert the fix unless it is confirmed within this time',
  },
  probe: {
    kind: 'list',
    group: 'Fix:',
    placeholder: 'COMMAND',
    summary: 'Revert the fix if this shell command fails (repeatable)',
  },
  ...PLAN_OPTIONS,
  only: {
    kind: 'list',
    group: 'Evaluation:',
    placeholder: 'SELECTOR',
    summary: 'Evaluate only matching type#name, controls or tag:NAME',
  },
  skip: {
    kind: 'list',
    group: 'Evaluation:',
    placeholder: 'SELECTOR',
    summary: 'Skip matching resources, controls or tags (overrides --only)',
  },
  'monitor-only': {
    kind: 'flag',
    group: 'Evaluation:',
    contradicts: 'fix',
    summary: 'Run health checks only',
  },
  'strict-health': {
    kind: 'flag',
    group: 'Evaluation:',
    summary: 'Treat WARNING from a health check as CRITICAL',
  },
  wait: {
    kind: 'value',
    alias: 'retry-timeout',
    group: 'Evaluation:',
    placeholder: 'DURATION',
    complain: durationComplaint(1),
    summary: 'Repeat the audit every second until it passes or time runs out',
  },
  ...AUDIT_OPTIONS,
  ...TRUST_OPTIONS,
  ...INPUT_OPTIONS,
  ...BUNDLE_OPTIONS,
  ...EXTENSION_OPTIONS,
  ...FAIL_ON,
  baseline: {
    kind: 'value',
    group: 'Gate:',
    placeholder: 'FILE',
    holds: 'path',
    summary: 'Exit with 2 only for drift new or changed since this JSON report',
  },
  ...WAIVER_OPTIONS,
  report: {
    kind: 'list',
    group: 'Reports:',
    placeholder: 'FORMAT[=PATH]',
    offers: formatNames,
    holds: 'report',
    summary: `Write a report to PATH or standard output: ${formatNames.join(', ')} (repeatable)`,
  },
  out: {
    kind: 'optional-text',
    group: 'Reports:',
    placeholder: 'DIR',
    implied: 'reports',
    holds: 'path',
    summary: `Write ${fileNames} to DIR (default: reports)`,
  },
  ...REPORT_MODE,
  ...HISTORY_OPTIONS,
  'no-diff': { kind: 'flag', group: 'Reports:', summary: 'Omit file diffs' },
  ...DETAILS,
  verbose: {
    kind: 'flag',
    alias: 'v',
    group: 'Reports:',
    contradicts: 'quiet',
    summary: 'List compliant resources and the config file in use',
  },
  quiet: {
    kind: 'flag',
    alias: 'q',
    group: 'Reports:',
    contradicts: 'verbose',
    summary: 'Print only the summary and errors',
  },
} as const satisfies OptionSpecs

export type ScanFlags = OptionsOf<typeof SCAN_OPTIONS>
