import { escapeForTerminal } from '../../../core/escape.ts'
import { SEVERITIES } from '../../../core/verdict.ts'
import type { Selection } from '../../../core/selection.ts'
import { reportFormats } from '../../../report/index.ts'
import { type Command, defineCommand, type Invocation, type OptionsOf, type OptionSpecs } from '../../command.ts'
import { BUNDLE_OPTIONS, checksumOf } from '../../options/bundle.ts'
import { usageError } from '../../errors.ts'
import { EXTENSION_OPTIONS } from '../../options/extension.ts'
import { HISTORY_OPTIONS } from '../../options/history.ts'
import { INPUT_OPTIONS, isUntrusted, limitsOf, AUDIT_OPTIONS, TRUST_OPTIONS } from '../../options/input.ts'
import { REPORT_MODE } from '../../options/report-mode.ts'
import { POLICIES } from '../../options/policies.ts'
import type { ScanRequest } from './run.ts'
import { WAIVER_OPTIONS } from '../../options/waiver.ts'

const formatNames = reportFormats.map(({ name }) => name)

const options = {
  fix: {
    kind: 'flag',
    group: 'Run:',
    contradicts: 'monitor-only',
    summary: 'Repair what drifted and look again; without it nothing is changed',
  },
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
    summary: 'Exit with 2 only if something of at least this severity drifted',
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
    summary: `Write ${fileNames()} to a directory, "reports" where none is named`,
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

/** The options of `driftgate scan`, for commands that perform scans. */
export { options as SCAN_OPTIONS }

/** Their values. */
export type ScanFlags = OptionsOf<typeof options>

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
  130, 143  interrupted by SIGINT, SIGTERM; the reports hold what was done

Standard output carries exactly one report: text, unless another one is sent there. Everything
else goes to standard error. NO_COLOR and FORCE_COLOR are honoured.`,
  operands: POLICIES,
  options,
  examples: [
    { command: 'driftgate scan policies/', summary: 'Audit this machine' },
    { command: 'driftgate scan web.yaml --report junit=junit.xml', summary: 'Audit in a pipeline' },
    { command: 'driftgate scan web.yaml --out --fail-on high', summary: 'Write all reports, gate on what matters' },
    { command: 'driftgate scan web.yaml --history --keep 90d', summary: 'Audit on a schedule, and keep what it found' },
    { command: "driftgate scan web.yaml --only 'file#/etc/ssh/*' --fix", summary: 'Repair a part' },
    {
      command: 'driftgate scan https://policies.example.com/web.tgz --checksum sha256:…',
      summary: 'Audit with a bundle from a web server, and with no other',
    },
  ],
  limits: ({ operands, options: given }) => limitsOf(operands, given),
  async run(invocation, io) {
    const { options: given, configFile } = invocation
    if (given.verbose && configFile !== undefined) {
      io.say(`driftgate: options from ${escapeForTerminal(configFile)}\n`)
    }
    const request = await scanRequestOf(invocation, 'scan')
    const { performScan } = await import('./run.ts')
    return performScan(request, io)
  },
})

/** The scan that a command line asks for. Throws an `OperatorError` for selectors or a checksum that mean nothing. */
export async function scanRequestOf(
  { operands: sources, options }: Pick<Invocation<ScanFlags>, 'operands' | 'options'>,
  command: string,
): Promise<ScanRequest> {
  const checksum = await checksumOf(sources, options, command)
  const areOfOthers = isUntrusted(sources, options)
  if (areOfOthers && options.fix) throw usageError(NO_UNTRUSTED_FIX, command)
  return { sources, options, selection: selectionOf(options), isUntrusted: areOfOthers, ...checksum }
}

const NO_UNTRUSTED_FIX =
  'a policy of others changes nothing: --fix needs policies of your own; say --trusted for a URL that you trust like one'

function selectionOf({ only, skip }: ScanFlags): Selection {
  return { only: only.flatMap(splitSelectors), skip: skip.flatMap(splitSelectors) }
}

function splitSelectors(text: string): string[] {
  const selectors = text.split(',').map((selector) => selector.trim())
  if (selectors.includes('')) throw usageError(`empty selector in "${text}"`, 'scan')
  return selectors
}

function fileNames(): string {
  return reportFormats.flatMap(({ fileName }) => fileName ?? []).join(' and ')
}
