import { expect, test } from 'vitest'
import { type Files, type Host, needsRoot, RHEL, type Row, sshdWith, verdictOf, WANTS, without } from './host.ts'

const GENERATOR = { 'usr/lib/systemd/system-generators/sshd-socket-generator': 'x' }
const DROP_IN = 'etc/systemd/system/ssh.socket.d/a.conf'

/** A host whose sshd.socket starts a server with a file of its own for each connection. */
function sshdBySocket(more: Files): Host {
  const units = 'usr/lib/systemd/system'
  const files = {
    ...RHEL,
    'usr/sbin/sshd': 'OpenSSH_8.7p1',
    'etc/ssh/sshd_config': 'PermitRootLogin no\n',
    'etc/ssh/sshd_site': 'PermitRootLogin yes\n',
    [`${units}/sshd.service`]: '[Service]\nExecStart=/usr/sbin/sshd -D\n',
    [`${units}/sshd.socket`]: '[Socket]\nListenStream=22\nAccept=yes\n',
    [`${units}/sshd@.service`]: '[Service]\nExecStart=-/usr/sbin/sshd -i -f /etc/ssh/sshd_site\n',
    'etc/systemd/system/sockets.target.wants/sshd.socket': '',
  }
  return { files: { ...files, ...more } }
}

test.skipIf(needsRoot).each<Row>([
  ['@cis-rhel-9 5.1.20', 'a server for each connection with another file', sshdBySocket({}), 'drifted'],
  [
    '@cis-rhel-9 5.1.20',
    'beside a daemon with other options',
    sshdBySocket({ [`${WANTS}/sshd.service`]: '' }),
    'error',
  ],
  [
    '@cis-debian-12 5.1.20',
    'a second server with a file of its own',
    sshdWith('PermitRootLogin no', {
      'usr/lib/systemd/system/sshd-second.service': '[Service]\nExecStart=/usr/sbin/sshd -D -f /etc/ssh/second\n',
      [`${WANTS}/sshd-second.service`]: '',
    }),
    'error',
  ],
  ...[
    ['multi-user.target.wants/sshd-second@a.service', 'sshd-second@.service'],
    ['graphical.target.wants/sshd-second.service', 'sshd-second.service'],
    ['sockets.target.wants/second.socket', 'second@.service'],
  ].map(([wanted = '', unit = '']): Row => [
    '@cis-debian-12 5.1.20',
    `a second server that ${wanted} starts`,
    sshdWith('PermitRootLogin no', {
      'usr/lib/systemd/system/second.socket': '[Socket]\nListenStream=2222\nAccept=yes\n',
      [`usr/lib/systemd/system/${unit}`]: '[Service]\nExecStart=-/usr/sbin/sshd -i -f /etc/ssh/second\n',
      [`etc/systemd/system/${wanted}`]: '',
    }),
    'error',
  ]),
  [
    '@cis-debian-12 5.1.20',
    'a second server that is not enabled',
    sshdWith('PermitRootLogin no', {
      'usr/lib/systemd/system/sshd-second.service': '[Service]\nExecStart=/usr/sbin/sshd -D -f /etc/ssh/second\n',
    }),
    'compliant',
  ],
  [
    '@cis-rhel-9 5.1.20',
    'a socket that is not enabled',
    { files: without(sshdBySocket({}).files, 'etc/systemd/system/sockets.target.wants/sshd.socket') },
    'compliant',
  ],
  // systemd.socket(5): sshd takes the socket over and opens no port of its own.
  ...(
    [
      ['Port 22', 'ListenStream=2222', {}, 'drifted'],
      ['Port 2222', 'ListenStream=0.0.0.0:22\nListenStream=[::]:22\nListenStream=/run/ssh', {}, 'compliant'],
      ['Port 2222', 'ListenStream=22', GENERATOR, 'drifted'],
      ['Port 22', 'ListenStream=22', GENERATOR, 'compliant'],
      ['Port 22', 'ListenStream=22', { ...GENERATOR, [DROP_IN]: '[Socket]\nListenStream=2222\n' }, 'drifted'],
      ['', 'ListenStream=2222', GENERATOR, 'drifted'],
    ] as const
  ).map(([line, streams, more, verdict]): Row => {
    const socket = `[Socket]\n${streams}\n[Install]\nWantedBy=sockets.target\n`
    const enabled = { ['etc/systemd/system/sockets.target.wants/ssh.socket']: '' }
    const files = { 'usr/lib/systemd/system/ssh.socket': socket, ...enabled, ...more }
    return [
      '@dev-sec-ssh sshd-07',
      `${line}, ${streams}, ${Object.keys(more).join(' ')}`,
      sshdWith(line, files),
      verdict,
    ]
  }),
  [
    '@dev-sec-ssh sshd-07',
    'a socket that does not start',
    sshdWith('Port 22', { 'usr/lib/systemd/system/ssh.socket': '[Socket]\nListenStream=2222\n' }),
    'compliant',
  ],
])('%s, %s', async (control, _title, host, verdict) => {
  expect(await verdictOf(control, host)).toBe(verdict)
})
