import { defined } from '../../model/defined.ts'
import type { Result } from '../../model/problem.ts'
import { type Waiver, WARN_DAYS } from '../../model/waiver.ts'
import type { OptionsOf, OptionSpecs } from '../command.ts'

/** Options of commands that judge waivers. */
export const WAIVER_RULES = {
  'max-waiver-days': {
    kind: 'value',
    group: 'Gate:',
    placeholder: 'DAYS',
    complain: noDays,
    summary: 'Refuse waivers in force for more than DAYS',
  },
  'warn-days': {
    kind: 'value',
    group: 'Gate:',
    placeholder: 'DAYS',
    complain: noDays,
    summary: `List waivers that expire within DAYS (default: ${WARN_DAYS})`,
  },
} as const satisfies OptionSpecs

/** Options of a scan with waivers. */
export const WAIVER_OPTIONS = {
  waivers: {
    kind: 'list',
    group: 'Gate:',
    placeholder: 'FILE',
    holds: 'path',
    summary: 'Accept the drift covered by these waivers (repeatable)',
  },
  ...WAIVER_RULES,
} as const satisfies OptionSpecs

type Rules = OptionsOf<typeof WAIVER_RULES>

/** Days before its end from which a waiver causes a warning. */
export function warnDaysOf({ 'warn-days': days }: Rules): number {
  return days === undefined ? WARN_DAYS : Number(days)
}

/** Reads waiver files under the operator's rules. The reader is loaded on the first call. */
export async function readWaiverFiles(
  paths: readonly string[],
  { 'max-waiver-days': maxDays }: Rules,
  today?: string,
): Promise<Result<readonly Waiver[]>> {
  const { loadWaivers } = await import('../../policy/waivers/load.ts')
  return loadWaivers(paths, {
    ...defined({ today }),
    ...(maxDays === undefined ? {} : { maxDays: Number(maxDays) }),
  })
}

/** More digits are never needed, and would exceed exact integers. */
const MOST_DAYS_DIGITS = 6

function noDays(text: string): string | undefined {
  return /^\d+$/.test(text) && text.length <= MOST_DAYS_DIGITS ? undefined : 'must be a whole number of days'
}
