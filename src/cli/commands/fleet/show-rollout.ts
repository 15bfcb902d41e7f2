import { countOf } from '../../../model/count-of.ts'
import { escapeForTerminal } from '../../../model/escape.ts'
import { spanWords } from '../../../model/span-words.ts'
import { MEASURES } from '../../../fleet/rollout/conditions.ts'
import type { ObservedRing, ObservedRollout } from '../../../fleet/rollout/seen.ts'
import { joinSections } from '../../../report/words/rows.ts'
import { nextWords } from '../../../fleet/rollout/words.ts'
import type { Paint } from '../../output/color.ts'
import { type Cell, tableRows } from '../../output/table.ts'

/** Formats the progress of a rollout. */
export function showRollout({ rollout, rings, verdict, later }: ObservedRollout, nowMs: number, paint: Paint): string {
  const { phase, reason, author, last, policies, soak, stop } = rollout
  const tone = phase === 'stopped' ? 'bad' : phase === 'done' ? 'good' : 'warn'
  return joinSections([
    [
      `${paint(tone, phase)} ${escapeForTerminal(`${reason}, by ${author}`)}`,
      escapeForTerminal(`last: ${last.what}, by ${last.by}, ${spanWords(nowMs - Date.parse(last.at))} ago`),
      ...(verdict === undefined ? [] : [`next: ${escapeForTerminal(nextWords(verdict))}`]),
      ...policies.map(({ name, sha256 }) => escapeForTerminal(`policy ${name} ${sha256}`)),
      escapeForTerminal(`soak ${soak}, stops at ${stop}`),
    ],
    ringRows(rings, nowMs, paint),
    rings.flatMap(troubleLines),
    later.map((to) => `${to} has a later assignment, which stays in force`),
  ])
}

function ringRows(rings: readonly ObservedRing[], nowMs: number, paint: Paint): readonly string[] {
  const header = ['ring', 'hosts', 'since', 'reported', ...MEASURES].map((text): Cell => ({ text, tone: 'dim' }))
  const rows = rings.map(({ name, hosts, releasedAtMs, count }): readonly Cell[] => [
    { text: escapeForTerminal(name), tone: 'strong' },
    { text: String(hosts.length) },
    { text: releasedAtMs === undefined ? '-' : spanWords(nowMs - releasedAtMs) },
    { text: count === undefined ? '-' : `${count.reported.length} of ${count.expected.length}` },
    ...MEASURES.map((measure): Cell => ({ text: count === undefined ? '-' : String(count[measure].length) })),
  ])
  return tableRows([header, ...rows], { firstNumber: Infinity, paint }).map((line) => line.trimEnd())
}

/** Number of hosts named per line. */
const SHOWN = 10

function troubleLines({ name, count }: ObservedRing): readonly string[] {
  if (count === undefined) return []
  const lists = [...MEASURES.map((measure) => [measure, count[measure]] as const), ['awaited', count.awaited] as const]
  return lists.flatMap(([word, hosts]) => {
    if (hosts.length === 0) return []
    const more = hosts.length > SHOWN ? ` and ${countOf(hosts.length - SHOWN, 'other')}` : ''
    return [escapeForTerminal(`${name}: ${word}: ${hosts.slice(0, SHOWN).join(', ')}${more}`)]
  })
}
