import { padColumns, widestOf, wrapLine } from '../../../model/columns.ts'
import { compareExits, EXIT } from '../../../model/gate.ts'
import { ownNameOf } from '../../../model/host-name.ts'
import type { Run, ScannedTarget } from '../../../model/run.ts'
import { FAILURES, VERDICTS } from '../../../model/verdict.ts'
import { VERDICT_TONES } from '../../format.ts'
import type { Page } from './page.ts'

/** A line for each target of a scan of several, worst first; stable. */
export function targetLines({ targets = [], policies }: Run, page: Page): readonly string[] {
  if (targets.length === 0) return []
  const { escape, paint, width } = page
  const rows = targets.toSorted(worstFirst).map((target) => ({
    exit: paint(target.exit.code === EXIT.ok ? 'good' : 'bad', `exit ${target.exit.code}`.padEnd(LONGEST_EXIT)),
    name: escape(bothNames(target, policies)),
    about: describe(target, page),
  }))
  const column = widestOf(rows.map(({ name }) => name))
  const lines = rows.flatMap(({ exit, name, about }) =>
    wrapLine(`  ${exit}  ${padColumns(name, column)}  ${about}`, width, LONGEST_EXIT + 4),
  )
  return [paint('strong', 'targets, worst first'), ...lines]
}

function bothNames({ name }: ScannedTarget, policies: Run['policies']): string {
  const origin = policies.find(({ target }) => target === name)?.origin
  const own = origin && ownNameOf(origin.target)
  return own === undefined ? name : `${name} (${own})`
}

const LONGEST_EXIT = 'exit 143'.length

function worstFirst(left: ScannedTarget, right: ScannedTarget): number {
  return compareExits(left.exit.code, right.exit.code) || troubleOf(right) - troubleOf(left)
}

function troubleOf({ summary }: ScannedTarget): number {
  return FAILURES.reduce((sum, verdict) => sum + summary[verdict], 0)
}

function describe({ summary, exit, reason }: ScannedTarget, { escape, paint }: Page): string {
  if (reason !== undefined) return escape(exit.reasons.join('; '))
  const counts = VERDICTS.filter((verdict) => summary[verdict] > 0)
  return counts.map((verdict) => paint(VERDICT_TONES[verdict], `${summary[verdict]} ${verdict}`)).join(', ')
}
