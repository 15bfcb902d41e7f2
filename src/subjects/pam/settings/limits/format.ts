import { withBlanksOfC } from '../../../../settings/blanks.ts'
import { known, unknown } from '../../../../model/observation.ts'
import { ANY_KEY, type Assignment } from '../../../../settings/assignment.ts'
import type { EditPlace, Format } from '../../../../settings/formats/format.ts'
import { mangledLine } from '../../../../settings/formats/lines.ts'

/** A synthetic line: the limits for `*` and for groups do not apply to root. */
export const ROOT_STANDS_ALONE: Assignment = {
  section: 'root',
  key: ANY_KEY,
  value: '0',
  file: '/etc/debian_version',
  line: 1,
}

/** The section of assignments for services whose sessions have no limits. */
export const UNLIMITED = 'sessions'

/** Bytes that pam_limits reads of a line. */
const LONGEST = 1022

/** `DOMAIN TYPE ITEM VALUE`; `-` sets both types, and `DOMAIN -` alone exempts a user or group. @see limits.conf(5) */
export const limitsFormat: Format = {
  name: 'limits',
  hasSections: false,
  parse(text, file) {
    const mangled = mangledLine(text, LONGEST)
    if (mangled !== undefined) return unknown('invalid', `${file}:${mangled}`)
    return known(text.split('\n').flatMap((line, index) => assignmentsOf(line, file, index + 1)))
  },
  set(text, place, [value = '']) {
    const [type = '', item = ''] = place.key.split('.')
    if (!withBlanksOfC(/^\S+$/).test(value))
      return { kind: 'refused', reason: `${JSON.stringify(value)} is not a limit` }
    const kept = removeLines(text, place)
    const lines = ['*', 'root'].map((domain) => `${domain} ${type} ${item} ${value}\n`)
    return { kind: 'edited', text: `${kept === '' || kept.endsWith('\n') ? kept : `${kept}\n`}${lines.join('')}` }
  },
  remove: (text, place) => ({ kind: 'edited', text: removeLines(text, place) }),
}

/** Removes a line for both types as a whole. */
function removeLines(text: string, { isSame }: EditPlace): string {
  return text
    .split('\n')
    .filter((line) => !assignmentsOf(line, '', 0).some(isSame))
    .join('\n')
}

function assignmentsOf(line: string, file: string, number: number): readonly Assignment[] {
  const [domain, type = '', item, value] = line
    .replace(/#.*/s, '')
    .split(/[ \t\v\f\r]+/)
    .filter((word) => word !== '')
  if (domain === undefined) return []
  const scope = domain === '*' ? {} : { scope: domain }
  const at = { section: '', file, line: number, ...scope }
  if (type === '-' && item === undefined) return domain === '*' ? [] : [{ ...at, key: ANY_KEY, value: 'unlimited' }]
  const types = type === '-' ? ['hard', 'soft'] : [type.toLowerCase()].filter((each) => /^(?:hard|soft)$/.test(each))
  if (item === undefined || value === undefined) return []
  // As strtol(3), which stops at the first character of another kind.
  const limit = value === '-' ? 'unlimited' : (/^[+-]?\d+/.exec(value)?.[0] ?? value.toLowerCase())
  return types.map((each) => ({ ...at, key: `${each}.${item.toLowerCase()}`, value: limit }))
}
