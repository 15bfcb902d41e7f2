import { escapeForTerminal } from '../../../model/escape.ts'
import type { StoredAssignment } from '../../../fleet/nats/assignments.ts'
import type { StoredEntry } from '../../../fleet/nats/audit.ts'
import type { Paint } from '../../output/color.ts'
import { type Cell, tableRows } from '../../output/table.ts'

/** Length of a shortened digest. */
const DIGITS = 12

/** One line per assignment. */
export function showAssignments(stored: readonly StoredAssignment[], paint: Paint): string {
  if (stored.length === 0) return 'no assignments; "driftgate fleet assign" creates one\n'
  const rows = stored.map(({ to, storedAtMs, isWithdrawn, said }): readonly Cell[] => {
    const begin: readonly Cell[] = [{ text: to, tone: 'strong' }]
    if ('message' in said) {
      const why = isWithdrawn ? { text: said.message } : refusalCell('no host accepts it', said.message)
      return [...begin, { text: '-' }, { text: timeOf(storedAtMs) }, { text: '-' }, why]
    }
    const { version, at, author, policies, interval, reason } = said.assignment
    const named = policies.map(({ name, sha256 }) => `${name}@${sha256.slice(0, DIGITS)}`).join(' ')
    const every = interval === undefined ? '' : ` every ${interval}`
    return [
      ...begin,
      { text: String(version) },
      { text: timeOf(Date.parse(at)) },
      { text: escapeForTerminal(author) },
      { text: escapeForTerminal(`${named}${every}: ${reason}`) },
    ]
  })
  return tableOf(['to', 'version', 'since', 'by', 'content and reason'], rows, paint)
}

/** One line per selected act. */
export function showAudit(stored: readonly StoredEntry[], all: readonly StoredEntry[], paint: Paint): string {
  if (all.length === 0) return 'no activity yet\n'
  if (stored.length === 0)
    return `no matching activity; recorded acts: ${actsIn(all).map(escapeForTerminal).join(', ')}\n`
  const rows = stored.map(({ storedAtMs, said }): readonly Cell[] => {
    if ('message' in said)
      return [{ text: timeOf(storedAtMs) }, { text: '-' }, { text: '-' }, refusalCell('not verified', said.message)]
    const { at, act, author, about, text } = said.entry
    return [
      { text: timeOf(Date.parse(at)) },
      { text: escapeForTerminal(act), tone: 'strong' },
      { text: escapeForTerminal(author) },
      { text: escapeForTerminal(`${about}: ${text}`) },
    ]
  })
  return tableOf(['when', 'act', 'by', 'what'], rows, paint)
}

function actsIn(stored: readonly StoredEntry[]): readonly string[] {
  const acts = stored.flatMap(({ said }) => ('entry' in said ? [said.entry.act] : []))
  return [...new Set(acts)].toSorted()
}

function refusalCell(what: string, why: string): Cell {
  return { text: escapeForTerminal(`${what}: ${why}`), tone: 'bad' }
}

function tableOf(header: readonly string[], rows: readonly (readonly Cell[])[], paint: Paint): string {
  const titles = header.map((text): Cell => ({ text, tone: 'dim' }))
  return tableRows([titles, ...rows], { firstNumber: Infinity, paint })
    .map((line) => `${line.trimEnd()}\n`)
    .join('')
}

/** Time to the second, in UTC. */
export function timeOf(ms: number): string {
  return new Date(ms).toISOString().replace('T', ' ').replace(/\..*/, 'Z')
}
