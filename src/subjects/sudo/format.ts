import { known } from '../../model/observation.ts'
import type { Assignment } from '../../settings/assignment.ts'
import type { Edited, EditPlace, Format } from '../../settings/formats/format.ts'
import { sudoersLines } from './lines.ts'
import { NO_AUTHENTICATE, NOPASSWD, readStatement } from './statements.ts'

/** Defaults lines with one option each. User rules are never written or removed. */
export const sudoersFormat: Format = {
  name: 'sudoers',
  hasSections: false,
  parse: (text, file) => known(assignmentsIn(text, file)),
  set(text, place, [value = '']) {
    if (isGrant(place)) return { kind: 'refused', reason: GRANTS }
    if (/[\n\r\0"\\]/.test(value))
      return { kind: 'refused', reason: `${JSON.stringify(value)} cannot be written to sudoers` }
    const name = place.key.replace(/^Defaults\./, '')
    const option =
      { true: name, false: `!${name}` }[value] ?? `${name}=${/^[\w./-]+$/.test(value) ? value : `"${value}"`}`
    const kept = removeLines(text, place)
    return kept.kind === 'refused' ? kept : { kind: 'edited', text: `${withEnd(kept.text)}Defaults ${option}\n` }
  },
  remove: (text, place) => (isGrant(place) ? { kind: 'refused', reason: GRANTS } : removeLines(text, place)),
}

const GRANTS = 'the rule may be the only access of a user: edit it with visudo'

function isGrant({ key }: EditPlace): boolean {
  return key === NOPASSWD || key === NO_AUTHENTICATE
}

function assignmentsIn(text: string, file: string): readonly Assignment[] {
  return sudoersLines(text).flatMap((line) => {
    const statement = readStatement(line, file)
    return statement.kind === 'assignments' ? statement.assignments : []
  })
}

/** Removes lines with only this option. */
function removeLines(text: string, { isSame }: EditPlace): Edited {
  const all = assignmentsIn(text, '')
  const own = all.filter(isSame)
  const shared = own.find(({ line }) => all.some((each) => each.line === line && !isSame(each)))
  if (shared !== undefined)
    return { kind: 'refused', reason: `line ${shared.line} sets other options, too: change it by hand` }
  const lines = text.split('\n')
  const isContinued = own.some(({ line }) => lines[line - 1]?.endsWith('\\'))
  if (isContinued) return { kind: 'refused', reason: 'a fix does not change continued lines: change it by hand' }
  return { kind: 'edited', text: lines.filter((_, index) => !own.some(({ line }) => line === index + 1)).join('\n') }
}

function withEnd(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`
}
