import { chmodSync, chownSync, statSync, symlinkSync } from 'node:fs'
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
  /** Files of a user other than root. */
  readonly owned?: readonly string[]
  /** What the site chooses. */
  readonly set?: readonly string[]
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
async function verdictOf(control: string, host: Host, root = temporaryDirectory(), fix = false): Promise<unknown> {
  const { files, modes = {}, links = {}, owned = [], set = [] } = host
  const [, policy = '', id = ''] = /^(@\S+) (\S+)$/.exec(control) ?? []
  put(root, files)
  for (const [path, mode] of Object.entries(modes)) chmodSync(join(root, path), mode)
  for (const [path, target] of Object.entries(links)) symlinkSync(target, join(root, path))
  for (const path of owned) chownSync(join(root, path), 1001, 1001)
  const scan = ['scan', policy, '--only', id, '--offline-as', 'not-applicable', '--target', `root:${root}`]
  if (fix) scan.push('--fix')
  const { stdout } = await runInProcess(...scan, ...set.flatMap((each) => ['--set', each]), '--report', 'json')
  const { policies } = JSON.parse(stdout) as { policies: [{ controls: readonly { id: string; verdict: string }[] }] }
  return policies[0].controls.find((each) => each.id === id)?.verdict
}

const needsRoot = process.geteuid?.() === 0 ? undefined : 'needs root'

type Row = [control: string, title: string, host: Host, verdict: string]

const RSYSLOG = ['log_service=rsyslog']
const SAMBA = 'usr/lib/systemd/system/samba-ad-dc.service'
const WANTS = 'etc/systemd/system/multi-user.target.wants'

/** A server with TLS, and a directive of it. */
function nginxWith(directive: string): Files {
  const tls = `ssl_protocols TLSv1.2 TLSv1.3; ssl_ciphers HIGH:!aNULL:!MD5; ${directive}`
  return { ...DEBIAN, 'etc/nginx/nginx.conf': `events {}\nhttp { ${tls} server { listen 443 ssl; } }\n` }
}

const DOCKER: Files = { ...DEBIAN, 'usr/bin/dockerd': 'x', 'etc/docker/daemon.json': '{ "icc": false }\n' }
const DOCKER_UNIT = 'usr/lib/systemd/system/docker.service'
const DOCKER_ENVIRONMENT = 'EnvironmentFile=-/etc/default/docker'

/** A daemon that its service starts with these options. */
function dockerWith(options: string, more: Files = {}): Files {
  const start = `ExecStart=/usr/bin/dockerd -H fd:// --containerd=/run/containerd/containerd.sock ${options}`
  return { ...DOCKER, [DOCKER_UNIT]: `[Service]\n${DOCKER_ENVIRONMENT}\n${start}\n`, ...more }
}

function dockerGroup(members: string): Files {
  return { ...DOCKER, 'etc/group': `root:x:0:\nbob:x:1001:\ndocker:x:990:${members}\n` }
}

const BOB = ['docker_administrators=[bob]']

/** A host with postfix on the loopback alone, and these services. @see master(5) */
function postfixWith(services: string): Host {
  const main = { 'etc/postfix/main.cf': 'inet_interfaces = loopback-only\n' }
  return { files: { ...DEBIAN, ...main, 'etc/postfix/master.cf': `smtp inet n - y - - smtpd\n${services}\n` } }
}

/** A host with exim, as update-exim4.conf(8) has it. */
function eximWith(interfaces: string, more: Files = {}): Host {
  const conf = { 'etc/exim4/update-exim4.conf.conf': `dc_local_interfaces='${interfaces}'\n` }
  return { files: { ...DEBIAN, 'usr/sbin/exim4': 'x', ...conf, ...more } }
}

/** A host with sshd and these lines of its configuration. */
function sshdWith(lines: string, more: Files = {}): Host {
  return { files: { ...SSHD, 'etc/ssh/sshd_config': `${lines}\n`, ...more } }
}

const UNIT_OF_CHRONY = 'usr/lib/systemd/system/chrony.service'
const CHRONY_CHOSEN = ['time_service=chrony']
const RSYSLOG_CHOSEN = ['log_service=rsyslog']

/** A host with chrony, whose unit starts it with these options. */
function chronyWith(options: string, more: Files = {}): Host {
  const files = {
    ...DEBIAN,
    'usr/sbin/chronyd': 'x',
    'etc/chrony/chrony.conf': 'pool 0.debian.pool.ntp.org\n',
    [UNIT_OF_CHRONY]: `[Service]\nExecStart=/usr/sbin/chronyd ${options}\n`,
    ...more,
  }
  return { files, set: CHRONY_CHOSEN }
}

/** A host whose sessions take their umask from these lines of login.defs and this argument of pam_umask. */
function umaskWith(definitions: string, argument = ''): Host {
  const files = {
    ...DEBIAN,
    'bin/bash': 'x\0/etc/bash.bashrc\0',
    'etc/login.defs': `${definitions}\n`,
    'etc/profile': 'umask 027\n',
    'etc/bash.bashrc': 'umask 027\n',
    'etc/pam.d/login': 'session include common-session\n',
    'etc/pam.d/common-session': `session optional /lib/security/pam_umask.so ${argument}\n`,
    'lib/security/pam_umask.so': 'x',
  }
  return { files }
}

const AUDIT_RULE = '-w /etc/sudoers -p wa -k a\n-w /etc/sudoers.d -p wa -k a\n'

/** A host with auditd and these rules. */
function auditWith(rules: string, more: Files = {}): Host {
  const tools = { 'usr/sbin/auditctl': 'x', 'usr/sbin/auditd': 'x', 'usr/sbin/augenrules': 'x' }
  const written = { 'etc/audit/rules.d/a.rules': rules, 'etc/audit/audit.rules': rules }
  return { files: { ...DEBIAN, ...tools, ...written, ...more } }
}

const OWN_EXIM = { 'etc/exim4/exim4.conf': 'local_interfaces = <; 127.0.0.1 ; 192.0.2.1\n' }
const SCRIPT = 'readonly TMOUT=900; export TMOUT\n'

/** Stored and compiled rules that watch a file; both logs have their directory. */
function watching(path: string): Files {
  const rule = `-w ${path} -p wa -k maintenance\n`
  return { 'srv/log/a': '', 'var/log/a': '', 'etc/audit/rules.d/sudo.rules': rule, 'etc/audit/audit.rules': rule }
}

const SUDO_LOG = 'sudo_log=/srv/log/sudo'

test.skipIf(needsRoot).each<Row>([
  [
    '@cis-rhel-9 6.3.3.3',
    'a log elsewhere',
    { files: { ...RHEL, ...watching('/srv/log/sudo') }, set: [SUDO_LOG] },
    'compliant',
  ],
  [
    '@cis-rhel-9 6.3.3.3',
    'an unwatched log in another place',
    { files: { ...RHEL, ...watching('/var/log/sudo.log') }, set: [SUDO_LOG] },
    'drifted',
  ],
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
  [
    '@cis-debian-12 5.1.2',
    'a copy of a key',
    { ...sshdWith('', { 'etc/ssh/ssh_host_rsa_key.old': 'x' }), modes: { 'etc/ssh/ssh_host_rsa_key.old': 0o644 } },
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
  // faillock.conf(5): its members are treated as root
  [
    '@cis-debian-12 5.3.3.1.1',
    'a group of administrators',
    { files: { ...DEBIAN, 'etc/security/faillock.conf': 'deny = 3\nadmin_group = staff\n' } },
    'drifted',
  ],
  // pam_umask(8); shadow's getdef.c
  ['@cis-debian-12 5.4.3.3', 'the umask of login.defs', umaskWith('UMASK 027'), 'compliant'],
  ['@cis-debian-12 5.4.3.3', 'an argument of pam_umask', umaskWith('UMASK 027', 'umask=022'), 'drifted'],
  ['@cis-debian-12 5.4.3.3', 'groups of their own', umaskWith('UMASK 027', 'usergroups'), 'drifted'],
  ['@cis-debian-12 5.4.3.3', 'an earlier line of login.defs', umaskWith('UMASK 022\nUMASK 027'), 'drifted'],
  ['@cis-debian-12 5.4.3.3', 'a decimal umask', umaskWith('UMASK 27'), 'drifted'],
  // chronyd(8)
  ['@cis-debian-12 2.3.3.2', 'chronyd with the account of its package', chronyWith('-F 1'), 'compliant'],
  ['@cis-debian-12 2.3.3.2', 'chronyd with root as its account', chronyWith('-u root'), 'drifted'],
  ['@cis-debian-12 2.3.3.2', 'chronyd with options in one word', chronyWith('-4u root'), 'drifted'],
  [
    '@cis-debian-12 2.3.3.1',
    'chronyd with another file',
    chronyWith('-f /etc/other.conf', { 'etc/other.conf': 'pool ntp.example\n' }),
    'drifted',
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
  // auditctl(8), auditd.conf(5)
  ['@cis-debian-12 6.2.3.1', 'rules that are enabled', auditWith(AUDIT_RULE), 'compliant'],
  ['@cis-debian-12 6.2.3.1', 'auditing that a start disables', auditWith(`${AUDIT_RULE}-e 0\n`), 'drifted'],
  [
    '@cis-debian-12 6.2.4.5',
    'a configuration of a plugin',
    { ...auditWith('', { 'etc/audit/plugins.d/x.conf': '' }), modes: { 'etc/audit/plugins.d/x.conf': 0o666 } },
    'drifted',
  ],
  [
    '@cis-debian-12 2.1.21',
    'services of postfix on the loopback',
    postfixWith('[::1]:10025 inet n - n - - smtpd'),
    'compliant',
  ],
  [
    '@cis-debian-12 2.1.21',
    'a service of postfix at an address',
    postfixWith('192.0.2.5:2525 inet n - y - - smtpd'),
    'drifted',
  ],
  [
    '@cis-debian-12 2.1.21',
    'a service of postfix without an address',
    postfixWith(':submission inet n - y - - smtpd'),
    'compliant',
  ],
  ['@cis-debian-12 2.1.21', 'exim on the loopback', eximWith('127.0.0.1 ; ::1'), 'compliant'],
  ['@cis-debian-12 2.1.21', 'exim at all addresses', eximWith(''), 'drifted'],
  ['@cis-debian-12 2.1.21', 'exim at one more address', eximWith('127.0.0.1 ; 192.0.2.1'), 'drifted'],
  ['@cis-debian-12 2.1.21', 'exim with a file of its own', eximWith('127.0.0.1', OWN_EXIM), 'drifted'],
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
  ['@docker-host docker-group', 'an unapproved member', { files: dockerGroup('bob') }, 'drifted'],
  ['@docker-host docker-group', 'an approved member', { files: dockerGroup('bob'), set: BOB }, 'compliant'],
  ['@docker-host docker-group', 'someone approved who is no member', { files: dockerGroup(''), set: BOB }, 'compliant'],
  [
    '@docker-host docker-group',
    'an approved one whose primary group it is',
    { files: { ...dockerGroup(''), 'etc/passwd': 'root:x:0:0::/root:/bin/sh\nbob:x:1001:990::/:/bin/sh\n' }, set: BOB },
    'compliant',
  ],
  ['@docker-host docker-tcp', 'as packages install it', { files: dockerWith('') }, 'compliant'],
  ['@docker-host docker-tcp', 'a port on the command line', { files: dockerWith('-H tcp://0.0.0.0:2375') }, 'drifted'],
  ['@docker-host docker-tcp', 'a port without a scheme', { files: dockerWith('-DH=0.0.0.0:2375') }, 'drifted'],
  [
    '@docker-host docker-tcp',
    'a port with certificates',
    { files: dockerWith('--host tcp://0.0.0.0:2376 --tlsverify') },
    'compliant',
  ],
  [
    '@docker-host docker-tcp',
    'a port from the environment',
    { files: dockerWith('$DOCKER_OPTS', { 'etc/default/docker': 'DOCKER_OPTS="-H tcp://0.0.0.0:2375"\n' }) },
    'drifted',
  ],
  [
    '@docker-host docker-tcp',
    'a port in a drop-in',
    {
      files: dockerWith('', {
        'etc/systemd/system/docker.service.d/port.conf':
          '[Service]\nExecStart=\nExecStart=/usr/bin/dockerd -H tcp://:2375\n',
      }),
    },
    'drifted',
  ],
  [
    '@docker-host docker-tcp',
    'a port of its socket',
    {
      files: dockerWith('', {
        'usr/lib/systemd/system/docker.socket': '[Socket]\nListenStream=/run/docker.sock\n',
        'etc/systemd/system/docker.socket.d/port.conf': '[Socket]\nListenStream=0.0.0.0:2375\n',
      }),
    },
    'drifted',
  ],
  [
    '@docker-host docker-registries',
    'one on the command line',
    { files: dockerWith('--insecure-registry a:5000') },
    'drifted',
  ],
  [
    '@docker-host docker-iptables',
    'switched off on the command line',
    { files: dockerWith('--iptables=0') },
    'drifted',
  ],
  [
    '@docker-host docker-icc',
    'switched off on the command line alone',
    { files: dockerWith('--icc=false', { 'etc/docker/daemon.json': '{}' }) },
    'compliant',
  ],
  [
    '@docker-host docker-ulimits',
    'on the command line',
    { files: dockerWith('--default-ulimit nofile=1024:4096') },
    'compliant',
  ],
  [
    '@docker-host docker-log-level',
    'in another file',
    { files: dockerWith('--config-file=/srv/docker.json', { 'srv/docker.json': '{ "log-level": "fatal" }' }) },
    'drifted',
  ],
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
    '@cis-debian-12 5.4.2.2',
    'another account with the primary group 0',
    { files: { ...DEBIAN, 'etc/passwd': `${DEBIAN['etc/passwd']}eve:x:1002:0::/home/eve:/bin/bash\n` } },
    'drifted',
  ],
  ['@cis-debian-12 5.4.2.2', 'root alone', { files: DEBIAN }, 'compliant'],
  ...['etc/shadow', 'etc/gshadow'].map((file): Row => [
    `@cis-debian-12 ${file === 'etc/shadow' ? '7.1.5' : '7.1.7'}`,
    'the group root, which is stricter than shadow',
    { files: { ...DEBIAN, 'etc/group': `${DEBIAN['etc/group']}shadow:x:42:\n`, [file]: '' }, modes: { [file]: 0o600 } },
    'compliant',
  ]),
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
  [
    '@cis-debian-12 5.3.3.1.1',
    'failures that count for a second',
    { files: { ...DEBIAN, 'etc/security/faillock.conf': 'deny = 5\nfail_interval = 1\n' } },
    'drifted',
  ],
  [
    '@cis-debian-12 5.3.3.1.1',
    'failures that count for an hour',
    { files: { ...DEBIAN, 'etc/security/faillock.conf': 'deny = 5\nfail_interval = 3600\n' } },
    'compliant',
  ],
  [
    '@cis-debian-12 2.3.3.1',
    'servers of the site alone',
    {
      files: { ...DEBIAN, 'usr/sbin/chronyd': 'x', 'etc/chrony/chrony.conf': 'server ntp1.site iburst\n' },
      set: ['time_service=chrony', 'time_servers=[ntp1.site]'],
    },
    'compliant',
  ],
  [
    '@cis-debian-12 6.2.2.2',
    'an audit daemon that writes no logs',
    {
      files: {
        ...DEBIAN,
        'usr/sbin/auditd': 'x',
        'etc/audit/auditd.conf': 'max_log_file_action = keep_logs\nwrite_logs = no\n',
      },
    },
    'drifted',
  ],
  ...['Protocol "-ALL,TLSv1"', 'Protocol ALL', 'protocol TLSv1.1'].map((command): Row => [
    '@nginx nginx-tls-protocols',
    command,
    { files: nginxWith(`ssl_conf_command ${command};`) },
    'drifted',
  ]),
  [
    '@nginx nginx-tls-protocols',
    'the same versions by OpenSSL',
    { files: nginxWith('ssl_conf_command Protocol "-ALL,TLSv1.2";') },
    'compliant',
  ],
  [
    '@nginx nginx-tls-ciphers',
    'weak ciphers by OpenSSL',
    { files: nginxWith('ssl_conf_command CipherString ALL;') },
    'drifted',
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
  ['@linux tmp-nodev', 'without a mount', { files: { ...DEBIAN, 'etc/fstab': '' } }, 'not-applicable'],
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
