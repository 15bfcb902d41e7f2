import { whyNoDay } from '../../../core/calendar.ts'
import type { Problem } from '../../../core/problem.ts'
import { errorAt, type SourceText } from '../../../document/lines.ts'
import { entriesOf, member, textOf, type TreeNode } from '../../../document/tree.ts'

/** What came of a file: nothing where it has mistakes; what could not be carried over are warnings. */
export interface Imported {
  readonly value: unknown
  readonly problems: readonly Problem[]
}

/** What InSpec does not tell and driftgate asks of every waiver. */
export interface WaiverDefaults {
  readonly approver: string | undefined
  readonly expires: string | undefined
}

const FIELDS: ReadonlySet<string> = new Set(['justification', 'expiration_date', 'run', 'control_id'])

/** A waiver file of InSpec, a map from the ids of controls, as a file of waivers. */
export function importWaivers(source: SourceText, root: TreeNode, defaults: WaiverDefaults): Imported {
  if (root.kind !== 'map') {
    return {
      value: undefined,
      problems: [errorAt(source, root.offset, 'a waiver file of InSpec is a map from the ids of controls')],
    }
  }
  const errors: Problem[] = []
  const warnings: Problem[] = []
  const waivers = [...root.entries].map(([control, { keyOffset, value }]) => {
    const complain = (message: string): void => void errors.push(errorAt(source, keyOffset, `${control}: ${message}`))
    const warn = (message: string): void =>
      void warnings.push({ ...errorAt(source, keyOffset, `${control}: ${message}`), severity: 'warning' })
    const reason = textOf(member(value, 'justification')) ?? ''
    const expires = textOf(member(value, 'expiration_date')) ?? defaults.expires
    if (reason === '') complain('there is no justification')
    if (defaults.approver === undefined) complain('InSpec does not say who accepted it, give --approver NAME')
    if (expires === undefined) complain('it never ends in InSpec, and has to here: give --expires YYYY-MM-DD')
    else if (whyNoDay(expires) !== undefined) complain(`expiration_date ${whyNoDay(expires) ?? ''}`)
    if (/[*?#]/.test(control)) complain('an id with *, ? or # means something else in a waiver of driftgate')
    if (/^(?:false|no)$/i.test(textOf(member(value, 'run')) ?? '')) {
      warn('run: false is not carried over, what is waived is evaluated all the same')
    }
    for (const name of entriesOf(value).keys()) if (!FIELDS.has(name)) warn(`${name} is not carried over`)
    return { id: control, control, reason, approver: defaults.approver ?? '', expires: expires ?? '' }
  })
  return { value: errors.length > 0 ? undefined : { waivers }, problems: [...errors, ...warnings] }
}
