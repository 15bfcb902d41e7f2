import { expect, test } from 'vitest'
import { DEBIAN, type Files, type Host, needsRoot, type Row, verdictOf } from './host.ts'

const SITE = 'Plugin sudoers_policy sudoers.so sudoers_file=/etc/sudoers.site\n'

/** A host with sudo, whose files have the modes that sudo asks for. */
function sudoersWith(more: Files): Host {
  const own = { 'etc/sudoers': '%sudo ALL=(ALL) ALL\n', 'etc/sudoers.site': 'bob ALL=(ALL) NOPASSWD: ALL\n' }
  const modes = { 'etc/sudoers': 0o440, 'etc/sudoers.site': 0o440 }
  return { files: { ...DEBIAN, 'usr/bin/sudo': 'x', ...own, ...more }, modes }
}

/** A host whose sudoers includes a file and a directory. */
function includesWith(modes: Readonly<Record<string, number>>, owned: readonly string[] = []): Host {
  const own = { 'etc/sudoers': '@include /srv/rules\n@includedir /srv/sudoers.d\nroot ALL=(ALL) ALL\n' }
  const files = { ...DEBIAN, 'usr/bin/sudo': 'x', ...own, 'srv/rules': '', 'srv/sudoers.d/site': '' }
  return { files, modes: { 'etc/sudoers': 0o440, 'srv/rules': 0o440, 'srv/sudoers.d/site': 0o440, ...modes }, owned }
}

test.skipIf(needsRoot).each<Row>([
  ['@linux sudoers', 'without sudo', { files: DEBIAN }, 'not-applicable'],
  ['@linux sudoers', 'includes as sudo makes them', includesWith({}), 'compliant'],
  ['@linux sudoers', 'an included file that all read', includesWith({ 'srv/rules': 0o644 }), 'drifted'],
  ['@linux sudoers', 'an included file of a user', includesWith({}, ['srv/rules']), 'drifted'],
  ['@linux sudoers', 'a file that all read', includesWith({ 'srv/sudoers.d/site': 0o644 }), 'drifted'],
  ['@linux sudoers', 'an included directory of a user', includesWith({}, ['srv/sudoers.d']), 'drifted'],
  [
    '@cis-debian-12 5.2.4',
    'a group that sudo never asks',
    {
      files: {
        ...DEBIAN,
        'usr/bin/sudo': 'x',
        'etc/sudoers': 'Defaults exempt_group=bob\nbob ALL=(ALL:ALL) ALL\n',
      },
      modes: { 'etc/sudoers': 0o440 },
    },
    'drifted',
  ],
  [
    '@cis-debian-12 5.2.4',
    'sudo that asks all users for a password',
    {
      files: { ...DEBIAN, 'usr/bin/sudo': 'x', 'etc/sudoers': 'bob ALL=(ALL:ALL) ALL\n' },
      modes: { 'etc/sudoers': 0o440 },
    },
    'compliant',
  ],
  ['@cis-debian-12 5.2.4', 'sudoers in another file', sudoersWith({ 'etc/sudo.conf': SITE }), 'drifted'],
  [
    '@cis-debian-12 5.2.2',
    'an option in sudoers, while another file is read',
    sudoersWith({ 'etc/sudo.conf': SITE, 'etc/sudoers': 'Defaults use_pty\n' }),
    'drifted',
  ],
  [
    '@cis-debian-12 5.2.2',
    'a policy of another plugin',
    sudoersWith({ 'etc/sudo.conf': 'Plugin python_policy python_plugin.so ModulePath=/srv/p.py\n' }),
    'error',
  ],
  [
    '@cis-debian-12 5.2.4',
    'another service of PAM',
    sudoersWith({ 'etc/sudoers': 'Defaults pam_service=site\n' }),
    'drifted',
  ],
  ['@cis-debian-12 5.2.4', 'the usual services of PAM', sudoersWith({}), 'compliant'],
  ...Object.entries({
    '.5': 'compliant',
    '15.': 'compliant',
    '15.5': 'drifted',
    '-.5': 'drifted',
    '-0': 'compliant',
  }).map(([minutes, verdict]): Row => {
    const files = { 'etc/sudoers': `Defaults timestamp_timeout=${minutes}\n` }
    return ['@cis-debian-12 5.2.6', `a timeout of ${minutes} minutes`, sudoersWith(files), verdict]
  }),
  ['@cis-debian-12 5.2.2', 'rules of sssd alone', sudoersWith({ 'etc/nsswitch.conf': 'sudoers: sss\n' }), 'error'],
  ['@cis-debian-12 5.2.5', 'rules of sssd, too', sudoersWith({ 'etc/nsswitch.conf': 'sudoers: files sss\n' }), 'error'],
  ['@cis-debian-12 5.2.5', 'rules of files', sudoersWith({ 'etc/nsswitch.conf': 'sudoers: files\n' }), 'compliant'],
  [
    '@cis-debian-12 5.2.2',
    'drift in sudoers beside rules of sssd',
    sudoersWith({ 'etc/nsswitch.conf': 'sudoers: files sss\n', 'etc/sudoers': 'Defaults !use_pty\n' }),
    'drifted',
  ],
  [
    '@cis-debian-12 5.2.3',
    'a log that stays empty',
    {
      files: { ...DEBIAN, 'usr/bin/sudo': 'x', 'etc/sudoers': 'Defaults logfile=/var/log/sudo.log, !log_allowed\n' },
      modes: { 'etc/sudoers': 0o440 },
    },
    'drifted',
  ],
  [
    '@cis-debian-12 5.2.3',
    'another log',
    {
      files: { ...DEBIAN, 'usr/bin/sudo': 'x', 'etc/sudoers': 'Defaults logfile=/srv/log/sudo\n' },
      modes: { 'etc/sudoers': 0o440 },
    },
    'compliant',
  ],
])('%s, %s', async (control, _title, host, verdict) => {
  expect(await verdictOf(control, host)).toBe(verdict)
})
