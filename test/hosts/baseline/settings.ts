import type { Rule } from './rule.ts'

const LOGIN_DEFS: readonly (readonly [key: string, value: unknown, wrong: string])[] = [
  ['PASS_MAX_DAYS', { at_least: 1, at_most: 365 }, '99999'],
  ['PASS_MIN_DAYS', { at_least: 1 }, '0'],
  ['PASS_WARN_AGE', { at_least: 7 }, '3'],
  ['UMASK', '027', '022'],
  ['ENCRYPT_METHOD', { one_of: ['YESCRYPT', 'SHA512'] }, 'MD5'],
]

/** The last line of a key counts. */
const loginDefs = LOGIN_DEFS.map(([key, value, wrong]): Rule => {
  return {
    type: 'setting',
    name: `login.defs:${key}`,
    properties: { value },
    violation: `echo '${key} ${wrong}' >> /etc/login.defs`,
    drift: [['value', wrong]],
  }
})

const JOURNALD: readonly (readonly [key: string, value: string, wrong: string])[] = [
  ['Storage', 'persistent', 'volatile'],
  ['Compress', 'yes', 'no'],
  ['ForwardToSyslog', 'no', 'yes'],
]

/** A drop-in of somebody else wins once that of the fix is gone. */
const journald = JOURNALD.map(([key, value, wrong]): Rule => {
  const directory = '/etc/systemd/journald.conf.d'
  return {
    type: 'setting',
    name: `journald:${key}`,
    properties: { value },
    violation: `mkdir -p ${directory}; rm -f ${directory}/*driftgate*
      printf '[Journal]\\n${key}=${wrong}\\n' > ${directory}/50-${key}.conf`,
    drift: [['value', wrong]],
  }
})

/** Settings of programs, each in the file that its program reads. */
export const settings: readonly Rule[] = [...loginDefs, ...journald]
