import { known, type Reading } from '../../../model/observation.ts'
import { RISKS } from '../../../model/risk.ts'
import type { Assignment } from '../../../settings/assignment.ts'
import { words } from '../../../settings/formats/words.ts'
import { pamArguments } from './pam-arguments.ts'
import { anyExists, parseAll } from '../../../settings/reading.ts'
import type { ConfigFiles, KeyRules, Surface } from '../../../settings/surface.ts'
import { byNumber, COUNTS, decimalOf, NUMBERS, VALUES } from '../../../settings/values.ts'

const MAIN = '/etc/security/faillock.conf'

/** Seconds; 0 and `never` are never. */
const TIMES = byNumber((value) => {
  const seconds = value === 'never' ? 0 : decimalOf(value)
  return seconds === 0 ? Number.POSITIVE_INFINITY : seconds
})

const isNumber = (value: string): boolean => /^\d/.test(value)

const FLAG: KeyRules = { order: VALUES, wins: 'last', isFlag: true }

const KEYS: Readonly<Record<string, KeyRules>> = {
  dir: { order: VALUES, wins: 'last', default: '/var/run/faillock' },
  deny: { order: COUNTS, wins: 'last', default: '3', takes: isNumber },
  fail_interval: { order: NUMBERS, wins: 'last', default: '900', takes: isNumber },
  unlock_time: { order: TIMES, wins: 'last', default: '600', takes: (value) => value === 'never' || isNumber(value) },
  // What unlock_time is, where it is not written.
  root_unlock_time: { order: TIMES, wins: 'last', takes: (value) => value === 'never' || isNumber(value) },
  admin_group: { order: VALUES, wins: 'last' },
  audit: FLAG,
  silent: FLAG,
  no_log_info: FLAG,
  local_users_only: FLAG,
  nodelay: FLAG,
  even_deny_root: FLAG,
}

/** When accounts are locked after failed logins. */
export const faillock: Surface = {
  name: 'faillock',
  summary:
    'The one file `/etc/security/faillock.conf`; the last line wins, and arguments of pam_faillock in `/etc/pam.d` win over it. A fix edits that line. 0 and `never` are longer than any time; a `deny` of 0 locks nobody, and is more than any number.',
  risk: RISKS.login,
  installed: (files) => anyExists(files, [MAIN, '/usr/sbin/faillock']),
  keyOf: (text) =>
    Object.hasOwn(KEYS, text)
      ? { section: '', key: text }
      : { problem: `is none: there are ${Object.keys(KEYS).join(', ')}` },
  rulesOf: ({ key }) => KEYS[key] ?? FLAG,
  read: readFaillock,
  writes: () => ({ file: MAIN, format: words }),
  activation: { kind: 'none' },
}

function readFaillock(files: ConfigFiles): Reading<readonly Assignment[]> {
  const written = parseAll(files, [MAIN], words)
  if (written.kind === 'unknown') return written
  const given = pamArguments(files, 'pam_faillock.so', 'auth')
  return given.kind === 'unknown' ? given : known([...written.value, ...given.value])
}
