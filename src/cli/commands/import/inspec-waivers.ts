import { whyNoDay } from '../../../model/calendar.ts'
import type { Problem } from '../../../model/problem.ts'
import { errorAt, type SourceText } from '../../../policy/document/lines.ts'
import { entriesOf, member, textOf, type TreeNode } from '../../../policy/document/tree.ts'
import { lastDayOf } from './inspec-date.ts'

/** Result of an import: undefined if nothing could be converted; otherwise unsupported parts are warnings. */
export interface Imported {
  readonly value: unknown
  readonly problems: readonly Problem[]
}

/** Fields that InSpec waivers lack and driftgate requires. */
export interface WaiverDefaults {
  readonly approver: string | undefined
  readonly expires: string | undefined
}

const FIELDS: ReadonlySet<string> = new Set(['justification', 'expiration_date', 'run', 'control_id'])

/** Converts an InSpec waiver file, a map from control ids, to a driftgate waiver file. */
export function importWaivers(source: SourceText, root: TreeNode, defaults: WaiverDefaults): Imported {
  if (root.kind !== 'map') {
    return {
      value: undefined,
      problems: [errorAt(source, root.offset, 'an InSpec waiver file must be a map from control ids')],
    }
  }
  const problems: Problem[] = []
  const waivers = [...root.entries].flatMap(([control, { keyOffset, value }]) => {
    const tell = (message: string): void =>
      void problems.push({ ...errorAt(source, keyOffset, `${control}: ${message}`), severity: 'warning' })
    const { waiver, problems: own } = readWaiver(control, value, defaults)
    for (const each of own) tell(`not imported: ${each}`)
    if (/^(?:false|no)$/i.test(textOf(member(value, 'run')) ?? '')) {
      tell('run: false is not converted: waived controls are still evaluated')
    }
    for (const name of entriesOf(value).keys()) if (!FIELDS.has(name)) tell(`${name} is not converted`)
    return own.length === 0 ? [waiver] : []
  })
  if (waivers.length > 0 || root.entries.size === 0) return { value: { waivers }, problems }
  return { value: undefined, problems: problems.map((problem) => ({ ...problem, severity: 'error' })) }
}

interface ReadWaiver {
  readonly waiver: Readonly<Record<'id' | 'control' | 'reason' | 'approver' | 'expires', string>>
  /** Reasons why it cannot be converted; empty if it can. */
  readonly problems: readonly string[]
}

function readWaiver(control: string, value: TreeNode, { approver, expires: usual }: WaiverDefaults): ReadWaiver {
  const reason = textOf(member(value, 'justification')) ?? ''
  const written = textOf(member(value, 'expiration_date')) ?? ''
  const last = written === '' ? usualEnd(usual) : lastDayOf(written)
  const problems = [
    reason === '' && 'missing justification',
    approver === undefined && 'missing approver: set --approver NAME, which InSpec files do not contain',
    'problem' in last && `${written === '' ? '' : 'expiration_date: '}${last.problem}`,
    /[*?#]/.test(control) && '*, ? and # have another meaning in a driftgate waiver',
  ]
  const expires = 'day' in last ? last.day : ''
  return {
    waiver: { id: control, control, reason, approver: approver ?? '', expires },
    problems: problems.filter((problem) => problem !== false),
  }
}

function usualEnd(usual: string | undefined): ReturnType<typeof lastDayOf> {
  if (usual === undefined) return { problem: 'missing expiry date: set --expires YYYY-MM-DD' }
  const problem = whyNoDay(usual)
  return problem === undefined ? { day: usual } : { problem: `--expires: ${problem}` }
}
