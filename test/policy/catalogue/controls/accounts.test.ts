import { statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../../../support/temporary.ts'
import { DEBIAN, type Files, type Host, needsRoot, RHEL, type Row, SSHD, verdictOf } from './host.ts'

/** A host whose shared stacks change passwords by these lines. */
function rhelPasswords(...lines: readonly string[]): Host {
  const stack = lines.map((line) => `password ${line}\n`).join('')
  const modules = ['pwquality', 'pwhistory', 'localuser', 'unix', 'deny'].map((name) => `pam_${name}`)
  const files = Object.fromEntries(modules.map((name) => [`usr/lib64/security/${name}.so`, 'pwhistory.conf']))
  return { files: { ...RHEL, ...files, 'etc/pam.d/system-auth': stack, 'etc/pam.d/password-auth': stack } }
}

const LOCKING = { 'etc/pam.d/common-auth': 'auth required pam_faillock.so preauth\n' }

const SCRIPT = 'readonly TMOUT=900; export TMOUT\n'

/** A host with a directory that all users can write to. */
function pathWith(more: Files): Host {
  const files = { ...SSHD, 'bin/sh': 'dash', 'bin/bash': 'x', 'etc/profile': 'PATH=/usr/bin\n' }
  const modes = { 'srv/b': 0o777, ...('etc/sudoers' in more && { 'etc/sudoers': 0o440 }) }
  return { files: { ...files, 'usr/bin/a': '', 'srv/b/a': '', ...more }, modes }
}

function shadowWith(line: string): Host {
  return { files: { ...DEBIAN, 'etc/group': 'root:x:0:\nbob:x:1001:\nshadow:x:42:\n', 'etc/gshadow': line } }
}

test.skipIf(needsRoot).each<Row>([
  // faillock.conf(5): its members are treated as root
  [
    '@cis-debian-12 5.3.3.1.1',
    'a group of administrators',
    { files: { ...DEBIAN, ...LOCKING, 'etc/security/faillock.conf': 'deny = 3\nadmin_group = staff\n' } },
    'drifted',
  ],
  [
    '@cis-debian-12 5.3.3.1.1',
    'failures that count for a second',
    { files: { ...DEBIAN, ...LOCKING, 'etc/security/faillock.conf': 'deny = 5\nfail_interval = 1\n' } },
    'drifted',
  ],
  [
    '@cis-debian-12 5.3.3.1.1',
    'failures that count for an hour',
    { files: { ...DEBIAN, ...LOCKING, 'etc/security/faillock.conf': 'deny = 5\nfail_interval = 3600\n' } },
    'compliant',
  ],
  [
    '@cis-debian-12 5.3.3.1.1',
    'a limit that only pam_faillock has by itself, which no service runs',
    { files: { ...DEBIAN, 'etc/security/faillock.conf': 'fail_interval = 900\n' } },
    'drifted',
  ],
  [
    '@cis-debian-12 5.3.3.1.1',
    'the same limit, which pam_faillock has by itself',
    { files: { ...DEBIAN, ...LOCKING, 'etc/security/faillock.conf': 'fail_interval = 900\n' } },
    'compliant',
  ],
  [
    '@cis-debian-12 5.3.3.2.6',
    'a check that only pam_pwquality has by itself, which no service runs',
    { files: { ...DEBIAN, 'etc/security/pwquality.conf': '', 'etc/pam.d/passwd': 'password required pam_unix.so\n' } },
    'drifted',
  ],
  [
    '@cis-debian-12 5.3.3.2.6',
    'the same check, which pam_pwquality has by itself',
    {
      files: {
        ...DEBIAN,
        'etc/security/pwquality.conf': '',
        'etc/pam.d/passwd': 'password required pam_pwquality.so\n',
      },
    },
    'compliant',
  ],
  [
    '@cis-rhel-9 5.3.3.3.1',
    // As authselect has it with the feature with-pwhistory.
    'a history for local accounts alone',
    rhelPasswords(
      'requisite pam_pwquality.so local_users_only',
      '[default=1 ignore=ignore success=ok] pam_localuser.so',
      'requisite pam_pwhistory.so use_authtok remember=24',
      'sufficient pam_unix.so sha512 shadow use_authtok',
      'required pam_deny.so',
    ),
    'compliant',
  ],
  [
    '@cis-rhel-9 5.3.3.3.1',
    'a history behind pam_unix, which ends the stack',
    rhelPasswords(
      'requisite pam_pwquality.so local_users_only',
      'sufficient pam_unix.so sha512 shadow use_authtok',
      'requisite pam_pwhistory.so use_authtok remember=24',
      'required pam_deny.so',
    ),
    'drifted',
  ],
  [
    '@cis-rhel-9 5.3.3.4.2',
    'a history of pam_unix in a service of its own',
    {
      files: {
        ...rhelPasswords('sufficient pam_unix.so sha512').files,
        'etc/pam.d/chpasswd': 'password required pam_unix.so remember=5\n',
      },
    },
    'drifted',
  ],
  // The tools of shadow: "Invalid ENCRYPT_METHOD value: 'sha512'. Defaulting to DES."
  [
    '@cis-debian-12 5.4.1.4',
    'a hash in lower case',
    { files: { ...DEBIAN, 'etc/login.defs': 'ENCRYPT_METHOD sha512\n' } },
    'drifted',
  ],
  ...(
    [
      ['etc/profile.d', 0o700, 'drifted'],
      ['etc/profile', 0o600, 'drifted'],
      ['etc/profile', 0o644, 'compliant'],
    ] as const
  ).map(([path, mode, verdict]): Row => [
    '@cis-debian-12 5.4.3.2',
    `a timeout in files of which ${path} has mode ${mode.toString(8)}`,
    {
      files: { ...DEBIAN, 'bin/bash': 'x', 'etc/profile': '. /etc/profile.d/a.sh\n', 'etc/profile.d/a.sh': SCRIPT },
      modes: { [path]: mode },
    },
    verdict,
  ]),
  [
    '@cis-debian-12 5.4.3.2',
    'a timeout that shells after the login lose',
    {
      files: {
        ...DEBIAN,
        'bin/bash': 'x\0/etc/bash.bashrc\0',
        'etc/profile': `${SCRIPT}`,
        'etc/bash.bashrc': 'unset TMOUT\n',
      },
    },
    'drifted',
  ],
  [
    '@cis-debian-12 5.4.3.2',
    'a timeout that shells after the login inherit',
    { files: { ...DEBIAN, 'bin/bash': 'x\0/etc/bash.bashrc\0', 'etc/profile': `${SCRIPT}`, 'etc/bash.bashrc': '' } },
    'compliant',
  ],
  [
    '@cis-debian-12 5.4.2.2',
    'another account with the primary group 0',
    { files: { ...DEBIAN, 'etc/passwd': `${DEBIAN['etc/passwd']}eve:x:1002:0::/home/eve:/bin/bash\n` } },
    'drifted',
  ],
  ['@cis-debian-12 5.4.2.2', 'root alone', { files: DEBIAN }, 'compliant'],
  [
    '@cis-debian-12 5.4.2.5',
    'a directory below one of another user',
    {
      files: {
        ...DEBIAN,
        'bin/sh': 'dash',
        'bin/bash': '',
        'etc/profile': 'PATH=/opt/app/bin\n',
        'opt/app/bin/run': '',
      },
      modes: { 'opt/app/bin': 0o755 },
      owned: ['opt/app'],
    },
    'drifted',
  ],
  [
    '@cis-debian-12 5.4.2.5',
    'a directory of another user',
    {
      files: {
        ...DEBIAN,
        'bin/sh': 'dash',
        'bin/bash': '',
        'etc/profile': 'PATH=/opt/app/bin\n',
        'opt/app/bin/run': '',
      },
      modes: { 'opt/app/bin': 0o755 },
      owned: ['opt/app/bin'],
    },
    'drifted',
  ],
  ...(
    [
      ['etc/crontab', 'PATH=/srv/b:/usr/bin', 'drifted'],
      ['var/spool/cron/crontabs/root', 'PATH=/srv/b:/usr/bin', 'drifted'],
      ['etc/cron.d/a', 'PATH=/srv/b:/usr/bin\n0 1 * * * root a', 'drifted'],
      ['etc/cron.d/a', 'PATH=/srv/b:/usr/bin\n0 1 * * * bob a', 'compliant'],
      ['etc/systemd/system.conf.d/a.conf', '[Manager]\nDefaultEnvironment=A=1 "PATH=/usr/bin:/srv/b"', 'drifted'],
      ['etc/systemd/system.conf.d/a.conf', '[Manager]\nDefaultEnvironment="PATH=/usr/bin:"', 'drifted'],
      ['etc/systemd/system.conf.d/a.conf', '[Manager]\nDefaultEnvironment=PATH=/usr/bin', 'compliant'],
      ['etc/security/pam_env.conf', 'PATH DEFAULT=/usr/bin OVERRIDE="${PATH}:/srv/b"', 'drifted'],
      ['etc/security/pam_env.conf', 'PATH DEFAULT=/usr/bin:.', 'drifted'],
      ['etc/security/pam_env.conf', 'PATH DEFAULT=/usr/bin:@{HOME}/bin OVERRIDE=${PATH}', 'compliant'],
      ['etc/security/pam_env.conf', 'PATH \\\n DEFAULT=/srv/b', 'drifted'],
      ['etc/default/locale', 'PATH=/srv/b', 'compliant'],
      ['etc/ssh/sshd_config', 'SetEnv LANG=C PATH=/usr/bin:/srv/b', 'drifted'],
      ['etc/ssh/sshd_config', 'Match User root\nSetEnv PATH=/srv/b', 'drifted'],
      ['etc/ssh/sshd_config', 'SetEnv PATH=/usr/bin', 'compliant'],
      ['etc/ssh/sshd_config', 'Match User bob\nSetEnv PATH=/srv/b', 'compliant'],
      ['etc/ssh/sshd_config', 'Match Group users\nSetEnv PATH=/srv/b', 'compliant'],
      ['etc/ssh/sshd_config', 'Match Group root\nSetEnv PATH=/srv/b', 'drifted'],
      ['etc/ssh/sshd_config', 'Match Address 10.0.0.0/8\nSetEnv PATH=/srv/b', 'drifted'],
      ['etc/ssh/sshd_config', 'SetEnv A=1\nSetEnv PATH=/srv/b', 'compliant'],
      ['etc/login.defs', 'ENV_SUPATH PATH=/usr/bin:/srv/b', 'drifted'],
      ['etc/login.defs', 'ENV_SUPATH PATH=/usr/bin::/bin', 'drifted'],
      ['etc/login.defs', '#ENV_SUPATH PATH=/srv/b\nENV_PATH PATH=/srv/b', 'compliant'],
      ['etc/cron.d/a.dpkg-old', 'PATH=/srv/b:/usr/bin\n0 1 * * * root a', 'compliant'],
    ] as const
  ).map(([path, text, verdict]): Row => [
    '@cis-debian-12 5.4.2.5',
    `${path}: ${text}`,
    pathWith({ [path]: `${text}\n` }),
    verdict,
  ]),
  ...(['envfile', 'conffile'] as const).map((argument): Row => [
    '@cis-debian-12 5.4.2.5',
    `a PATH of the ${argument} of a service`,
    pathWith({
      'etc/pam.d/sshd': `session required pam_env.so ${argument}=/etc/site-env\n`,
      'etc/site-env': argument === 'envfile' ? 'PATH=/srv/b\n' : 'PATH DEFAULT=/srv/b\n',
    }),
    'drifted',
  ]),
  [
    '@cis-debian-12 5.4.2.5',
    'a PATH of pam_env',
    pathWith({ 'etc/environment': 'PATH="/srv/b:/usr/bin"\n' }),
    'drifted',
  ],
  [
    '@cis-debian-12 5.4.2.5',
    'a line that pam_env passes over',
    pathWith({ 'etc/environment': 'PATH=/srv/b\nexport  PATH=/bin\n' }),
    'drifted',
  ],
  [
    '@cis-debian-12 5.4.2.5',
    'a comment behind a PATH of pam_env',
    pathWith({ 'etc/environment': 'PATH=/usr/bin:/usr/games# ours\n' }),
    'compliant',
  ],
  [
    '@cis-debian-12 5.4.2.5',
    'a PATH of sudo',
    pathWith({ 'usr/bin/sudo': 'x', 'etc/sudoers': 'Defaults secure_path=/srv/b:/usr/bin\n' }),
    'drifted',
  ],
  [
    '@cis-debian-12 5.4.2.5',
    'directories of packages that are not installed',
    pathWith({ 'etc/environment': 'PATH="/usr/bin:/usr/games:/snap/bin"\n' }),
    'compliant',
  ],
  ['@cis-debian-12 7.2.4', 'an administrator of the group shadow', shadowWith('shadow:*:bob:\n'), 'drifted'],
  [
    '@cis-debian-12 7.2.4',
    'a password of the group shadow',
    shadowWith(`shadow:$6$ab$${'x'.repeat(86)}::\n`),
    'drifted',
  ],
  // shadow(5): an empty date of the last change disables ageing. pam_unix of Debian 13 lets in then.
  [
    '@cis-debian-12 5.4.1.1',
    'a password without the date of its last change',
    {
      files: {
        ...DEBIAN,
        'etc/login.defs': 'PASS_MAX_DAYS 365\n',
        'etc/shadow': `root:*:19000::::::\nbob:$6$ab$${'x'.repeat(86)}::1:365:7:30::\n`,
      },
    },
    'drifted',
  ],
  // initgroups(3) takes every line that names the user.
  [
    '@cis-debian-12 7.2.4',
    'another line with the GID of the group shadow',
    { files: { ...DEBIAN, 'etc/group': 'root:x:0:\nbob:x:1001:\nshadow:x:42:\nshadow:x:42:bob\n' } },
    'drifted',
  ],
  ['@dev-sec-linux os-02', 'an administrator of the group shadow', shadowWith('shadow:*:bob:\n'), 'drifted'],
  ['@cis-debian-12 7.2.4', 'no way into the group shadow', shadowWith('shadow:!::\n'), 'compliant'],
  [
    '@cis-debian-12 7.2.10',
    'dot files as /etc/skel has them',
    {
      files: { ...DEBIAN, 'home/bob/.bashrc': '', 'home/bob/.profile': '' },
      owned: ['home/bob/.bashrc', 'home/bob/.profile'],
    },
    'compliant',
  ],
  [
    '@cis-debian-12 7.2.10',
    'a dot file that leads to a file of all users',
    {
      files: { ...DEBIAN, 'root/x': '', 'srv/rc': '' },
      modes: { 'srv/rc': 0o666 },
      links: { 'root/.bashrc': '../srv/rc' },
    },
    'drifted',
  ],
  [
    '@cis-debian-12 7.2.10',
    'a history that leads to a device',
    { files: { ...DEBIAN, 'root/x': '' }, links: { 'root/.bash_history': '/dev/null' } },
    'compliant',
  ],
])('%s, %s', async (control, _title, host, verdict) => {
  expect(await verdictOf(control, host)).toBe(verdict)
})

test.skipIf(needsRoot).each(['/home/bob', '/home/bob/bin'])(
  'a fix of PATH does not take %s from its owner',
  async (path) => {
    const root = temporaryDirectory()
    const host = pathWith({ 'etc/profile': `PATH=/usr/bin:${path}\n`, 'home/bob/bin/a': '' })
    const owned = ['home/bob', 'home/bob/bin']
    expect(await verdictOf('@cis-debian-12 5.4.2.5', { ...host, owned }, root, true)).not.toBe('fixed')
    expect(statSync(join(root, path)).uid).toBe(1001)
  },
)
