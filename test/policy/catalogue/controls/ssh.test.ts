import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runInProcess } from '../../../support/command-line.ts'
import { put } from '../../../support/contract.ts'
import { temporaryDirectory } from '../../../support/temporary.ts'
import { DEBIAN, needsRoot, NET, RHEL, type Row, SSHD, sshdWith, verdictOf } from './host.ts'

/** The first line of a private key of OpenSSH. */
const PEM_KEY = '-----BEGIN OPENSSH PRIVATE KEY-----\n'

const PRIVATE = { 'etc/ssh/sshd_config': 0o600 }

// The recommendations of the benchmarks do not apply without sshd. `apt remove openssh-server` leaves its configuration.
test.skipIf(needsRoot).each([
  ['never installed', {}, 'not-applicable'],
  ['removed', { 'etc/ssh/sshd_config': 'PermitRootLogin yes\n' }, 'compliant'],
])('no setting of sshd applies where it is %s', async (_title, files, permission) => {
  const root = temporaryDirectory()
  put(root, { ...DEBIAN, ...NET, ...files })
  if ('etc/ssh/sshd_config' in files) chmodSync(join(root, 'etc/ssh/sshd_config'), 0o600)
  const { stdout } = await runInProcess(
    'scan',
    '@cis-debian-12',
    '--only',
    'tag:ssh',
    '--target',
    `root:${root}`,
    '--report',
    'json',
  )
  const { policies } = JSON.parse(stdout) as { policies: [{ controls: readonly { id: string; verdict: string }[] }] }
  const asked = policies[0].controls.filter(({ id }) => id.startsWith('5.1.'))
  const permissions = ['5.1.1', '5.1.2', '5.1.3'].map((id) => [id, permission])
  const settings = Array.from({ length: 19 }, (_, index) => [`5.1.${index + 4}`, 'not-applicable'])
  expect(asked.map(({ id, verdict }) => [id, verdict])).toEqual([...permissions, ...settings])
})

test.skipIf(needsRoot).each<Row>([
  ...['@dev-sec-ssh sshd-14', '@linux ssh-config-directories'].map((control): Row => [
    control,
    'without sshd',
    { files: { ...DEBIAN, 'etc/ssh/ssh_config': '' } },
    'not-applicable',
  ]),
  // sshd_config(5), PATTERNS
  ['@cis-debian-12 5.1.4', 'a pattern of every user', sshdWith('AllowUsers ?*'), 'drifted'],
  [
    '@cis-debian-12 5.1.4',
    'a pattern of every user at every address',
    sshdWith('AllowUsers *@0.0.0.0/0 *@::/0'),
    'drifted',
  ],
  ['@cis-debian-12 5.1.4', 'every user at some addresses', sshdWith('AllowUsers *@10.0.0.0/8'), 'compliant'],
  ['@cis-debian-12 5.1.21', 'a pattern of LD_PRELOAD', sshdWith('AcceptEnv ??_PRELOAD'), 'drifted'],
  ['@cis-debian-12 5.1.21', 'a pattern of locales', sshdWith('AcceptEnv LANG LC_*'), 'compliant'],
  // The benchmark looks at each private key in the directory.
  ...(
    [
      ['etc/ssh/ssh_host_rsa_key.old', PEM_KEY, 'drifted'],
      ['etc/ssh/moduli.bak', PEM_KEY, 'drifted'],
      ['etc/ssh/ssh_host_rsa_key.txt', 'ssh-rsa AAAA', 'compliant'],
    ] as const
  ).map(([path, content, verdict]): Row => [
    '@cis-debian-12 5.1.2',
    `a file that others read, ${path}`,
    { ...sshdWith('', { [path]: content }), modes: { [path]: 0o644 } },
    verdict,
  ]),
  ...(['@cis-rhel-9 5.1.2', '@dev-sec-ssh sshd-14'] as const).map((control): Row => [
    control,
    'a user in the group of the keys',
    {
      files: {
        ...RHEL,
        'usr/sbin/sshd': 'OpenSSH_8.7p1',
        'etc/ssh/sshd_config': '',
        'etc/group': 'root:x:0:\nbob:x:1001:\nssh_keys:x:99:bob\n',
      },
    },
    'drifted',
  ]),
  [
    '@dev-sec-ssh ssh-01',
    'a file of a user that ssh_config includes',
    {
      files: { ...DEBIAN, 'usr/bin/ssh': 'OpenSSH_9.2p1', 'etc/ssh/ssh_config': 'Include /srv/c\n', 'srv/c': '' },
      owned: ['srv/c'],
    },
    'drifted',
  ],
  [
    '@cis-debian-12 5.1.3',
    'a public key in a directory below',
    { ...sshdWith('', { 'etc/ssh/keys/k.pub': 'x' }), modes: { 'etc/ssh/keys/k.pub': 0o666 } },
    'drifted',
  ],
  [
    '@cis-debian-12 5.1.1',
    'a world-writable directory of drop-ins',
    {
      ...sshdWith('', { 'etc/ssh/sshd_config.d/README': '' }),
      modes: { ...PRIVATE, 'etc/ssh/sshd_config.d': 0o777, 'etc/ssh/sshd_config.d/README': 0o600 },
    },
    'drifted',
  ],
  [
    '@cis-debian-12 5.1.20',
    'sshd that a script starts',
    sshdWith('PermitRootLogin no', {
      'usr/lib/systemd/system/ssh.service': '[Service]\nExecStart=/usr/local/bin/start-sshd\n',
    }),
    'error',
  ],
  [
    '@ssh ssh-config',
    'a drop-in that others change',
    {
      files: { ...SSHD, 'etc/ssh/sshd_config.d/a.conf': '#\n' },
      modes: { ...PRIVATE, 'etc/ssh/sshd_config.d/a.conf': 0o666 },
    },
    'drifted',
  ],
  ['@ssh ssh-config', 'without drop-ins', { files: SSHD, modes: PRIVATE }, 'compliant'],
  [
    '@cis-ubuntu-24.04 5.1.1',
    'a file elsewhere that sshd_config includes',
    {
      files: { ...SSHD, 'etc/ssh/sshd_config': 'Include /srv/sshd.conf\n', 'srv/sshd.conf': '' },
      modes: { ...PRIVATE, 'srv/sshd.conf': 0o666 },
    },
    'drifted',
  ],
  ...(['@ssh ssh-user-environment', '@cis-debian-12 5.1.21'] as const).flatMap((control): Row[] => [
    [control, 'every variable', { files: { ...SSHD, 'etc/ssh/sshd_config': 'AcceptEnv LANG *\n' } }, 'drifted'],
    [control, 'LD_PRELOAD', { files: { ...SSHD, 'etc/ssh/sshd_config': 'AcceptEnv LD_PRELOAD\n' } }, 'drifted'],
    [control, 'the locale', { files: { ...SSHD, 'etc/ssh/sshd_config': 'AcceptEnv LANG LC_*\n' } }, 'compliant'],
  ]),
  [
    '@cis-debian-13 5.1.13',
    'strong algorithms without a post-quantum one',
    { files: { ...SSHD, 'etc/ssh/sshd_config': 'KexAlgorithms curve25519-sha256\n' } },
    'drifted',
  ],
  [
    '@cis-debian-13 5.1.13',
    'a post-quantum algorithm',
    { files: { ...SSHD, 'etc/ssh/sshd_config': 'KexAlgorithms curve25519-sha256,mlkem768x25519-sha256\n' } },
    'compliant',
  ],
  [
    '@ssh ssh-private-keys',
    'a key in another place',
    { files: { ...SSHD, 'etc/ssh/sshd_config': 'HostKey /etc/keys/a\n', 'etc/keys/a': 'KEY' } },
    'drifted',
  ],
  [
    '@cis-debian-12 5.1.2',
    'a key of another owner',
    {
      files: { ...SSHD, 'etc/ssh/ssh_host_rsa_key': 'KEY' },
      modes: { 'etc/ssh/ssh_host_rsa_key': 0o600 },
      owned: ['etc/ssh/ssh_host_rsa_key'],
    },
    'drifted',
  ],
  [
    '@ssh ssh-banner',
    'without its file',
    { files: { ...SSHD, 'etc/ssh/sshd_config': 'Banner /etc/issue.net\n' } },
    'drifted',
  ],
  [
    '@ssh ssh-banner',
    'with another file',
    { files: { ...SSHD, ...NET, 'etc/ssh/sshd_config': 'Banner /etc/banner\n', 'etc/banner': 'For staff\n' } },
    'compliant',
  ],
  [
    '@ssh ssh-banner',
    'with another file that is not there',
    { files: { ...SSHD, ...NET, 'etc/ssh/sshd_config': 'Banner /etc/banner\n' } },
    'drifted',
  ],
  [
    '@ssh ssh-banner',
    'with another file that is empty',
    { files: { ...SSHD, ...NET, 'etc/ssh/sshd_config': 'Banner /etc/banner\n', 'etc/banner': '' } },
    'error',
  ],
  [
    '@ssh ssh-config-directories',
    'an empty directory of a user that sshd_config includes from',
    { ...sshdWith('Include /srv/ssh.d/*.conf', { 'srv/ssh.d/README': '' }), owned: ['srv/ssh.d'] },
    'drifted',
  ],
  [
    '@cis-debian-12 5.1.1',
    'a directory of a user for directories that sshd_config includes from',
    { ...sshdWith('Include /srv/*/x.conf', { 'srv/a/README': '' }), modes: PRIVATE, owned: ['srv'] },
    'drifted',
  ],
  ...['0.0.0.0', '::', '[::]:22', '::%1', '0:22', '192.0.2.1\nListenAddress 0.0.0.0'].map((address): Row => [
    '@dev-sec-ssh sshd-09',
    `all addresses as ${address}`,
    sshdWith(`ListenAddress ${address}`),
    'drifted',
  ]),
  ...['192.0.2.1', '2001:db8::1', '[2001:db8::1]:22'].map((address): Row => [
    '@dev-sec-ssh sshd-09',
    `the address ${address}`,
    sshdWith(`ListenAddress ${address}`),
    'compliant',
  ]),
  ['@dev-sec-ssh sshd-07', 'no address', sshdWith('Port 22'), 'compliant'],
  [
    '@dev-sec-ssh sshd-14',
    'keys in another place alone',
    {
      ...sshdWith('HostKey /etc/keys/ssh_host_rsa_key\nHostKeyAlgorithms ssh-ed25519', {
        'etc/keys/ssh_host_rsa_key': 'KEY',
      }),
      modes: { 'etc/keys/ssh_host_rsa_key': 0o600 },
    },
    'compliant',
  ],
  [
    '@ssh ssh-banner',
    'another file, without issue.net',
    {
      ...sshdWith('Banner /etc/banner', { 'etc/banner': 'For staff\n' }),
      modes: { 'etc/banner': 0o644 },
    },
    'compliant',
  ],
  [
    '@ssh ssh-banner',
    'a file that root alone reads, as sshd does',
    {
      ...sshdWith('Banner /etc/issue.net', NET),
      modes: { 'etc/issue.net': 0o600 },
    },
    'compliant',
  ],
])('%s, %s', async (control, _title, host, verdict) => {
  expect(await verdictOf(control, host)).toBe(verdict)
})
