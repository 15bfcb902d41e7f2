import { pathsIn } from '../../../host/paths-in.ts'
import { known, type Reading, unknown } from '../../../model/observation.ts'
import { RISKS } from '../../../model/risk.ts'
import type { Assignment } from '../../../settings/assignment.ts'
import { resolveByRules } from '../../../settings/effective.ts'
import { words } from '../../../settings/formats/words.ts'
import { assignmentsOfLines, markUnused, readPamLines, resolveModule } from './pam-lines.ts'
import { anyExists, parseAll } from '../../../settings/reading.ts'
import type { ConfigFiles, KeyRules, Surface } from '../../../settings/surface.ts'
import { byNumber, COUNTS, decimalOf, NUMBERS, VALUES } from '../../../settings/values.ts'

const MAIN = '/etc/security/pwquality.conf'

const DEFAULTS: Readonly<Record<string, string>> = {
  difok: '1',
  minlen: '8',
  dcredit: '0',
  ucredit: '0',
  lcredit: '0',
  ocredit: '0',
  minclass: '0',
  maxrepeat: '0',
  maxclassrepeat: '0',
  maxsequence: '0',
  usersubstr: '0',
  retry: '1',
}

const FLAG: KeyRules = { order: VALUES, wins: 'last', isFlag: true }

/** Any number except 0 enables the setting. @see pwquality.conf(5), "If nonzero" */
const SWITCH: KeyRules = {
  order: byNumber((text) => {
    const number = decimalOf(text)
    return number === undefined ? undefined : Math.sign(Math.abs(number))
  }),
  wins: 'last',
  default: '1',
  switch: ['1', '0'],
}
const TEXT: KeyRules = { order: VALUES, wins: 'last' }

/** Settings that 0 disables. */
const LIMITS: readonly string[] = ['maxrepeat', 'maxclassrepeat', 'maxsequence', 'usersubstr']

/** `badwords` and `dictpath` are strings, all others are numbers. */
const OTHERS: Readonly<Record<string, KeyRules>> = {
  dictcheck: SWITCH,
  enforcing: SWITCH,
  usercheck: SWITCH,
  gecoscheck: { ...SWITCH, default: '0' },
  enforce_for_root: FLAG,
  local_users_only: FLAG,
  badwords: TEXT,
  dictpath: TEXT,
}

/** Password quality requirements. */
export const pwquality: Surface = {
  name: 'pwquality',
  summary:
    '`/etc/security/pwquality.conf.d/*.conf` in name order, then `/etc/security/pwquality.conf`; the last line wins. Arguments of pam_pwquality in `/etc/pam.d` override the files. Without a service that runs pam_pwquality, defaults have no effect. A fix edits the main file. For `maxrepeat`, `maxclassrepeat`, `maxsequence` and `usersubstr`, 0 means no limit and exceeds every number.',
  risk: RISKS.login,
  installed: (files) => anyExists(files, [MAIN, '/usr/lib/security/pam_pwquality.so', '/usr/bin/pwscore']),
  keyOf: (text) =>
    Object.hasOwn(DEFAULTS, text) || Object.hasOwn(OTHERS, text)
      ? { section: '', key: text }
      : { problem: `is unknown: use one of ${[...Object.keys(DEFAULTS), ...Object.keys(OTHERS)].join(', ')}` },
  sameKey: (left, right) => left.key.toLowerCase() === right.key.toLowerCase(),
  rulesOf: ({ key }) => OTHERS[key] ?? numberWith(DEFAULTS[key], LIMITS.includes(key) ? COUNTS : NUMBERS),
  read: readPwquality,
  resolve: (assignments, rules) => resolveModule(assignments, (written) => resolveByRules(written, rules)),
  writes: () => ({ file: MAIN, format: words }),
  activation: { kind: 'none' },
}

function numberWith(preset: string | undefined, order: KeyRules['order']): KeyRules {
  return { order, wins: 'last', ...(preset === undefined ? {} : { default: preset }) }
}

function readPwquality(files: ConfigFiles): Reading<readonly Assignment[]> {
  const written = readPwqualityFiles(files)
  if (written.kind === 'unknown') return written
  const lines = readPamLines(files, 'pam_pwquality', 'password')
  if (lines.kind === 'unknown') return lines
  return known([...written.value, ...assignmentsOfLines(lines.value), ...markUnused(lines.value, 'pam_pwquality')])
}

/** Reads the files in the order of libpwquality. */
export function readPwqualityFiles(files: Pick<ConfigFiles, 'names' | 'text'>): Reading<readonly Assignment[]> {
  const dropIns = pathsIn(files, [`${MAIN}.d`], (name) => name.endsWith('.conf'))
  if (dropIns.kind === 'unknown') return dropIns
  const written = parseAll(files, [...dropIns.value, MAIN], words)
  if (written.kind === 'unknown') return written
  const strange = written.value.find((each) => !isUnderstood(each))
  if (strange !== undefined) {
    const { file, line, key } = strange
    return unknown('invalid', `${file}:${line}: libpwquality rejects ${key} there and may enforce nothing`)
  }
  return written
}

/** Whether libpwquality accepts the line: it aborts at an invalid one. */
function isUnderstood({ key, value }: Assignment): boolean {
  const name = key.toLowerCase()
  return Object.hasOwn(DEFAULTS, name) ? /^[+-]?\d+$/.test(value) : Object.hasOwn(OTHERS, name)
}
