import type { SenderInfo } from '../messages/sender.ts'
import type { UnsentHost } from '../unsent.ts'
import { type Markup, markup, type Part } from '../../report/words/markup.ts'
import { ago, digest, due, facts, grouped, hostLink, manyOf, NOTHING, section, table } from './pieces.ts'

/** A host's statements about itself, which are unverified and affect no verdict. */
export function saidSection(sender: SenderInfo, nowMs: number): Markup {
  const { version, assignment, nextDue, spool, lost, saidAtMs } = sender
  const rows: readonly (readonly [string, Part])[] = [
    ['driftgate', version],
    [
      'Assignment',
      assignment === undefined
        ? 'no assignment'
        : markup`${assignment.to}, version ${grouped(assignment.version)} ${digest(assignment.sha256)}`,
    ],
    ['Next run', nextDue === undefined ? NOTHING : due(Date.parse(nextDue), nowMs)],
    ['Queued runs', runs(spool)],
    ['Lost runs', lost === 0 ? 'no runs' : markup`<span class="caution">${runs(lost)}</span>`],
  ]
  const heading = markup`Agent status <span class="count">reported ${ago(saidAtMs, nowMs, ' ago')}</span>`
  return section('said', heading, facts(rows))
}

function runs(count: number): string {
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
      'Hosts that say that runs of theirs are lost, or wait to be sent',
      [
        { label: 'Host', kind: 'name', cell: ({ name }) => hostLink(name) },
        { label: 'Lost', kind: 'number', cell: ({ sender }) => grouped(sender.lost) },
        { label: 'Waiting', kind: 'number', cell: ({ sender }) => grouped(sender.spool) },
        { label: 'As of', cell: ({ sender }) => ago(sender.saidAtMs, nowMs, ' ago') },
      ],
      hosts.slice(0, MOST_HOSTS),
    )}${more > 0 && markup`<p class="more">and ${grouped(more)} more</p>`}`,
  )
}
