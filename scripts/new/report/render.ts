import { escapeForTerminal } from '../../../model/escape.ts'
import type { Run } from '../../../model/run.ts'
import { findingsOf, nameOf } from '../../words/finding.ts'
import { findTrouble } from '../../words/run-remarks.ts'

// A report is pure: the same run gives the same bytes; it prints nothing, reads no clock and touches no file. As it stands,
// it has a line for each finding. Put in its place what the readers of the format want.

/** What was found, a line for each finding, after what keeps the scan from being whole; the exit code is last. */
export function render(run: Run): string {
  // Good results alone, or none at all, would hide that the scan proves nothing.
  const trouble = findTrouble(run)?.lines ?? []
  // Text of the machine goes through the escape function of the syntax; core and report/words have several.
  const findings = findingsOf(run).map(({ state, result, text }) =>
    escapeForTerminal(`${state} ${nameOf(result)}: ${text}`),
  )
  return [...trouble, ...findings, `exit ${run.exit.code}`].map((line) => `${line}\n`).join('')
}
