import { expect, test } from 'vitest'
import { DEBIAN, type Files, type Host, needsRoot, RHEL, type Row, RSYSLOG, verdictOf, WANTS } from './host.ts'

const REMOTE = 'usr/lib/systemd/system/systemd-journal-remote.service'

/** A host with systemd-journal-remote.service, which has this to install. */
function journalRemoteWith(install: string): Files {
  return { ...DEBIAN, 'usr/bin/systemctl': 'x', [`${WANTS}/.keep`]: '', [REMOTE]: `[Service]\n[Install]\n${install}\n` }
}

/** The account 1001 as that of a service. */
const MYSQL = (shell: string): string => `root:x:0:0:root:/root:/bin/bash\nmysql:x:1001:1001::/:${shell}\n`

/** A log of the user 1001. */
function logOf(files: Files): Host {
  const log = 'var/log/mysql/error.log'
  return { files: { ...DEBIAN, ...files, [log]: 'x' }, modes: { [log]: 0o640 }, owned: [log] }
}

function logIn(base: Files, mode: number): Host {
  const modes = { 'var/log/app': mode, 'var/log/app/a.log': 0o640 }
  return { files: { ...base, 'var/log/app/a.log': 'x' }, modes }
}

/** The same of a service, whose group has a user. */
function sharedLogIn(base: Files, mode: number): Host {
  const { files, modes } = logIn(base, mode)
  const passwd = `${MYSQL('/usr/sbin/nologin')}bob:x:1002:1002::/:/bin/bash\n`
  const accounts = { 'etc/passwd': passwd, 'etc/group': 'root:x:0:\nmysql:x:1001:bob\n' }
  return { files: { ...files, ...accounts }, modes: { ...modes }, owned: ['var/log/app'] }
}

const RSYSLOG_CHOSEN = ['log_service=rsyslog']

test.skipIf(needsRoot).each<Row>([
  [
    '@cis-debian-12 6.1.3.4',
    'rsyslogd that a script starts',
    {
      files: {
        ...DEBIAN,
        'usr/sbin/rsyslogd': 'x',
        'etc/rsyslog.conf': '$FileCreateMode 0640\n*.* /var/log/x\n',
        'usr/lib/systemd/system/rsyslog.service': '[Service]\nExecStart=/usr/local/bin/start-rsyslog\n',
      },
      set: RSYSLOG_CHOSEN,
    },
    'error',
  ],
  [
    '@cis-rhel-9 6.2.4.1',
    'records of logins that all users can write to',
    { files: { ...RHEL, 'var/log/wtmp': 'x' }, modes: { 'var/log/wtmp': 0o666 } },
    'drifted',
  ],
  [
    '@cis-rhel-9 6.2.4.1',
    'records of logins as they are installed',
    { files: { ...RHEL, 'var/log/wtmp': 'x' }, modes: { 'var/log/wtmp': 0o664 } },
    'compliant',
  ],
  [
    '@cis-rhel-9 6.2.4.1',
    'the log of cloud-init as it is made',
    { files: { ...RHEL, 'var/log/cloud-init.log': 'x' }, modes: { 'var/log/cloud-init.log': 0o644 } },
    'compliant',
  ],
  // rsyslog's cfsysline.c
  [
    '@cis-debian-12 6.1.3.4',
    'a mode without a leading zero',
    {
      files: { ...DEBIAN, 'usr/sbin/rsyslogd': 'x', 'etc/rsyslog.conf': '$FileCreateMode 640\n*.* /var/log/x\n' },
      set: RSYSLOG_CHOSEN,
    },
    'drifted',
  ],
  // journald.conf(5)
  [
    '@cis-debian-12 6.1.2.3',
    'a threshold',
    {
      files: {
        ...DEBIAN,
        'usr/lib/systemd/systemd-journald': 'x',
        'etc/systemd/journald.conf': '[Journal]\nCompress=1K\n',
      },
    },
    'compliant',
  ],
  [
    '@cis-debian-12 6.1.3.3',
    'emergencies alone',
    {
      files: {
        ...DEBIAN,
        'usr/lib/systemd/systemd-journald': 'x',
        'etc/systemd/journald.conf': '[Journal]\nForwardToSyslog=yes\nMaxLevelSyslog=emerg\n',
      },
      set: RSYSLOG_CHOSEN,
    },
    'drifted',
  ],
  // @see https://www.rsyslog.com/doc/configuration/modules/idx_input.html
  ...['imptcp', 'imgssapi', 'imhttp', 'imdtls'].map((input): Row => [
    '@cis-debian-12 6.1.3.7',
    `${input} listens`,
    {
      files: { ...DEBIAN, 'etc/rsyslog.conf': `module(load="${input}")\ninput(type="${input}" port="514")\n` },
      set: RSYSLOG,
    },
    'drifted',
  ]),
  [
    '@cis-debian-12 6.1.3.7',
    'local inputs alone',
    { files: { ...DEBIAN, 'etc/rsyslog.conf': 'module(load="imuxsock")\nmodule(load="imklog")\n' }, set: RSYSLOG },
    'compliant',
  ],
  [
    '@cis-rhel-9 6.2.4.1',
    'a log that another file of rsyslogd names',
    {
      files: {
        ...RHEL,
        'etc/rsyslog.conf': '',
        'etc/rs.conf': '*.* /srv/all\n',
        'srv/all': '',
        'etc/sysconfig/rsyslog': 'SYSLOGD_OPTIONS="-f /etc/rs.conf"\n',
        'usr/lib/systemd/system/rsyslog.service':
          '[Service]\nEnvironmentFile=-/etc/sysconfig/rsyslog\nExecStart=/usr/sbin/rsyslogd -n $SYSLOGD_OPTIONS\n',
      },
      modes: { 'srv/all': 0o644 },
    },
    'drifted',
  ],
  [
    '@cis-debian-12 6.1.2.1.4',
    'the service of journals without its socket',
    {
      files: journalRemoteWith('WantedBy=multi-user.target'),
      links: { [`${WANTS}/systemd-journal-remote.service`]: `/${REMOTE}` },
    },
    'drifted',
  ],
  [
    '@cis-debian-12 6.1.2.1.4',
    'both units of the service of journals masked',
    {
      files: journalRemoteWith('Also=systemd-journal-remote.socket'),
      links: {
        'etc/systemd/system/systemd-journal-remote.service': '/dev/null',
        'etc/systemd/system/systemd-journal-remote.socket': '/dev/null',
      },
    },
    'compliant',
  ],
  [
    '@cis-debian-12 6.1.4.1',
    'a log in a directory below',
    { files: { ...DEBIAN, 'var/log/app/debug.log': 'x' }, modes: { 'var/log/app/debug.log': 0o666 } },
    'drifted',
  ],
  // find -L of the benchmark
  ...(
    [
      [{ 'var/log/a.log': '/srv/logs/a.log' }, 0o644, 'drifted'],
      [{ 'var/log/a.log': '/srv/logs/a.log' }, 0o640, 'compliant'],
      [{ 'var/log/app/sub': '/srv/logs' }, 0o666, 'drifted'],
      [{ 'var/log/app/sub': '..', 'var/log/README': '/usr/share/doc/README.logs' }, 0o644, 'compliant'],
      [{ 'var/log/none': '/srv/none', 'var/log/lastlog': '/srv/logs/a.log' }, 0o644, 'compliant'],
    ] as const
  ).map(([links, mode, verdict]): Row => {
    const files = { ...DEBIAN, 'srv/logs/a.log': '', 'usr/share/doc/README.logs': '', 'var/log/app/b.log': '' }
    const modes = { 'srv/logs/a.log': mode, 'var/log/app/b.log': 0o640 }
    return [
      '@cis-debian-12 6.1.4.1',
      `${JSON.stringify(links)} to ${mode.toString(8)}`,
      { files, links, modes },
      verdict,
    ]
  }),
  ['@cis-debian-12 6.1.4.1', 'a log of a user', logOf({}), 'drifted'],
  ['@cis-debian-12 6.1.4.1', 'a log of a service', logOf({ 'etc/passwd': MYSQL('/usr/sbin/nologin') }), 'compliant'],
  [
    '@cis-debian-12 6.1.4.1',
    'a log of a service whose account has a shell',
    logOf({ 'etc/passwd': MYSQL('/bin/bash'), 'etc/login.defs': 'UID_MIN 1002\n' }),
    'compliant',
  ],
  [
    '@cis-debian-12 6.1.4.1',
    'a log of a service with the group of a user',
    logOf({
      'etc/passwd': `${MYSQL('/usr/sbin/nologin')}bob:x:1002:1002::/:/bin/bash\n`,
      'etc/group': 'mysql:x:1001:bob\n',
    }),
    'drifted',
  ],
  ...[
    'app/lastlog.txt',
    'app/wtmp.log',
    'app/btmp-app',
    'app/localmessages',
    'app/cloud-init.log.gz',
    'foo.journal.txt',
    'lastlogfoo',
    'apt/sub/x.log',
    'landscape/sub/x.log',
    'sssd/sub/x.log',
  ].map((path): Row => {
    const log = `var/log/${path}`
    return ['@cis-debian-12 6.1.4.1', path, { files: { ...DEBIAN, [log]: 'x' }, modes: { [log]: 0o666 } }, 'drifted']
  }),
  ...(
    [
      [0o700, 'compliant'],
      [0o755, 'drifted'],
    ] as const
  ).map(([mode, verdict]): Row => {
    const modes = { 'var/log/private': mode, 'var/log/private/a.log': 0o666 }
    const title = `a log of a dynamic user below a directory with ${mode.toString(8)}`
    return ['@cis-debian-12 6.1.4.1', title, { files: { ...DEBIAN, 'var/log/private/a.log': 'x' }, modes }, verdict]
  }),
  // unlink(2): write permission on a directory is enough to replace the logs in it.
  ...(
    [
      ['@cis-debian-12 6.1.4.1', DEBIAN],
      ['@cis-rhel-9 6.2.4.1', RHEL],
    ] as const
  ).flatMap(([control, base]): Row[] => [
    [control, 'a directory for all', logIn(base, 0o777), 'drifted'],
    [control, 'a directory of a user', { ...logIn(base, 0o755), owned: ['var/log/app'] }, 'drifted'],
    [control, 'a directory above of a user', { ...logIn(base, 0o755), owned: ['var/log'] }, 'drifted'],
    [control, 'a directory that a user writes to by a group', sharedLogIn(base, 0o775), 'drifted'],
    [control, 'a directory of a service', sharedLogIn(base, 0o755), 'compliant'],
    [control, 'a directory of root', logIn(base, 0o755), 'compliant'],
    [control, 'a log that a user owns', { ...logIn(base, 0o755), owned: ['var/log/app/a.log'] }, 'drifted'],
  ]),
  ...(
    [
      ['etc/ssl/a.key', 0o640, false, 'compliant'],
      ['etc/ssl/a.key', 0o644, false, 'drifted'],
      ['etc/ssl/a.key', 0o600, true, 'drifted'],
      ['etc/ssl/a.pem', 0o644, false, 'compliant'],
      ['etc/ssl/a.pem', 0o666, false, 'drifted'],
    ] as const
  ).map(([path, mode, isOfUser, verdict]): Row => [
    '@cis-debian-12 6.1.2.1.2',
    `${path} of ${isOfUser ? 'a user' : 'root'} with ${mode.toString(8)}`,
    {
      files: {
        ...DEBIAN,
        'usr/lib/systemd/systemd-journal-upload': 'x',
        'etc/systemd/journal-upload.conf': `[Upload]
URL=https://a.site
ServerKeyFile=/etc/ssl/a.key
ServerCertificateFile=/etc/ssl/a.pem
TrustedCertificateFile=/etc/ssl/ca.pem
`,
        'etc/ssl/a.key': 'x',
        'etc/ssl/a.pem': 'x',
      },
      modes: { 'etc/ssl/a.key': 0o640, [path]: mode },
      owned: isOfUser ? [path] : [],
    },
    verdict,
  ]),
  ...(
    [
      ['--url=http://b.site', 'drifted'],
      ['-u http://b.site', 'drifted'],
      ['--trust=all', 'drifted'],
      ['--save-state', 'compliant'],
    ] as const
  ).map(([options, verdict]): Row => [
    '@cis-debian-12 6.1.2.1.2',
    `uploads with ${options}`,
    {
      files: {
        ...DEBIAN,
        'usr/lib/systemd/systemd-journal-upload': 'x',
        'etc/systemd/journal-upload.conf': `[Upload]
URL=https://a.site
ServerKeyFile=/a.key
ServerCertificateFile=/a.pem
TrustedCertificateFile=/ca.pem
`,
        'usr/lib/systemd/system/systemd-journal-upload.service': `[Service]
ExecStart=/usr/lib/systemd/systemd-journal-upload ${options}
`,
      },
    },
    verdict,
  ]),
])('%s, %s', async (control, _title, host, verdict) => {
  expect(await verdictOf(control, host)).toBe(verdict)
})
