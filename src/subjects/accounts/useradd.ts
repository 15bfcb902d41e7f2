import type { Format } from '../../settings/formats/format.ts'
import { lineFormat } from '../../settings/formats/lines.ts'
import { anyExists, parseAll } from '../../settings/reading.ts'
import type { KeyRules, Surface } from '../../settings/surface.ts'
import { byNumber, cNumberOf, VALUES } from '../../settings/values.ts'

const FILE = '/etc/default/useradd'

/** As useradd reads it, which is no shell: quotes and spaces belong to the value. */
const lines = lineFormat({
  name: 'useradd',
  assignment: /^(?<lead>)(?<key>[A-Z_]+)(?<between>=)(?<value>.*)(?<tail>)$/,
  comment: /^#/,
  longest: 1023,
  between: '=',
})

const format: Format = { ...lines, keepsReturns: true }

/** Days; -1 is never. What is no number is ignored, and so is what is below. */
const DAYS = byNumber((value) => {
  const days = cNumberOf(value)
  return days === undefined || days < 0 ? Number.POSITIVE_INFINITY : days
})

const KEYS: Readonly<Record<string, KeyRules>> = {
  INACTIVE: { order: DAYS, wins: 'last', default: '-1' },
  HOME: { order: VALUES, wins: 'last', default: '/home' },
  SKEL: { order: VALUES, wins: 'last', default: '/etc/skel' },
  EXPIRE: { order: VALUES, wins: 'last', default: '' },
}

/** What new accounts get. */
export const useradd: Surface = {
  name: 'useradd',
  summary:
    'The file `/etc/default/useradd`; the last line of a key wins. A fix edits that line. Existing accounts are not affected. `INACTIVE` -1 means never.',
  installed: (files) => anyExists(files, [FILE, '/usr/sbin/useradd']),
  keyOf: (text) =>
    /^[A-Z_]+$/.test(text) ? { section: '', key: text } : { problem: 'must be a key such as INACTIVE' },
  rulesOf: ({ key }) => KEYS[key] ?? { order: VALUES, wins: 'last' },
  read: (files) => parseAll(files, [FILE], format),
  writes: () => ({ file: FILE, format }),
  activation: { kind: 'none' },
}
