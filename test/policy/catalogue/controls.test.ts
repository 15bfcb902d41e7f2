import { chmodSync, chownSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { expect, test } from 'vitest'
import { put } from '../../support/contract.ts'
import { runInProcess } from '../../support/command-line.ts'
import { temporaryDirectory } from '../../support/temporary.ts'

type Files = Readonly<Record<string, string>>

/** Files of a host, and what else is made of them. */
interface Host {
  readonly files: Files
  readonly modes?: Readonly<Record<string, number>>
  readonly links?: Files
  /** Files of somebody else than root. */
  readonly owned?: readonly string[]
}

const DEBIAN: Files = {
  'usr/lib/os-release': 'ID=debian\nVERSION_ID="12"\n',
  'etc/passwd': 'root:x:0:0:root:/root:/bin/bash\nbob:x:1001:1001::/home/bob:/bin/bash\n',
  'etc/group': 'root:x:0:\nbob:x:1001:\n',
  'etc/shadow': 'root:*:19000::::::\nbob:*:19000::::::\n',
  'etc/shells': '/bin/bash\n',
  'etc/login.defs': 'UID_MIN 1000\n',
}

const NET = { 'etc/issue.net': 'For staff\n' }
const SSHD: Files = {
  ...DEBIAN,
  'usr/sbin/sshd': 'OpenSSH_9.2p1',
  'etc/ssh/sshd_config': 'Include /etc/ssh/sshd_config.d/*.conf\n',
}

const PRIVATE = { 'etc/ssh/sshd_config': 0o600 }

const RHEL: Files = { ...DEBIAN, 'usr/lib/os-release': 'ID=almalinux\nID_LIKE="rhel fedora"\nVERSION_ID="9.4"\n' }

const TOOLS = ['auditctl', 'auditd', 'ausearch', 'aureport', 'autrace', 'augenrules']

const WATCHED = 'sha512+p+i+n+u+g+s+b+acl+xattrs'

const GNOME: Files = {
  ...DEBIAN,
  'usr/bin/dconf': 'x',
  'etc/gdm3/daemon.conf': '',
  'etc/dconf/profile/user': 'user-db:user\nsystem-db:local\n',
  'etc/dconf/db/local.d/00': `[org/gnome/desktop/session]
idle-delay=uint32 900
[org/gnome/desktop/screensaver]
lock-delay=uint32 5
lock-enabled=true
`,
}

const NGINX: Files = { ...DEBIAN, 'etc/nginx/nginx.conf': 'http { include /etc/nginx/sites/*; }\n' }

/** The verdict of one control of a policy that ships. */
async function verdictOf(control: string, { files, modes = {}, links = {}, owned = [] }: Host): Promise<unknown> {
  const [, policy = '', id = ''] = /^(@\S+) (\S+)$/.exec(control) ?? []
  const root = temporaryDirectory()
  put(root, files)
  for (const [path, mode] of Object.entries(modes)) chmodSync(join(root, path), mode)
  for (const [path, target] of Object.entries(links)) symlinkSync(target, join(root, path))
  for (const path of owned) chownSync(join(root, path), 1001, 1001)
  const scan = ['scan', policy, '--only', id, '--offline-as', 'not-applicable', '--target', `root:${root}`]
  const { stdout } = await runInProcess(...scan, '--report', 'json')
  const { policies } = JSON.parse(stdout) as { policies: [{ controls: readonly { id: string; verdict: string }[] }] }
  return policies[0].controls.find((each) => each.id === id)?.verdict
}

const needsRoot = process.geteuid?.() === 0 ? undefined : 'needs root'

test.skipIf(needsRoot).each<[control: string, title: string, host: Host, verdict: string]>([
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
    'sudo that asks everybody',
    {
      files: { ...DEBIAN, 'usr/bin/sudo': 'x', 'etc/sudoers': 'bob ALL=(ALL:ALL) ALL\n' },
      modes: { 'etc/sudoers': 0o440 },
    },
    'compliant',
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
    '@nginx nginx-keys',
    'a key of another name',
    { files: { ...NGINX, 'etc/nginx/sites/a': 'server { ssl_certificate_key /srv/a.pem; }\n', 'srv/a.pem': 'KEY' } },
    'drifted',
  ],
  [
    '@nginx nginx-config',
    'a site that leads into a home',
    {
      files: { ...NGINX, 'etc/nginx/sites/b': '', 'home/bob/site': 'server { listen 80; }\n' },
      links: { 'etc/nginx/sites/a': '/home/bob/site' },
      owned: ['home/bob/site'],
    },
    'drifted',
  ],
  ['@linux tmp-nodev', 'where nothing is mounted', { files: { ...DEBIAN, 'etc/fstab': '' } }, 'not-applicable'],
  [
    '@cis-rhel-9 1.7.2',
    'that names a rebuild',
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
  ['@cis-debian-12 1.6.1', 'that says nothing', { files: { ...DEBIAN, 'etc/motd': '' } }, 'drifted'],
  ['@cis-debian-12 1.7.5', 'without locks', { files: GNOME }, 'drifted'],
  [
    '@cis-debian-12 1.7.5',
    'with all locks',
    {
      files: {
        ...GNOME,
        'etc/dconf/db/local.d/locks/00': `/org/gnome/desktop/session/idle-delay
/org/gnome/desktop/screensaver/lock-delay
/org/gnome/desktop/screensaver/lock-enabled
`,
      },
    },
    'compliant',
  ],
  [
    '@cis-debian-12 6.3.3',
    'rules in a file of their own',
    {
      files: {
        ...DEBIAN,
        'etc/aide/aide.conf': '@@x_include /etc/aide/aide.conf.d ^[a-zA-Z0-9_-]+$\n',
        'etc/aide/aide.conf.d/80_audit': TOOLS.map((tool) => `/usr/sbin/${tool} ${WATCHED}\n`).join(''),
      },
    },
    'compliant',
  ],
  [
    '@cis-debian-12 6.3.3',
    'rules for the paths before /usr was merged',
    { files: { ...DEBIAN, 'etc/aide/aide.conf': TOOLS.map((tool) => `/sbin/${tool} ${WATCHED}\n`).join('') } },
    'drifted',
  ],
  [
    '@cis-debian-12 6.1.4.1',
    'a log in a directory below',
    { files: { ...DEBIAN, 'var/log/app/debug.log': 'x' }, modes: { 'var/log/app/debug.log': 0o666 } },
    'drifted',
  ],
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
