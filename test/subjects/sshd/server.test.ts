import { expect, test } from 'vitest'
import { known } from '../../../src/model/observation.ts'
import { effectiveOf, valueOf } from '../../../src/settings/effective.ts'
import { recordFiles } from '../../../src/settings/files.ts'
import { sshd } from '../../../src/subjects/sshd/index.ts'
import type { ConfigFiles } from '../../../src/settings/surface.ts'
import { LINK, machineOf } from '../../support/setting-machine.ts'

const UNIT = '/usr/lib/systemd/system/ssh.service'

const filesOf = (files: Readonly<Record<string, string>>): ConfigFiles => {
  return recordFiles(machineOf({ '/etc/ssh/sshd_config': '', '/usr/sbin/sshd': '', ...files })).files
}

/** The value with where it is written, or why it is not known. */
function used(files: ConfigFiles, key: string): string | undefined {
  const read = sshd.read(files)
  if (read.kind === 'unknown') return `${read.reason}: ${read.detail}`
  const effective = effectiveOf(sshd, read.value, { section: '', key })
  if (effective.kind === 'unknown') return `${effective.reason}: ${effective.detail}`
  const [{ winners }] = effective.value
  const at = winners.map(({ file, line }) => ` ${file}:${line}`).join('')
  const value = valueOf(effective.value[0], sshd.rulesOf({ section: '', key }, files))
  return value === undefined ? undefined : `${value}${at}`
}

// As `sshd -T` of OpenSSH 9.2 reads them.
test.each([
  ['=MaxAuthTries 4\n', '4 /etc/ssh/sshd_config:1'],
  ['\f\n', 'invalid: /etc/ssh/sshd_config:1: \f has no value, so sshd does not start'],
  [
    'PermitTunnel yes,\n',
    'invalid: /etc/ssh/sshd_config:1: PermitTunnel yes, is not a valid value, so sshd does not start',
  ],
  ['LogLevel all\n', 'invalid: /etc/ssh/sshd_config:1: LogLevel all is not a valid value, so sshd does not start'],
  [
    'AuthenticationMethods publickey,;\n',
    'invalid: /etc/ssh/sshd_config:1: AuthenticationMethods publickey,; is not a valid value, so sshd does not start',
  ],
  [
    'MaxStartups 10:0:60\n',
    'invalid: /etc/ssh/sshd_config:1: MaxStartups 10:0:60 is not a valid value, so sshd does not start',
  ],
  ['Ciphers none\n', 'invalid: /etc/ssh/sshd_config:1: Ciphers none is not a valid value, so sshd does not start'],
  ['AcceptEnv A=b\n', 'invalid: /etc/ssh/sshd_config:1: AcceptEnv A=b is not a valid value, so sshd does not start'],
  [
    'Include /etc/ssh\\\\/x\n',
    'invalid: /etc/ssh/sshd_config:1: the backslash in Include /etc/ssh\\/x is not followed',
  ],
])('a file that sshd rejects is unknown: %j', (text, expected) => {
  expect(used(filesOf({ '/etc/ssh/sshd_config': text }), 'MaxAuthTries')).toBe(expected)
})

// As sshd -T of OpenSSH 9.2 answers them.
test.each([
  ['PermitOpen db:0', 'PermitOpen db:0 is not a valid value'],
  ['Port 65536', 'Port 65536 is not a valid value'],
  ['ListenAddress [::]:0', 'ListenAddress [::]:0 is not a valid value'],
  ['Match LocalPort 99999', 'invalid condition "Match LocalPort 99999"'],
  ['ChannelTimeout session=5x', 'ChannelTimeout session=5x is not a valid value'],
  ['RekeyLimit DEFAULT none', 'RekeyLimit DEFAULT none is not a valid value'],
  ['AllowUsers ann@10.0.0.1/8', 'ann@10.0.0.1/8 is not a valid pattern of users'],
  ['AuthorizedKeysCommand /usr/bin/keys', 'AuthorizedKeysCommand is set without AuthorizedKeysCommandUser'],
  [
    'Match all\nAuthorizedPrincipalsCommand /x',
    'AuthorizedPrincipalsCommand is set without AuthorizedPrincipalsCommandUser',
  ],
  ['AuthenticationMethods hostbased', 'AuthenticationMethods hostbased needs a disabled method'],
  [
    'PasswordAuthentication no\nAuthenticationMethods publickey,password',
    'AuthenticationMethods publickey,password needs a disabled method',
  ],
])('sshd does not start with %j', (text, why) => {
  const said = used(filesOf({ '/etc/ssh/sshd_config': text }), 'MaxAuthTries')
  expect(said).toMatch(/^invalid: .*so sshd does not start$/)
  expect(said).toContain(why)
})

test.each([
  'AuthorizedKeysCommand /x\nAuthorizedKeysCommandUser none',
  'AuthorizedKeysCommand NONE',
  'Match User ann\nAuthorizedKeysCommand /x',
  'AuthenticationMethods hostbased publickey',
  'AuthenticationMethods keyboard-interactive:pam',
  'Match User ann\nAuthenticationMethods hostbased',
  'AllowUsers ann@10.0.0.0/8,*.example.org',
  'ClientAliveInterval +5',
])('sshd starts with %j', (text) => {
  expect(used(filesOf({ '/etc/ssh/sshd_config': `MaxAuthTries 3\n${text}` }), 'MaxAuthTries')).toMatch(/^3 /)
})

// From systemd.service(5) and systemd.exec(5); which option takes a value from sshd(8).
test.each([
  [
    'a word of the command line',
    { [UNIT]: '[Service]\nExecStart=/usr/sbin/sshd -D -oMaxAuthTries=3\n' },
    `3 ${UNIT}:2`,
  ],
  [
    'several letters in one word',
    { [UNIT]: '[Service]\nExecStart=/usr/sbin/sshd -Deo "MaxAuthTries 3"\n' },
    `3 ${UNIT}:2`,
  ],
  [
    'a drop-in that takes back what the unit says',
    {
      [UNIT]: '[Service]\nExecStart=/usr/sbin/sshd -oMaxAuthTries=3\n',
      '/etc/systemd/system/ssh.service.d/x.conf': '[Service]\nExecStart=\nExecStart=/usr/sbin/sshd -oMaxAuthTries=2\n',
    },
    '2 /etc/systemd/system/ssh.service.d/x.conf:3',
  ],
  [
    'a drop-in below an alias, and one of all services',
    {
      [UNIT]: '[Service]\nExecStart=/usr/sbin/sshd -oMaxAuthTries=3\n',
      '/etc/systemd/system/sshd.service': `${LINK}${UNIT}`,
      '/etc/systemd/system/sshd.service.d/x.conf': '[Service]\nExecStart=\nExecStart=/usr/sbin/sshd $OPTS\n',
      '/etc/systemd/system/service.d/y.conf': '\uFEFF[Service]\nEnvironment=OPTS=-oMaxAuthTries=2\n',
    },
    '2 /etc/systemd/system/service.d/y.conf:2',
  ],
  [
    'a drop-in below a copy, which is a unit of its own',
    {
      [UNIT]: '[Service]\nExecStart=/usr/sbin/sshd -oMaxAuthTries=3\n',
      '/etc/systemd/system/sshd.service': '[Service]\nExecStart=/usr/sbin/sshd -oMaxAuthTries=3\n',
      '/etc/systemd/system/sshd.service.d/x.conf': '[Service]\nExecStart=\nExecStart=/usr/sbin/sshd -oMaxAuthTries=2\n',
    },
    `3 ${UNIT}:2`,
  ],
  [
    'another configuration',
    {
      [UNIT]: '[Service]\nEnvironment="FILE=/srv/sshd"\nExecStart=/usr/sbin/sshd -D -f ${FILE}\n',
      '/srv/sshd': '\nMaxAuthTries 4\n',
      '/etc/ssh/sshd_config': 'MaxAuthTries 1\n',
    },
    '4 /srv/sshd:2',
  ],
  [
    'words of a variable, as on Red Hat',
    {
      '/usr/lib/systemd/system/sshd.service':
        '[Service]\nEnvironmentFile=-/etc/crypto\nEnvironmentFile=-/etc/sysconfig/sshd\nExecStart=/usr/sbin/sshd -D $OPTIONS\n',
      '/etc/sysconfig/sshd': '# options\nOPTIONS=-u0 -o MaxAuthTries=5\n',
    },
    '5 /etc/sysconfig/sshd:2',
  ],
  ['no unit at all', { '/etc/ssh/sshd_config': 'MaxAuthTries 7\n' }, '7 /etc/ssh/sshd_config:1'],
])('%s', (_name, files, expected) => {
  expect(used(filesOf(files), 'MaxAuthTries')).toBe(expected)
})

const program = (...texts: readonly string[]): ConfigFiles => filesOf({ '/usr/sbin/sshd': `\0${texts.join('\0')}\0` })

// The defaults of an untested version, and of a program without a version, are unknown.
test.each([
  ['OpenSSH_9.6p1 Ubuntu-3', 'PermitRootLogin', 'prohibit-password'],
  ['OpenSSH_8.0p1', 'RequiredRSASize', undefined],
  ['OpenSSH_9.9p1', 'RequiredRSASize', '1024'],
  ['OpenSSH_8.0p1', 'KbdInteractiveAuthentication', undefined],
  ['OpenSSH_7.4p1', 'PermitRootLogin', undefined],
  ['OpenSSH_12.0p1', 'PermitRootLogin', undefined],
  ['OpenSSH_6.6*', 'PermitRootLogin', undefined],
])('%s: nothing sets %s', (version, key, expected) => {
  expect(used(program(version), key)).toBe(expected)
})

test('of two lists of one kind, as where one is for FIPS, none is taken for the one that counts', () => {
  const one = program('OpenSSH_8.7p1', 'aes256-ctr,aes128-ctr')
  const two = program('OpenSSH_8.7p1', 'aes256-ctr,aes128-ctr', 'aes128-ctr,aes192-ctr')
  expect([used(one, 'Ciphers'), used(two, 'Ciphers')]).toEqual(['aes256-ctr,aes128-ctr', undefined])
})

// @see ssh -Q cipher and ssh -Q kex of OpenSSH 7.4, 9.2 and 10.0
test.each([
  ['aes128-ctr', /^aes128-ctr \/etc/],
  ['aes128-ctr,arcfour', /^aes128-ctr,arcfour \/etc/],
  [
    'aes128-ctr,aes130-ctr',
    /^invalid: .*sshd_config:1: this version does not support aes130-ctr, so sshd does not start/,
  ],
])('Ciphers %s where sshd has aes256-ctr and aes128-ctr', (list, expected) => {
  const built = program('OpenSSH_9.2p1', 'aes256-ctr,aes128-ctr')
  const text: ConfigFiles['text'] = (path) => {
    return path === '/etc/ssh/sshd_config' ? known(`Ciphers ${list}\n`) : built.text(path)
  }
  expect(used({ ...built, text }, 'Ciphers')).toMatch(expected)
})

// @see the release notes of OpenSSH 9.5
test.each([
  ['9.2', /^invalid: .*sshd_config:3: Subsystem sftp is set a second time, so sshd does not start/],
  ['9.5', /^3 /],
])('OpenSSH %s with a second line for a subsystem', (version, expected) => {
  const built = program(`OpenSSH_${version}p1`)
  const text: ConfigFiles['text'] = (path) => {
    const two = 'MaxAuthTries 3\nSubsystem sftp internal-sftp\nSubsystem sftp /usr/lib/openssh/sftp-server\n'
    return path === '/etc/ssh/sshd_config' ? known(two) : built.text(path)
  }
  expect(used({ ...built, text }, 'MaxAuthTries')).toMatch(expected)
})

test.each([
  ['Ciphers +aes128-cbc', 'Ciphers', /^not-observable: .*the built-in algorithms of sshd are unknown/],
  ['Ciphers +aes*', 'Ciphers', /^not-observable: .*only sshd can tell/],
  ['MaxStartups 10:30:60\nMaxStartups 5:30:5', 'MaxStartups', /^not-observable: .*depends on the sshd version/],
  ['MaxAuthTries x5', 'MaxAuthTries', /^invalid: .*is not a valid value/],
  ['MaxAuthTries -1', 'MaxAuthTries', /^invalid: .*is not a valid value/],
  ['MaxSessions 2147483648', 'MaxSessions', /^invalid: .*is not a valid value/],
  ['MaxAuthTries 3\0\nPermitRootLogin no', 'PermitRootLogin', /^invalid: .*sshd_config:1: .*NUL byte/],
  // As sshd 9.2 rejects them.
  ['AllowUsers bob ""', 'UsePAM', /^invalid: .*is not a valid value/],
  ['AuthorizedKeysCommand keys', 'UsePAM', /^invalid: .*is not a valid value/],
  ['ClientAliveInterval 99999999999', 'UsePAM', /^invalid: .*is not a valid value/],
  ['HostKey /a /b', 'UsePAM', /^invalid: .*is not a valid value/],
  ['PermitTunnel YES', 'UsePAM', /^invalid: .*is not a valid value/],
  ['Port zz', 'UsePAM', /^invalid: .*is not a valid value/],
  ['RekeyLimit none', 'UsePAM', /^invalid: .*is not a valid value/],
  ['LoginGraceTime soon', 'LoginGraceTime', /^invalid: .*is not a valid value/],
  ['Banner /a /b', 'Banner', /^invalid: .*is not a valid value/],
  ['Banner', 'PermitRootLogin', /^invalid: .*sshd_config:1: Banner has no value/],
  ['Banner "x', 'PermitRootLogin', /^invalid: .*sshd_config:1: Banner has an unterminated quote/],
  ['Match bob', 'PermitRootLogin', /^invalid: .*sshd_config:1: invalid condition "Match bob"/],
  ['Match User bob\nUsePAM no', 'UsePAM', /^invalid: .*sshd_config:2: usepam is not allowed in a Match block/],
  ['Match Address 10.0.0.1/8', 'UsePAM', /^invalid: .*invalid condition/],
  ['Include sshd_config', 'UsePAM', /^invalid: .*includes are nested more than 16 levels deep/],
  ['Include ""', 'UsePAM', /^invalid: .*is a dangling link/],
])('%j leaves %s unknown', (text, key, expected) => {
  const told = used(filesOf({ '/etc/ssh/sshd_config': `${text}\n` }), key)

  expect(told).toMatch(expected)
})

test('an unreadable file makes the value unknown', () => {
  const files = filesOf({ '/etc/ssh/sshd_config': 'Include sshd_config.d/*.conf\nUsePAM no\n' })
  const denied = { kind: 'unknown', reason: 'permission-denied', detail: 'denied' } as const
  const names: ConfigFiles['names'] = (path) =>
    path === '/etc/ssh/sshd_config.d' ? known(['x.conf']) : files.names(path)
  const text: ConfigFiles['text'] = (path) => (path.endsWith('x.conf') ? denied : files.text(path))
  expect(used({ ...files, names, text }, 'UsePAM')).toBe('permission-denied: denied')
  expect(used({ ...files, textsIn: () => denied }, 'UsePAM')).toBe('permission-denied: denied')
  expect(used({ ...files, names: () => denied }, 'UsePAM')).toBe('permission-denied: denied')
})
