import type { SenderInfo } from '../messages/sender.ts'
import type { UnsentHost } from '../unsent.ts'
import { type Markup, markup, type Part } from '../../report/words/markup.ts'
import {
  renderAge,
  digest,
  renderDueTime,
  renderFacts,
  groupDigits,
  hostLink,
  manyOf,
  NOTHING,
  section,
  table,
} from './pieces.ts'

/** A host's statements about itself, which are unverified and affect no verdict. */
export function saidSection(sender: SenderInfo, nowMs: number): Markup {
  const { version, assignment, nextDue, spool, lost, saidAtMs } = sender
  const rows: readonly (readonly [string, Part])[] = [
    ['driftgate', version],
    [
      'Assignment',
      assignment === undefined
        ? 'no assignment'
        : markup`${assignment.to}, version ${groupDigits(assignment.version)} ${digest(assignment.sha256)}`,
    ],
    ['Next run', nextDue === undefined ? NOTHING : renderDueTime(Date.parse(nextDue), nowMs)],
    ['Queued runs', countRuns(spool)],
    ['Lost runs', lost === 0 ? 'no runs' : markup`<span class="caution">${countRuns(lost)}</span>`],
  ]
  const heading = markup`Agent status <span class="count">reported ${renderAge(saidAtMs, nowMs, ' ago')}</span>`
  return section('said', heading, renderFacts(rows))
}

function countRuns(count: number): string {
  return count === 0 ? 'no runs' : manyOf(count, 'run')
}

/** Number of hosts shown. */
const MOST_HOSTS = 100

/** Hosts with runs that the server does not have yet, or never will; undefined without any. */
export function unsentSection(hosts: readonly UnsentHost[], nowMs: number): Part {
  if (hosts.length === 0) return undefined
  const more = hosts.length - MOST_HOSTS
  return section(
    'unsent',
    markup`Runs that the server does not have <span class="count">${manyOf(hosts.length, 'host')}</span>`,
    markup`${table(
      'Hosts with lost or queued runs',
      [
        { label: 'Host', kind: 'name', cell: ({ name }) => hostLink(name) },
        { label: 'Lost', kind: 'number', cell: ({ sender }) => groupDigits(sender.lost) },
        { label: 'Waiting', kind: 'number', cell: ({ sender }) => groupDigits(sender.spool) },
        { label: 'As of', cell: ({ sender }) => renderAge(sender.saidAtMs, nowMs, ' ago') },
      ],
      hosts.slice(0, MOST_HOSTS),
    )}${more > 0 && markup`<p class="more">and ${groupDigits(more)} more</p>`}`,
  )
}
