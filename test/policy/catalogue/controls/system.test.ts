import { chownSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { put } from '../../../support/contract.ts'
import { temporaryDirectory } from '../../../support/temporary.ts'
import { DEBIAN, type Files, type Host, needsRoot, RHEL, type Row, RSYSLOG, verdictOf, WANTS } from './host.ts'

function cryptoWith(generated: string, ciphers = 'aes256-ctr'): Host {
  const files = {
    'usr/bin/update-crypto-policies': 'x',
    'proc/sys/kernel/.keep': '',
    'proc/sys/crypto/fips_enabled': '0\n',
    'etc/crypto-policies/config': 'FUTURE\n',
    'etc/crypto-policies/state/current': 'FUTURE\n',
    'etc/crypto-policies/state/CURRENT.pol': `hash = SHA2-256\nmac@Kerberos = HMAC-SHA1\nhash@bind = SHA1\n${generated}`,
    'etc/crypto-policies/back-ends/.keep': '',
    'usr/share/crypto-policies/FUTURE/openssh.txt': `Ciphers aes128-gcm@openssh.com,${ciphers}\nMACs umac-128@openssh.com\n`,
  }
  const link = { 'etc/crypto-policies/back-ends/openssh.config': '/usr/share/crypto-policies/FUTURE/openssh.txt' }
  return { files: { ...RHEL, ...files }, links: link }
}

function cryptoNamed(name: string): Host {
  const { files } = cryptoWith('')
  const chosen = { 'etc/crypto-policies/config': `${name}\n`, 'etc/crypto-policies/state/current': `${name}\n` }
  const shipped = `usr/share/crypto-policies/${name}/openssh.txt`
  const link = { 'etc/crypto-policies/back-ends/openssh.config': `/${shipped}` }
  return { files: { ...files, ...chosen, [shipped]: 'Ciphers aes256-ctr\n' }, links: link }
}

/** A host with DEFAULT and modules, and the policy as it was generated. */
function cryptoOf(policy: string, generated?: string): Host {
  const { files, links = {} } = cryptoNamed('DEFAULT')
  const current = 'etc/crypto-policies/state/CURRENT.pol'
  const chosen = { 'etc/crypto-policies/config': `${policy}\n`, 'etc/crypto-policies/state/current': 'DEFAULT\n' }
  const without = Object.fromEntries(Object.entries(files).filter(([path]) => path !== current))
  return { files: { ...without, ...chosen, ...(generated === undefined ? {} : { [current]: generated }) }, links }
}

/** The back end of sshd on Red Hat Enterprise Linux 9. */
const RHEL_SSHD = `Ciphers aes256-gcm@openssh.com,chacha20-poly1305@openssh.com,aes256-ctr,aes128-gcm@openssh.com,aes128-ctr
MACs hmac-sha2-256-etm@openssh.com,hmac-sha1-etm@openssh.com,umac-128-etm@openssh.com,hmac-sha2-512,umac-128@openssh.com
KexAlgorithms curve25519-sha256,ecdh-sha2-nistp256,diffie-hellman-group-exchange-sha256,diffie-hellman-group14-sha256
`

/** A host with apport, whose service is masked. */
function apportWith(defaults: string): Host {
  const files = { 'usr/bin/systemctl': 'x', 'usr/share/apport/apport': 'x', 'etc/default/apport': defaults }
  const unit = { [`${WANTS}/.keep`]: '', 'usr/lib/systemd/system/apport.service': '[Service]\n' }
  return { files: { ...DEBIAN, ...files, ...unit }, links: { 'etc/systemd/system/apport.service': '/dev/null' } }
}

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

const SAMBA = 'usr/lib/systemd/system/samba-ad-dc.service'

const GRUB: Files = { ...DEBIAN, 'boot/grub/custom.cfg': 'set superusers=root\n' }

/** A host whose apt installs nothing that is only recommended, and these lines. */
function aptWith(lines: string): Host {
  const conf = `APT::Install-Recommends "0";\nAPT::Install-Suggests "0";\n${lines}\n`
  const release = 'ID=debian\nVERSION_ID="13"\n'
  return { files: { ...DEBIAN, 'usr/lib/os-release': release, 'usr/bin/apt-get': 'x', 'etc/apt/apt.conf.d/99a': conf } }
}

test.skipIf(needsRoot).each<Row>([
  // apparmor.d(5): a violation in kill mode ends the program. What the kernel has loaded is for a running system.
  ...(
    [
      ['1.3.1.3', 'kill', 'not-applicable'],
      ['1.3.1.3', 'unconfined', 'drifted'],
      ['1.3.1.4', 'kill', 'not-applicable'],
      ['1.3.1.4', 'enforce', 'not-applicable'],
      ['1.3.1.4', 'complain', 'drifted'],
    ] as const
  ).map(([id, mode, verdict]): Row => {
    const unit = 'usr/lib/systemd/system/apparmor.service'
    const files = {
      ...DEBIAN,
      'usr/sbin/apparmor_parser': 'x',
      'usr/bin/systemctl': 'x',
      [unit]: '[Service]\nExecStart=/lib/apparmor/apparmor.systemd reload\n[Install]\nWantedBy=sysinit.target\n',
      'etc/systemd/system/sysinit.target.wants/.keep': '',
      'etc/apparmor.d/opt.x': `profile x /opt/x flags=(${mode}) {\n}\n`,
    }
    const links = { 'etc/systemd/system/sysinit.target.wants/apparmor.service': `/${unit}` }
    return [`@cis-debian-12 ${id}`, `a profile in ${mode} mode`, { files, links }, verdict]
  }),
  // The script 41_custom of GRUB
  [
    '@cis-debian-12 1.4.2',
    'a writable custom.cfg',
    { files: GRUB, modes: { 'boot/grub/custom.cfg': 0o666 } },
    'drifted',
  ],
  [
    '@cis-debian-12 1.4.2',
    'a private custom.cfg',
    { files: GRUB, modes: { 'boot/grub/custom.cfg': 0o600 } },
    'compliant',
  ],
  ...(['boot/grub/grubenv', 'boot/efi/EFI/debian/grub.cfg', 'boot/loader/entries/a.conf'] as const).flatMap((path) =>
    ['@cis-debian-12 1.4.2', '@linux boot-config'].map((control): Row => [
      control,
      `a writable ${path}`,
      { files: { ...DEBIAN, [path]: 'x\n' }, modes: { [path]: 0o666 } },
      'drifted',
    ]),
  ),
  // The commands source and insmod of GRUB; grub-mkconfig(8)
  ...(
    [
      ['boot/grub/site.cfg', 0o666, 'drifted'],
      ['boot/grub/site.cfg', 0o644, 'compliant'],
      ['boot/grub/x86_64-efi/normal.mod', 0o666, 'drifted'],
      ['etc/default/grub', 0o664, 'drifted'],
      ['etc/grub.d/40_custom', 0o775, 'drifted'],
      ['etc/grub.d/40_custom', 0o755, 'compliant'],
    ] as const
  ).map(([path, mode, verdict]): Row => [
    '@cis-debian-12 1.4.2',
    `${path} with ${mode.toString(8)}`,
    { files: { ...DEBIAN, [path]: 'x\n' }, modes: { [path]: mode } },
    verdict,
  ]),
  ...['boot/grub/grub.cfg', 'boot/grub', 'etc/grub.d'].map((path): Row => [
    '@cis-debian-12 1.4.2',
    `${path} of another user`,
    {
      files: { ...DEBIAN, 'boot/grub/grub.cfg': 'x\n', 'etc/grub.d/40_custom': '' },
      modes: { 'boot/grub/grub.cfg': 0o600 },
      owned: [path],
    },
    'drifted',
  ]),
  [
    '@cis-debian-12 1.4.2',
    'grubenv as grub-editenv makes it',
    { files: { ...DEBIAN, 'boot/grub/grubenv': 'x\n' }, modes: { 'boot/grub/grubenv': 0o644 } },
    'compliant',
  ],
  ...(
    [
      [0o666, 'drifted'],
      [0o755, 'drifted'],
      [0o700, 'compliant'],
    ] as const
  ).map(([mode, verdict]): Row => [
    '@cis-rhel-9 1.4.2',
    `grub.cfg of EFI with ${mode.toString(8)}`,
    {
      files: { ...RHEL, 'boot/efi/EFI/redhat/grub.cfg': 'x\n' },
      modes: { 'boot/efi/EFI/redhat/grub.cfg': mode },
    },
    verdict,
  ]),
  // apt.conf(5), Binary specific configuration
  [
    '@cis-debian-13 1.2.1.2',
    'the same for every program',
    aptWith('binary { APT-get { apt::install-recommends no; }; };'),
    'compliant',
  ],
  [
    '@cis-debian-13 1.2.1.2',
    'another value for apt-get',
    aptWith('Binary::apt-get::APT::Install-Recommends "1";'),
    'drifted',
  ],
  [
    '@cis-debian-13 1.2.1.2',
    'another value for apt',
    aptWith('Binary { apt { APT { Install-Suggests "1"; }; }; };'),
    'drifted',
  ],
  [
    '@cis-debian-12 2.1.14',
    'a domain controller, which starts smbd itself',
    {
      files: {
        ...DEBIAN,
        [SAMBA]: '[Service]\nExecStart=/usr/sbin/samba\n[Install]\nWantedBy=multi-user.target\n',
        [`${WANTS}/.keep`]: '',
        'usr/bin/systemctl': 'x',
      },
      links: { [`${WANTS}/samba-ad-dc.service`]: `/${SAMBA}` },
    },
    'drifted',
  ],
  ['@linux tmp-nodev', 'without a mount', { files: { ...DEBIAN, 'etc/fstab': '' } }, 'not-applicable'],
  ['@cis-debian-12 2.4.1.8', 'without cron', { files: DEBIAN }, 'not-applicable'],
  ['@cis-debian-12 2.4.1.1', 'without cron', { files: DEBIAN }, 'not-applicable'],
  ['@cis-debian-12 2.4.1.8', 'with cron', { files: { ...DEBIAN, 'usr/bin/crontab': 'x' } }, 'drifted'],
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
  ['@cis-rhel-9 1.6.1', 'the policy DEFAULT', cryptoNamed('DEFAULT'), 'compliant'],
  ['@cis-rhel-9 1.6.1', 'the policy LEGACY', cryptoNamed('LEGACY'), 'drifted'],
  ['@cis-rhel-9 1.6.3', 'a policy without SHA-1', cryptoWith('sign = RSA-SHA2-256\nsha1_in_certs = 0\n'), 'compliant'],
  ['@cis-rhel-9 1.6.3', 'a policy with SHA-1 signatures', cryptoWith('sign = RSA-SHA2-256 RSA-SHA1\n'), 'drifted'],
  ['@cis-rhel-9 1.6.3', 'a policy with SHA-1 in certificates', cryptoWith('sha1_in_certs = 1\n'), 'drifted'],
  ['@cis-rhel-9 1.6.4', 'a policy with MACs of 128 bits', cryptoWith('mac = HMAC-SHA1 UMAC-128\n'), 'compliant'],
  ['@cis-rhel-9 1.6.4', 'a policy with MACs of 64 bits', cryptoWith('mac = UMAC-64 UMAC-128\n'), 'drifted'],
  ['@cis-rhel-9 1.6.5', 'a policy without CBC', cryptoWith(''), 'compliant'],
  ['@cis-rhel-9 1.6.5', 'a policy with CBC', cryptoWith('', 'aes256-cbc'), 'drifted'],
  ['@cis-rhel-9 1.6.3', 'DEFAULT without SHA-1', cryptoOf('DEFAULT', 'sign = RSA-SHA2-256\n'), 'compliant'],
  ['@cis-rhel-9 1.6.3', 'SHA-1 after the next update', cryptoOf('DEFAULT:SHA1', 'sign = RSA-SHA2-256\n'), 'drifted'],
  ['@cis-rhel-9 1.6.3', 'a policy that was never applied', cryptoOf('DEFAULT'), 'drifted'],
  ['@cis-rhel-9 1.6.4', 'DEFAULT without short MACs', cryptoOf('DEFAULT', 'mac = HMAC-SHA2-256\n'), 'compliant'],
  ['@cis-rhel-9 1.6.5', 'DEFAULT without CBC', cryptoOf('DEFAULT', ''), 'compliant'],
  ...['5.1.4', '5.1.5', '5.1.6'].map((id): Row => {
    const { files, ...more } = cryptoOf('DEFAULT', '')
    const backEnd = 'etc/crypto-policies/back-ends/opensshserver.config'
    const ssh = {
      'usr/sbin/sshd': 'OpenSSH_8.7p1',
      'etc/ssh/sshd_config': `Include /${backEnd}\n`,
      [backEnd]: RHEL_SSHD,
    }
    return [`@cis-rhel-9 ${id}`, 'DEFAULT as Red Hat ships it', { ...more, files: { ...files, ...ssh } }, 'compliant']
  }),
  ['@cis-debian-12 1.5.5', 'apport that only its service does not start', apportWith('enabled=1\n'), 'drifted'],
  ['@cis-debian-12 1.5.5', 'apport that is disabled', apportWith('enabled=0\n'), 'compliant'],
  ...(['6.1.3.4', '6.1.3.7'] as const).map((id): Row => [
    `@cis-debian-12 ${id}`,
    'another file of rsyslogd',
    {
      files: {
        ...DEBIAN,
        'etc/rsyslog.conf': '$FileCreateMode 0640\n',
        'etc/rs.conf': 'module(load="imudp")\ninput(type="imudp" port="514")\n$FileCreateMode 0666\n*.* /var/log/all\n',
        'usr/lib/systemd/system/rsyslog.service': '[Service]\nExecStart=/usr/sbin/rsyslogd -n -iNONE -f /etc/rs.conf\n',
      },
      set: RSYSLOG,
    },
    'drifted',
  ]),
  ...['etc/shadow', 'etc/gshadow'].map((file): Row => [
    `@cis-debian-12 ${file === 'etc/shadow' ? '7.1.5' : '7.1.7'}`,
    'the group root, which is stricter than shadow',
    { files: { ...DEBIAN, 'etc/group': `${DEBIAN['etc/group']}shadow:x:42:\n`, [file]: '' }, modes: { [file]: 0o600 } },
    'compliant',
  ]),
  ...[
    ['5.1.4', 'Ciphers aes256-ctr,aes128-cbc', 'drifted'],
    ['5.1.4', 'Ciphers aes256-ctr', 'compliant'],
    ['5.1.5', 'KexAlgorithms curve25519-sha256,diffie-hellman-group14-sha1', 'drifted'],
    ['5.1.5', 'KexAlgorithms curve25519-sha256', 'compliant'],
    ['5.1.6', 'MACs hmac-sha2-256,hmac-md5-96-etm@openssh.com', 'drifted'],
    ['5.1.6', 'MACs hmac-sha1,umac-128-etm@openssh.com', 'compliant'],
  ].map(([id = '', line = '', verdict = '']): Row => {
    const { files, ...more } = cryptoWith('')
    const backEnd = 'etc/crypto-policies/back-ends/opensshserver.config'
    const conf = `${line}\nInclude /${backEnd}\n`
    const ssh = { 'usr/sbin/sshd': 'OpenSSH_8.7p1', 'etc/ssh/sshd_config': conf, [backEnd]: 'Ciphers aes256-ctr\n' }
    return [`@cis-rhel-9 ${id}`, `${line} before the policy`, { ...more, files: { ...files, ...ssh } }, verdict]
  }),
])('%s, %s', async (control, _title, host, verdict) => {
  expect(await verdictOf(control, host)).toBe(verdict)
})

test.skipIf(needsRoot).each([
  ['@cis-debian-12 6.1.4.1', 'app:x:990:bob,app\n', { uid: 0, mode: 0o660, fixed: 0o660 }],
  ['@cis-debian-12 6.1.4.1', 'app:x:990:\n', { uid: 0, mode: 0o662, fixed: 0o662 }],
  ['@cis-rhel-9 6.2.4.1', 'app:x:990:\n', { uid: 0, mode: 0o660, fixed: 0o660 }],
  // A service that owns the file does not need the permission of the group.
  ['@cis-debian-12 6.1.4.1', 'app:x:990:\n', { uid: 990, mode: 0o660, fixed: 0o640 }],
])('%s: a fix leaves a log to a service that writes it through %j', async (control, group, log) => {
  const { uid, mode, fixed } = log
  const root = temporaryDirectory()
  const path = 'var/log/app/a.log'
  const base = control.startsWith('@cis-rhel') ? RHEL : DEBIAN
  const files = {
    ...base,
    'etc/passwd': `${base['etc/passwd']}app:x:990:990::/:/usr/sbin/nologin\n`,
    'etc/group': `${base['etc/group']}adm:x:4:\n${group}`,
    [path]: 'x',
  }
  put(root, files)
  chownSync(join(root, path), uid, 990)
  await verdictOf(control, { files, modes: { [path]: mode } }, root, true)
  expect(statSync(join(root, path)).mode & 0o7777).toBe(fixed)
})

test.skipIf(needsRoot).each([
  // crontab of Debian is set-group-ID crontab, at is set-user-ID daemon, unix_chkpwd set-group-ID shadow.
  ['@cis-debian-12 2.4.1.8', 'etc/cron.allow', 'crontab'],
  ['@linux cron-allow', 'etc/cron.allow', 'crontab'],
  ['@cis-debian-12 2.4.2.1', 'etc/at.allow', 'daemon'],
  ['@cis-debian-12 7.1.5', 'etc/shadow', 'shadow'],
  ['@postgresql postgresql-hba-files', 'etc/postgresql/15/main/pg_hba.conf', 'postgres'],
])('%s: a fix of %s, which all users can read, gives it the group %s', async (control, path, group) => {
  const root = temporaryDirectory()
  const files = {
    ...DEBIAN,
    'etc/group': `${DEBIAN['etc/group']}${group}:x:1234:\n`,
    'etc/passwd': `${DEBIAN['etc/passwd']}postgres:x:1234:1234::/:/bin/sh\n`,
    'usr/bin/at': 'x',
    'usr/bin/crontab': 'x',
    [path]: '',
  }
  expect(await verdictOf(control, { files, modes: { [path]: 0o644 } }, root, true)).toBe('fixed')
  const { uid, gid, mode } = statSync(join(root, path))
  expect({ uid, gid, mode: mode & 0o7777 }).toEqual({ uid: 0, gid: 1234, mode: 0o640 })
})
