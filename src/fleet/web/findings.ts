import type { FleetFinding } from '../findings.ts'
import type { Machine } from '../source.ts'
import { type Markup, markup, type Part, SIGN } from '../../report/words/markup.ts'
import { renderAge, controlLink, groupDigits, NOTHING, section, severityLabel, standingLabel, table } from './pieces.ts'

/** Causes of unknown controls, with advice. Other reasons are shown as they are. */
const CAUSES: Readonly<Record<string, { readonly label: string; readonly next: string }>> = {
  'permission-denied': { label: 'Permission denied', next: 'run the agent as root' },
  timeout: { label: 'Timed out', next: 'look at the load of the host, or raise the timeout of the resource' },
  'not-observable': { label: 'Not observable', next: 'look at the resource on the host: driftgate scan --only' },
  'no-provider': { label: 'No provider on this platform', next: 'select the control by platform (control: if)' },
  template: { label: 'Template error', next: 'correct the template or the data of the policy' },
  invalid: { label: 'Invalid value', next: 'correct the value in the policy or its data' },
  'readers-disagree': {
    label: 'The program reads its files differently',
    next: 'look at the line that the message names, with the program: sshd -T, visudo -c',
  },
  command: { label: 'Command failed', next: 'run the command of the resource on the host' },
  unreachable: { label: 'Unreachable', next: 'check the connection to the target' },
  internal: { label: 'Internal error', next: 'report it with the output of DRIFTGATE_DEBUG=1' },
  blocked: { label: 'Blocked by a requirement', next: 'fix what it requires first' },
}

const NOT_TOLD = { label: 'Reason not reported', next: 'update driftgate on the host' }

/** Number of controls shown per cause. */
const MOST_NAMED = 12

/** Unknown controls by cause, since one cause often explains many controls. */
export function unknownSection(findings: readonly FleetFinding[]): Part {
  if (findings.length === 0) return undefined
  const causes = grouping(findings, ({ cause }) => cause).toSorted(([, left], [, right]) => right.length - left.length)
  return section(
    'unknown',
    markup`Unknown, by cause <span class="count">${groupDigits(findings.length)}</span>`,
    table(
      'Unknown results by cause',
      [
        { label: 'Cause', kind: 'name', cell: ([cause]) => wordsOf(cause).label },
        { label: 'Controls', kind: 'number', cell: ([, of]) => groupDigits(of.length) },
        { label: 'Which', cell: ([, of]) => namesOf(of) },
        { label: 'Next', cell: ([cause]) => wordsOf(cause).next },
      ],
      causes,
    ),
  )
}

function grouping<Key>(
  findings: readonly FleetFinding[],
  keyOf: (finding: FleetFinding) => Key,
): readonly (readonly [Key, readonly FleetFinding[]])[] {
  const groups = new Map<Key, FleetFinding[]>()
  for (const finding of findings) {
    const group = groups.get(keyOf(finding))
    if (group === undefined) groups.set(keyOf(finding), [finding])
    else group.push(finding)
  }
  return [...groups]
}

function wordsOf(cause: FleetFinding['cause']): { readonly label: string; readonly next: string } {
  if (cause === undefined) return NOT_TOLD
  return CAUSES[cause] ?? { label: cause, next: NOT_TOLD.next }
}

function namesOf(findings: readonly FleetFinding[]): Markup {
  const more = findings.length - MOST_NAMED
  return markup`${findings.slice(0, MOST_NAMED).map((finding) => markup`${controlLink(finding)} `)}${more > 0 && markup`<span class="dim">and ${groupDigits(more)} more</span>`}`
}

/** Table of controls with their states. */
export function findingTable(caption: string, findings: readonly FleetFinding[], nowMs: number): Markup {
  return table(
    caption,
    [
      {
        label: 'Control',
        kind: 'name',
        cell: (finding) =>
          markup`${controlLink(finding)}${finding.title !== undefined && markup`<small class="remark">${finding.title}</small>`}`,
      },
      { label: 'State', cell: ({ standing }) => standingLabel(standing) },
      { label: 'Severity', cell: ({ severity }) => severityLabel(severity) },
      { label: 'Policy', cell: ({ policy }) => policy },
      { label: 'For', cell: ({ sinceMs }) => renderAge(sinceMs, nowMs) },
    ],
    findings,
  )
}

/** Number of remaining controls shown. */
const MOST_REST = 100

const REST_WORDS: Readonly<Partial<Record<FleetFinding['standing'], string>>> = {
  known: 'known from the reference report',
  manual: 'need review',
  waived: 'waived',
  'not-applicable': 'not applicable',
}

/** Controls that need no action, collapsed, with counts. */
export function restSection(findings: readonly FleetFinding[], nowMs: number): Part {
  if (findings.length === 0) return undefined
  const counts = grouping(findings, ({ standing }) => standing).map(
    ([standing, of]) => `${groupDigits(of.length)} ${REST_WORDS[standing] ?? standing}`,
  )
  const more = findings.length - MOST_REST
  return markup`<details class="rest" id="rest"><summary><b>The rest</b> <span class="count">${counts.join(', ')}</span></summary>
${findingTable('Known, manual, waived and not applicable', findings.slice(0, MOST_REST), nowMs)}${more > 0 && markup`<p class="more">and ${groupDigits(more)} more</p>`}
</details>
`
}

/** Machines that report as one host, such as a host and its clone. */
export function machinesSection(machines: readonly Machine[] | undefined, nowMs: number): Part {
  if (machines === undefined) return undefined
  return section(
    'machines',
    markup`Machines with the key of this host <span class="count">${groupDigits(machines.length)}</span>`,
    markup`${table(
      'Machines that report as this host',
      [
        { label: 'Machine', kind: 'name', cell: ({ at }) => `Machine ${at}` },
        { label: 'Reported', cell: ({ heardAtMs }) => renderAge(heardAtMs, nowMs, ' ago') },
        {
          label: 'Drifted',
          kind: 'number',
          cell: ({ drifted }) => (drifted === undefined ? NOTHING : groupDigits(drifted)),
        },
        {
          label: 'Unknown',
          kind: 'number',
          cell: ({ undecided }) => (undecided === undefined ? NOTHING : groupDigits(undecided)),
        },
        { label: 'Boot', cell: ({ bootId = SIGN.dash }) => markup`<code>${bootId.slice(0, 13)}</code>` },
        { label: 'Run', cell: ({ runId }) => markup`<code title="${runId}">${runId.slice(0, 8)}</code>` },
      ],
      machines.map((machine, index) => ({ ...machine, at: index + 1 })),
    )}<p class="more">Enrol the copy under a name of its own: remove host.pem there, and run "driftgate fleet enrol".</p>`,
  )
}
