import { type Measure, MEASURES } from '../../rollout/conditions.ts'
import type { ObservedRing, ObservedRollout } from '../../rollout/seen.ts'
import { type Phase, PHASE_WORDS } from '../../rollout/state.ts'
import { nextWords } from '../../rollout/words.ts'
import { type Markup, markup } from '../../../report/words/markup.ts'
import type { PageRequest, Page, Refusal } from '../answer.ts'
import {
  renderAge,
  renderChip,
  digest,
  renderFacts,
  groupDigits,
  hostLink,
  manyOf,
  NOTHING,
  section,
  table,
} from '../pieces.ts'
import { strangerIn } from '../query.ts'

/** Number of hosts of a ring named per problem. */
const MOST_HOSTS = 100

/** Page of the rollout: released rings, the states of their hosts, the next step. */
export function rolloutPage({ view: { rollout, nowMs }, params }: PageRequest): Page | Refusal {
  const stranger = strangerIn(params, [])
  if (stranger !== undefined) return stranger
  if (rollout === undefined)
    return { title: 'No rollout', content: markup`<p class="nothing">There was no rollout yet.</p>` }
  return {
    title: `Rollout ${PHASE_WORDS[rollout.rollout.phase]}`,
    content: markup`<h2 class="result">${PHASE_CHIPS[rollout.rollout.phase]} ${rollout.rollout.reason}</h2>
${summary(rollout, nowMs)}${section('rings', 'Rings', ringTable(rollout, nowMs))}${rollout.rings.map(renderTroubles)}`,
  }
}

const PHASE_CHIPS: Readonly<Record<Phase, Markup>> = {
  running: renderChip(PHASE_WORDS.running, 'good'),
  paused: renderChip(PHASE_WORDS.paused, 'warn'),
  stopped: renderChip(PHASE_WORDS.stopped, 'bad'),
  back: renderChip(PHASE_WORDS.back, 'warn'),
  done: renderChip(PHASE_WORDS.done, 'good'),
}

function summary({ rollout, verdict, later }: ObservedRollout, nowMs: number): Markup {
  const { last, author, soak, stop, policies, startedAt } = rollout
  return markup`${later.length > 0 && markup`<p class="trouble">${later.join(', ')}: assigned something later, which is left as it is.</p>\n`}${renderFacts(
    [
      ...(verdict === undefined ? [] : [['Next', nextWords(verdict)] as const]),
      ['Last', markup`${last.what} <small>by ${last.by}, ${renderAge(Date.parse(last.at), nowMs, ' ago')}</small>`],
      ['Begun', markup`by ${author} <small>${renderAge(Date.parse(startedAt), nowMs, ' ago')}</small>`],
      ['Soak time per ring', soak],
      ['Stops at', stop],
      ...policies.map(({ name, text }) => ['Policy', markup`${name} ${digest(text)}`] as const),
    ],
  )}`
}

const LABELS: Readonly<Record<Measure, string>> = { error: 'Errors', silent: 'Silent', 'new-drift': 'New drift' }

function ringTable({ rings }: ObservedRollout, nowMs: number): Markup {
  return table(
    'Rings in the order in which they get the policies',
    [
      { label: 'Ring', kind: 'name', cell: ({ name }) => name },
      { label: 'Hosts', kind: 'number', cell: ({ hosts }) => groupDigits(hosts.length) },
      { label: 'Since', cell: ({ releasedAtMs }) => renderAge(releasedAtMs, nowMs) },
      {
        label: 'Reported',
        kind: 'number',
        cell: ({ count }) =>
          count === undefined
            ? NOTHING
            : `${groupDigits(count.reported.length)} of ${groupDigits(count.expected.length)}`,
      },
      ...MEASURES.map((measure) => ({
        label: LABELS[measure],
        kind: 'number' as const,
        cell: ({ count }: ObservedRing) => (count === undefined ? NOTHING : groupDigits(count[measure].length)),
      })),
    ],
    rings,
  )
}

const TROUBLES = [
  ['error', 'with new unknown results'],
  ['silent', 'silent'],
  ['new-drift', 'with new drift'],
  ['awaited', 'awaited'],
] as const

function renderTroubles({ name, count }: ObservedRing): Markup {
  const lists = TROUBLES.flatMap(([measure, words]) => {
    const hosts = count?.[measure] ?? []
    if (hosts.length === 0) return []
    const more = hosts.length > MOST_HOSTS && markup` and ${groupDigits(hosts.length - MOST_HOSTS)} more`
    const named = hosts.slice(0, MOST_HOSTS).map((host) => markup`${hostLink(host)} `)
    return [markup`<p>${manyOf(hosts.length, 'host')} ${words}: ${named}${more}</p>\n`]
  })
  return lists.length === 0 ? markup`` : section(`ring-${name}`, `Ring ${name}`, markup`${lists}`)
}
