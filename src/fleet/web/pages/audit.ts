import type { FleetHost } from '../../census.ts'
import type { StoredEntry } from '../../nats/audit.ts'
import { selectEntries } from '../../nats/audit-selection.ts'
import type { ResidentView } from '../../resident.ts'
import type { TextMark } from '../../traces.ts'
import { type Markup, markup } from '../../../report/words/markup.ts'
import { type PageRequest, isRefusal, type Page, type Refusal } from '../answer.ts'
import {
  renderAge,
  renderChip,
  digest,
  groupDigits,
  hostLink,
  manyOf,
  NOTHING,
  paging,
  section,
  table,
  timeWords,
} from '../pieces.ts'
import { addressOf, allValues, PAGE_SIZE, partOf, strangerIn } from '../query.ts'

/** A policy text across all hosts. */
export interface PolicyText {
  readonly policy: string
  readonly sha256: string
  /** Number of hosts that evaluate it. */
  readonly hosts: number
  /** Times at which the first and last of them changed to it, in milliseconds since 1970. */
  readonly firstMs: number
  readonly lastMs: number
}

/** A host's change to another policy text. */
export interface PolicyChange extends TextMark {
  readonly host: string
  /** Previous text, if known. */
  readonly before?: string
}

const FILTERS = ['host', 'policy'] as const

/** History of a fleet. */
export interface FleetAudit {
  /** Activity log, newest first; absent if unknown. */
  readonly acts?: readonly StoredEntry[]
  readonly texts: readonly PolicyText[]
  readonly changes: readonly PolicyChange[]
}

/** History for pages and programs: activity log, policy versions by host, and their changes. */
export function auditOf(
  { hosts: fleet, acts }: Pick<ResidentView, 'hosts' | 'acts'>,
  params: URLSearchParams,
): FleetAudit | Refusal {
  const stranger = strangerIn(params, FILTERS)
  if (stranger !== undefined) return stranger
  const [names = [], policies = []] = FILTERS.map((filter) => allValues(params, filter))
  const hosts = fleet.filter(({ name }) => names.length === 0 || names.includes(name))
  const isWanted = ({ policy }: { readonly policy: string }): boolean =>
    policies.length === 0 || policies.includes(policy)
  return {
    ...(acts && { acts: actsAbout(actsAbout(acts, names), policies).toReversed() }),
    texts: textsOf(hosts).filter(isWanted),
    changes: hosts
      .flatMap(changesOf)
      .filter(isWanted)
      .toSorted((left, right) => right.sinceMs - left.sinceMs || (left.host < right.host ? -1 : 1)),
  }
}

/** Acts on any of these names; without names, all acts. Entries without a valid signature are always included. */
function actsAbout(acts: readonly StoredEntry[], names: readonly string[]): readonly StoredEntry[] {
  if (names.length === 0) return acts
  const wanted = new Set(names.flatMap((about) => selectEntries(acts, { acts: [], about })))
  return acts.filter((act) => wanted.has(act))
}

function textsOf(hosts: readonly FleetHost[]): readonly PolicyText[] {
  const texts = new Map<string, { -readonly [Key in keyof PolicyText]: PolicyText[Key] }>()
  for (const { policies, texts: marks } of hosts) {
    for (const { id: policy, ownId, sha256, evaluatedAtMs } of policies) {
      const sinceMs = marks.find((mark) => mark.policy === ownId && mark.sha256 === sha256)?.sinceMs ?? evaluatedAtMs
      const key = `${sha256} ${policy}`
      const text = texts.get(key) ?? { policy, sha256, hosts: 0, firstMs: sinceMs, lastMs: sinceMs }
      texts.set(key, text)
      text.hosts++
      text.firstMs = Math.min(text.firstMs, sinceMs)
      text.lastMs = Math.max(text.lastMs, sinceMs)
    }
  }
  return [...texts.values()].toSorted(
    (left, right) =>
      (left.policy < right.policy ? -1 : left.policy > right.policy ? 1 : 0) || right.firstMs - left.firstMs,
  )
}

function changesOf({ name: host, texts }: FleetHost): readonly PolicyChange[] {
  return texts.map(({ policy, sha256, sinceMs }, index) => {
    const before = texts.find((earlier, at) => at > index && earlier.policy === policy)?.sha256
    return before === undefined ? { policy, sha256, sinceMs, host } : { policy, sha256, sinceMs, host, before }
  })
}

/** Page with the activity log and the policy versions of hosts. */
export function auditPage({ view, params }: PageRequest): Page | Refusal {
  const found = auditOf(view, params)
  if (isRefusal(found)) return found
  const { acts, texts, changes } = found
  const part = partOf(changes, params)
  if (isRefusal(part)) return part
  const { nowMs } = view
  return {
    title: 'Audit',
    content: markup`${acts && actSection(acts, nowMs)}${section(
      'texts',
      markup`Versions in force <span class="count">${groupDigits(texts.length)}</span>`,
      texts.length === 0
        ? markup`<p class="nothing">No host has reported about a policy.</p>`
        : textTable(texts, nowMs),
    )}${section(
      'changes',
      markup`Policy versions by host <span class="count">${groupDigits(changes.length)}</span>`,
      changes.length === 0 ? markup`<p class="nothing">Nothing is known.</p>` : changeTable(part.members, nowMs),
    )}${paging('/audit', params, part)}`,
  }
}

function actSection(acts: readonly StoredEntry[], nowMs: number): Markup {
  const shown = acts.slice(0, PAGE_SIZE)
  const rest = shown.length < acts.length && markup`<p class="dim">The last ${PAGE_SIZE}.</p>`
  return section(
    'acts',
    markup`Activity log <span class="count">${groupDigits(acts.length)}</span>`,
    acts.length === 0
      ? markup`<p class="nothing">No recorded activity.</p>`
      : markup`${actTable(shown, nowMs)}${rest}<p class="dim"><code>driftgate fleet audit</code> lists every entry.</p>`,
  )
}

function actTable(acts: readonly StoredEntry[], nowMs: number): Markup {
  return table(
    'Activity of operators and the view, newest first',
    [
      {
        label: 'Act',
        kind: 'name',
        cell: ({ said }) => ('entry' in said ? said.entry.act : renderChip('not verified', 'bad')),
      },
      {
        label: 'What',
        cell: ({ said }) => ('entry' in said ? `${said.entry.about}: ${said.entry.text}` : said.message),
      },
      {
        label: 'When and by whom',
        cell: ({ storedAtMs, said }) =>
          markup`${timeWords(storedAtMs)} <small>${renderAge(storedAtMs, nowMs, ' ago')}${'entry' in said && ` by ${said.entry.author}`}</small>`,
      },
    ],
    acts,
  )
}

function textTable(texts: readonly PolicyText[], nowMs: number): Markup {
  return table(
    'Texts of policies that hosts evaluate now',
    [
      {
        label: 'Policy',
        kind: 'name',
        cell: ({ policy }) => markup`<a href="${addressOf('/audit', { policy })}">${policy}</a>`,
      },
      { label: 'Version', cell: ({ sha256 }) => digest(sha256) },
      {
        label: 'Hosts',
        kind: 'number',
        cell: ({ sha256, hosts }) =>
          markup`<a href="${addressOf('/hosts', { version: sha256 })}">${manyOf(hosts, 'host')}</a>`,
      },
      { label: 'First', cell: ({ firstMs }) => renderAge(firstMs, nowMs, ' ago') },
      { label: 'Last', cell: ({ lastMs }) => renderAge(lastMs, nowMs, ' ago') },
    ],
    texts,
  )
}

function changeTable(changes: readonly PolicyChange[], nowMs: number): Markup {
  return table(
    'Policy versions by host, newest first',
    [
      { label: 'Host', kind: 'name', cell: ({ host }) => hostLink(host) },
      { label: 'Policy', cell: ({ policy }) => policy },
      { label: 'Version', cell: ({ sha256 }) => digest(sha256) },
      {
        label: 'Before',
        cell: ({ before }) => (before === undefined ? NOTHING : digest(before)),
      },
      {
        label: 'When',
        cell: ({ sinceMs }) => markup`${timeWords(sinceMs)} <small>${renderAge(sinceMs, nowMs, ' ago')}</small>`,
      },
    ],
    changes,
  )
}
