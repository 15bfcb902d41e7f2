import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../../../support/temporary.ts'
import { DEBIAN, type Host, needsRoot, NET, RHEL, type Row, SSHD, verdictOf } from './host.ts'

function issueWith(path: string, text: string, system = DEBIAN): Host {
  return { files: { ...system, 'etc/issue': 'For staff\n', 'etc/motd': 'For staff\n', [path]: `${text}\n` } }
}

/** Programs of the administrator that scripts may run. */
const PRINTING = {
  'opt/site/print': '#!/bin/sh\nuname -r\n',
  'usr/local/bin/print-site': '#!/bin/sh\n. /opt/site/print\n',
  'usr/local/bin/run-site': '\u007fELF',
  'srv/text': 'Debian 12\n',
}
const RUN = { 'opt/site/print': 0o644, 'usr/local/bin/print-site': 0o755, 'usr/local/bin/run-site': 0o755 }

test.skipIf(needsRoot).each<Row>([
  // agetty(8), ISSUE FILES
  ['@cis-debian-12 1.6.2', 'a banner of issue.d', issueWith('etc/issue.d/a.issue', 'For staff'), 'compliant'],
  ['@cis-debian-12 1.6.2', 'a release in issue.d', issueWith('etc/issue.d/a.issue', 'Linux \\r'), 'drifted'],
  ['@cis-debian-12 1.6.2', 'a file that agetty ignores', issueWith('etc/issue.d/a.txt', 'Debian'), 'compliant'],
  ['@cis-debian-12 1.6.2', 'a directory that agetty ignores', issueWith('run/issue.d/a.issue', 'Debian'), 'compliant'],
  ...[
    ['--issue-file /etc/site.issue', 'drifted'],
    ['-f/run/none:/srv/none:/etc/site.issue', 'drifted'],
    ['--issue-file=/etc', 'drifted'],
    ['--issue-file=/etc/issue:/etc/issue.d', 'compliant'],
  ].map(([options = '', verdict = '']): Row => {
    const drop = `[Service]\nExecStart=\nExecStart=-/sbin/agetty -o '-p -- \\\\u' ${options} - $TERM\n`
    const host = issueWith('etc/systemd/system/getty@.service.d/a.conf', drop)
    return [
      '@cis-debian-12 1.6.2',
      `agetty ${options}`,
      { files: { ...host.files, 'etc/site.issue': 'Debian 12\n' } },
      verdict,
    ]
  }),
  // pam_motd(8)
  ['@cis-debian-12 1.6.1', 'a banner of motd.d', issueWith('etc/motd.d/a', 'For staff'), 'compliant'],
  ['@cis-debian-12 1.6.1', 'a release in motd.d', issueWith('etc/motd.d/a', 'Debian 12'), 'drifted'],
  ['@cis-rhel-9 1.7.1', 'a release in motd.d of /usr/lib', issueWith('usr/lib/motd.d/a', 'AlmaLinux', RHEL), 'drifted'],
  [
    '@cis-debian-12 1.6.1',
    'a release that a file of its name hides',
    { files: { ...issueWith('usr/lib/motd.d/a', 'Debian').files, 'etc/motd.d/a': '' } },
    'compliant',
  ],
  ...[
    ['motd=/etc/site-motd', 'etc/site-motd', 'drifted'],
    ['motd=/run/none:/etc/site-motd', 'etc/site-motd', 'drifted'],
    ['motd_dir=/etc/site.d', 'etc/site.d/a', 'drifted'],
    ['motd=', 'etc/motd.d/a', 'drifted'],
    ['motd=/etc/motd', 'etc/motd.d/a', 'compliant'],
    ['noupdate', 'etc/site-motd', 'compliant'],
  ].map(([argument = '', path = '', verdict = '']): Row => {
    const { files } = issueWith(path, 'Debian 12')
    const login = `session optional pam_motd.so motd=/run/motd.dynamic\nsession optional pam_motd.so ${argument}\n`
    return [
      '@cis-debian-12 1.6.1',
      `pam_motd with ${argument}`,
      { files: { ...files, 'etc/pam.d/login': login } },
      verdict,
    ]
  }),
  ...(
    [
      ['etc/update-motd.d/20-site', 0o775],
      ['etc/update-motd.d', 0o777],
      ['etc/motd.d/a', 0o666],
    ] as const
  ).flatMap(([path, mode]): Row[] => {
    const { files } = issueWith(path.endsWith('.d') ? `${path}/a` : path, 'For staff')
    return [
      ['@cis-debian-12 1.6.4', `${path} that others change`, { files, modes: { [path]: mode } }, 'drifted'],
      ['@cis-debian-12 1.6.4', `${path} of a user`, { files, owned: [path] }, 'drifted'],
      ['@cis-debian-12 1.6.4', `${path} of root`, { files }, 'compliant'],
    ]
  }),
  [
    '@cis-debian-12 1.6.5',
    'a file of issue.d that others change',
    { ...issueWith('etc/issue.d/a.issue', 'For staff'), modes: { 'etc/issue.d/a.issue': 0o666 } },
    'drifted',
  ],
  ['@cis-debian-12 1.6.5', 'a file of issue.d', issueWith('etc/issue.d/a.issue', 'For staff'), 'compliant'],
  // update-motd(5)
  ...(
    [
      ['20-site', 'uname -r', 0o755, 'drifted'],
      ['20-site', 'echo "Debian 12"', 0o755, 'drifted'],
      ['20-site', '. /etc/os-release', 0o744, 'drifted'],
      ['20-site', '# uname\ndate', 0o755, 'compliant'],
      ['20-site', 'uname -r', 0o644, 'compliant'],
      ['20-site.sh', 'uname -r', 0o755, 'compliant'],
      ['20-site', 'exec /opt/site/print', 0o755, 'compliant'],
      ['20-site', '. /opt/site/print', 0o755, 'drifted'],
      ['20-site', 'print-site', 0o755, 'drifted'],
      ['20-site', '[ -x /usr/local/bin/run-site ] && /usr/local/bin/run-site', 0o755, 'error'],
      ['20-site', 'cat /srv/text', 0o755, 'drifted'],
      ['20-site', 'test -e /srv/text', 0o755, 'compliant'],
      ['20-site', 'cat /proc/loadavg /run/reboot-required /var/run/a', 0o755, 'compliant'],
      ['20-site', 'cat /proc/version', 0o755, 'drifted'],
    ] as const
  ).map(([name, text, mode, verdict]): Row => {
    const path = `etc/update-motd.d/${name}`
    return [
      '@cis-debian-12 1.6.1',
      `${name} with ${text}, ${mode.toString(8)}`,
      { files: { ...issueWith(path, `#!/bin/sh\n${text}`).files, ...PRINTING }, modes: { ...RUN, [path]: mode } },
      verdict,
    ]
  }),
  ...[
    ['Debian 12', 'drifted'],
    ['For staff', 'compliant'],
  ].map(([text = '', verdict = '']): Row => {
    const files = { ...SSHD, ...NET, 'etc/ssh/sshd_config': 'Banner /etc/banner\n', 'etc/banner': `${text}\n` }
    return ['@cis-debian-12 1.6.3', `sshd shows ${text}`, { files }, verdict]
  }),
  ['@cis-debian-12 1.6.3', 'without sshd', { files: { ...DEBIAN, ...NET } }, 'compliant'],
  [
    '@cis-rhel-9 1.7.2',
    'a banner with the name of a rebuild',
    { files: { ...RHEL, 'etc/issue': 'AlmaLinux 9, for staff\n' } },
    'drifted',
  ],
  [
    '@cis-rhel-9 1.7.2',
    'in which a word holds the name of the platform',
    {
      files: {
        ...RHEL,
        'usr/lib/os-release': 'ID=ol\nID_LIKE=fedora\nVERSION_ID="9.4"\n',
        'etc/issue': 'Use is governed by policy.\n',
      },
    },
    'compliant',
  ],
  ['@cis-debian-12 1.6.1', 'an empty banner', { files: { ...DEBIAN, 'etc/motd': '' } }, 'drifted'],
  [
    '@cis-debian-12 1.6.3',
    'another banner of sshd, without issue.net',
    { files: { ...SSHD, 'etc/ssh/sshd_config': 'Banner /etc/banner\n', 'etc/banner': 'For staff\n' } },
    'compliant',
  ],
  [
    '@cis-debian-12 1.6.3',
    'an empty banner of sshd, without issue.net',
    { files: { ...SSHD, 'etc/ssh/sshd_config': 'Banner /etc/banner\n', 'etc/banner': '\n' } },
    'drifted',
  ],
])('%s, %s', async (control, _title, host, verdict) => {
  expect(await verdictOf(control, host)).toBe(verdict)
})

test.skipIf(needsRoot)('a fix writes the banner that is not there', async () => {
  const root = temporaryDirectory()
  expect(await verdictOf('@cis-debian-12 1.6.3', { files: SSHD }, root, true)).toBe('fixed')
  expect(readFileSync(join(root, 'etc/issue.net'), 'utf8')).toMatch(/authorized users/i)
})
