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

/** A foreign drop-in wins once that of the fix is gone. */
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

/** Without a wrong value it is the default that is too wide. */
const SSHD: readonly (readonly [key: string, value: unknown, wrong: string | undefined, found?: string])[] = [
  ['PermitRootLogin', 'no', 'yes'],
  ['PermitEmptyPasswords', 'no', 'yes'],
  ['HostbasedAuthentication', 'no', 'yes'],
  ['IgnoreRhosts', 'yes', 'no'],
  ['MaxAuthTries', { at_most: 4 }, '6'],
  ['MaxSessions', { at_most: 10 }, '20'],
  // Up to 9.2 the last line of this one counts, so that a file that is read first cannot overrule others.
  ['MaxStartups', { at_most: '10:30:60' }, undefined, '10:30:100'],
  ['LoginGraceTime', { at_least: '1s', at_most: '60s' }, '120'],
  ['ClientAliveInterval', { at_least: '1s', at_most: '15m' }, '0'],
  ['ClientAliveCountMax', { at_least: 1, at_most: 4 }, '0'],
  ['LogLevel', { one_of: ['VERBOSE', 'INFO'] }, 'QUIET'],
  ['UsePAM', 'yes', 'no'],
  ['PermitUserEnvironment', 'no', 'yes'],
  ['GSSAPIAuthentication', 'no', 'yes'],
  ['DisableForwarding', 'yes', 'no'],
  ['Banner', '/etc/issue.net', 'none'],
]

/** The first line counts, and this one is read before that of the fix would be. */
const ssh = SSHD.map(([key, value, wrong, found = wrong]): Rule => {
  return {
    type: 'setting',
    name: `sshd:${key}`,
    properties: { value },
    violation: `cd /etc/ssh/sshd_config.d; rm -f *driftgate*; ${wrong === undefined ? '' : `echo '${key} ${wrong}' >> 10-vendor.conf`}`,
    drift: [['value', found]],
  }
})

/** Settings of programs, each in the file that its program reads. */
export const settings: readonly Rule[] = [...loginDefs, ...journald, ...ssh]
