import { expect, test } from 'vitest'
import { loadSurfaces } from '../../src/subjects/index.ts'
import { effectiveOn, valueOn } from '../support/surface-oracle.ts'

const surfaces = await loadSurfaces()

/** libpwquality and chronyd take nothing of such a file. */
const REFUSED = expect.stringContaining('unknown: ') as string

// As their programs read them: apt-config dump, useradd, chronyd -p, postconf, pwscore and sh.
test.each([
  ['login.defs:PASS_MAX_DAYS', { '/etc/login.defs': 'PASS_MAX_DAYS\u00a090\n' }, '-1'],
  ['apt:APT::Install-Recommends', { '/etc/apt/apt.conf.d/x': 'APT::Install-Recommends\u00a0"false";\n' }, '1'],
  ['chrony:pool', { '/etc/chrony/chrony.conf': 'pool\u00a0ntp.example.net\n' }, REFUSED],
  ['postfix:inet_interfaces', { '/etc/postfix/main.cf': 'inet_interfaces\u2003= loopback-only\n' }, 'all'],
  ['pwquality:minlen', { '/etc/security/pwquality.conf': 'minlen\u00a0= 14\n' }, REFUSED],
])('to %s a no-break space is no blank', (name, files, value) => {
  const [, own = '', key = ''] = /^([^:]+):(.*)$/.exec(name) ?? []
  const surface = surfaces.find((each) => each.name === own)
  expect(surface && valueOn(surface, files, key)).toEqual(value)
})

/** The text of one file, in which what is said follows a comment of more than the 1,023 bytes that the program reads at once. */
const beyond = (text: string): string => `#${'x'.repeat(1_022)}${text}\n`

// As apt-config dump, chronyd -p, cvtsudoers, postconf, pwscore, rsyslogd, su and useradd have them.
test.each<[name: string, file: string, text: string, value: unknown]>([
  ['apt:X::a', '/etc/apt/apt.conf', 'X { a "1";\n', '1'],
  ['apt:X::a', '/etc/apt/apt.conf', '}; X::a "1";\n', '1'],
  ['apt:X::a', '/etc/apt/apt.conf', 'X\n{ a "b%20c"; }\n', 'b%20c'],
  ['apt:X::a', '/etc/apt/apt.conf', 'X::a b%20c;\n', 'b c'],
  ['apt:X::a', '/etc/apt/apt.conf', 'X::a "1" "2";\n', '1 2'],
  ['apt:X::a', '/etc/apt/apt.conf', 'X::a "\tx";\n', '        x'],
  ['apt:X::a', '/etc/apt/apt.conf', 'X::a "\\ \n1";\n', REFUSED],
  ['apt:X::a', '/etc/apt/apt.conf', 'X::a "1";\nX::a\nX::a "2";\n', REFUSED],
  ['apt:X::a', '/etc/apt/apt.conf', 'X::a "1";\n{ b "2"; };\n', REFUSED],
  ['apt:X::a', '/etc/apt/apt.conf', 'X\0::a "1";\n', REFUSED],
  ['chrony:pool', '/etc/chrony/chrony.conf', 'pool\ta \riburst\n', 'a iburst'],
  ['chrony:pool', '/etc/chrony/chrony.conf', 'pool a maxsouces 2\n', REFUSED],
  ['chrony:pool', '/etc/chrony/chrony.conf', 'pool a\nport x\n', REFUSED],
  ['chrony:pool', '/etc/chrony/chrony.conf', 'pool a\n\\\n', REFUSED],
  ['chrony:pool', '/etc/chrony/chrony.conf', 'pool a\ninclude /etc/none/*.conf\n', REFUSED],
  ['chrony:pool', '/etc/chrony/chrony.conf', 'pool a\ninclude /etc/chrony/a b\n', REFUSED],
  ['login.defs:PASS_MAX_DAYS', '/etc/login.defs', 'PASS_MAX_DAYS \r365\n', '\r365'],
  ['login.defs:PASS_MAX_DAYS', '/etc/login.defs', 'PASS_MAX_DAYS 365 "\\\r\n', '365 '],
  ['login.defs:PASS_MAX_DAYS', '/etc/login.defs', beyond('PASS_MAX_DAYS 9'), REFUSED],
  ['postfix:inet_interfaces', '/etc/postfix/main.cf', 'inet_interfaces = a\n\fb\n', 'a\fb'],
  ['postfix:inet_interfaces', '/etc/postfix/main.cf', 'inet_interfaces = a\ninet_interfaces b\n', REFUSED],
  ['postfix:inet_interfaces', '/etc/postfix/main.cf', 'compatibility_level = 3.,6\ninet_interfaces = a\n', REFUSED],
  ['limits:hard.core', '/etc/security/limits.conf', '*\vhard core\f0\n', '0'],
  ['limits:hard.core', '/etc/security/limits.conf', '* hard core 200\\\n', '200'],
  ['limits:hard.core', '/etc/security/limits.conf', '* hard core 0\0\n', REFUSED],
  ['limits:hard.core', '/etc/security/limits.conf', beyond('* hard core 0'), REFUSED],
  ['pwquality:minlen', '/etc/security/pwquality.conf', 'minlen = 14\n= 9\n', REFUSED],
  ['pwquality:minlen', '/etc/security/pwquality.conf', beyond('minlen = 14'), REFUSED],
  ['rsyslog:modules', '/etc/rsyslog.conf', '/* \0 */\n$ModLoad immark\n', REFUSED],
  ['rsyslog:modules', '/etc/rsyslog.conf', '$ModLoad \\\ufeff\n immark\n', REFUSED],
  ['sudoers:Defaults.logfile', '/etc/sudoers', 'Defaults logfile=/x\u00a0y\n', '/x\u00a0y'],
  ['sudoers:Defaults.logfile', '/etc/sudoers', 'Defaults logfile=/x\fy\n', '/x\fy'],
  ['sudoers:Defaults.use_pty', '/etc/sudoers', 'Defaults!/bin/id" !use_pty # why\nDefaults use_pty\n', 'true'],
  ['sudoers:Defaults.use_pty', '/etc/sudoers', '# x\0\nDefaults use_pty\n', REFUSED],
  ['useradd:HOME', '/etc/default/useradd', 'HOME=/x \\\r\n', '/x \\\r'],
  ['useradd:HOME', '/etc/default/useradd', beyond('HOME=/x'), REFUSED],
])('%s of %s with %j', (name, file, text, value) => {
  const [, own = '', key = ''] = /^([^:]+):(.*)$/.exec(name) ?? []
  const surface = surfaces.find((each) => each.name === own)
  expect(surface && valueOn(surface, { [file]: text }, key)).toEqual(value)
})

test('a # behind the path of an include of sudoers is a part of it', () => {
  const files = {
    '/etc/sudoers': '@include /etc/a#\n',
    '/etc/a': 'Defaults !use_pty\n',
    '/etc/a#': 'Defaults use_pty\n',
  }
  const sudoers = surfaces.find((each) => each.name === 'sudoers')
  expect(sudoers && valueOn(sudoers, files, 'Defaults.use_pty')).toBe('true')
})

test('a quotation mark in a command of Defaults is literal', () => {
  const files = { '/etc/sudoers': 'Defaults!/bin/id" !use_pty # why\n' }
  const sudoers = surfaces.find((each) => each.name === 'sudoers')
  const effective = sudoers && effectiveOn(sudoers, files, 'Defaults.use_pty')
  expect(JSON.stringify(effective)).toContain('"scope":"Defaults!/bin/id\\""')
})
