import { expect, test } from 'vitest'
import { DEBIAN, type Files, type Host, needsRoot, RHEL, type Row, verdictOf, WANTS } from './host.ts'

const AUDIT_RULE = '-w /etc/sudoers -p wa -k a\n-w /etc/sudoers.d -p wa -k a\n'

function auditWith(rules: string, more: Files = {}): Host {
  const tools = { 'usr/sbin/auditctl': 'x', 'usr/sbin/auditd': 'x', 'usr/sbin/augenrules': 'x' }
  const written = { 'etc/audit/rules.d/a.rules': rules, 'etc/audit/audit.rules': rules }
  return { files: { ...DEBIAN, ...tools, ...written, ...more } }
}

const AUDIT_MODES = {
  'etc/audit/audit.rules': 0o640,
  'etc/audit/rules.d': 0o750,
  'etc/audit/rules.d/a.rules': 0o640,
}

/** A host whose kernel starts with this argument. */
function bootWith(argument: string): Host & Required<Pick<Host, 'modes'>> {
  return {
    files: {
      ...DEBIAN,
      'boot/grub/grub.cfg': `menuentry 'Debian' {\n linux /boot/vmlinuz-6.1 root=/dev/sda1 ro ${argument}\n}\n`,
      'boot/vmlinuz-6.1': '',
      'etc/default/grub': `GRUB_CMDLINE_LINUX="${argument}"\n`,
      'usr/sbin/update-grub': 'x',
    },
    modes: { 'usr/sbin/update-grub': 0o755 },
  }
}

/** Stored and compiled rules that watch a file; both logs have their directory. */
function watching(path: string): Files {
  const rule = `-w ${path} -p wa -k maintenance\n`
  return { 'srv/log/a': '', 'var/log/a': '', 'etc/audit/rules.d/sudo.rules': rule, 'etc/audit/audit.rules': rule }
}

const SUDO_LOG = 'sudo_log=/srv/log/sudo'

/** A host with this faillock.conf, whose audit rules watch lastlog and a directory of records. */
function faillockWith(conf: string, watched: string): Host {
  const records = { 'etc/security/faillock.conf': conf, 'var/run/faillock/bob': '', 'var/log/faillock/bob': '' }
  return auditWith(`-w ${watched} -p wa -k logins\n-w /var/log/lastlog -p wa -k logins\n`, records)
}

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
  // auditctl(8), auditd.conf(5)
  ['@cis-debian-12 6.2.3.1', 'rules that are enabled', auditWith(AUDIT_RULE), 'compliant'],
  ...[
    ['/sbin/auditctl -R /etc/audit/site.rules', 'error'],
    ['/sbin/auditctl -D', 'error'],
    ['/sbin/auditctl -s', 'compliant'],
  ].map(([command = '', verdict = '']): Row => [
    '@cis-debian-12 6.2.3.1',
    `another unit that runs ${command}`,
    auditWith(AUDIT_RULE, {
      'etc/systemd/system/site-audit.service': `[Service]\nExecStart=${command}\n`,
      [`${WANTS}/site-audit.service`]: '',
    }),
    verdict,
  ]),
  // Only the events that the title names are asked for.
  ...[
    ['', 'compliant'],
    ['-F success=1 ', 'compliant'],
    ['-F success=0 ', 'drifted'],
    ['-F exe=/usr/bin/mount ', 'drifted'],
  ].map(([condition = '', verdict = '']): Row => {
    const rules = ['b32', 'b64'].map(
      (arch) => `-a always,exit -F arch=${arch} -S mount -F auid>=1000 -F auid!=unset ${condition}-k mounts\n`,
    )
    return ['@cis-debian-12 6.2.3.10', `mounts recorded with "${condition}"`, auditWith(rules.join('')), verdict]
  }),
  ['@cis-debian-12 6.2.3.1', 'auditing that a start disables', auditWith(`${AUDIT_RULE}-e 0\n`), 'drifted'],
  ...(
    [
      ['@cis-debian-12 6.2.4.5', 'mode'],
      ['@cis-debian-12 6.2.4.6', 'owner'],
      ['@cis-debian-12 6.2.4.7', 'owner'],
      ['@cis-rhel-9 6.3.4.5', 'mode'],
    ] as const
  ).map(([control, what]): Row => {
    const plugin = 'etc/audit/plugins.d/x.conf'
    const host = auditWith('', { [plugin]: '' })
    const bad = what === 'mode' ? { modes: { [plugin]: 0o666 } } : { owned: [plugin] }
    return [control, `another ${what} of a plugin`, { ...host, ...bad }, 'drifted']
  }),
  [
    '@cis-debian-12 6.2.4.5',
    'a directory of rules for all',
    { ...auditWith(''), modes: { ...AUDIT_MODES, 'etc/audit/rules.d': 0o777 } },
    'drifted',
  ],
  [
    '@cis-debian-12 6.2.4.6',
    'a directory of rules of a user',
    { ...auditWith(''), modes: AUDIT_MODES, owned: ['etc/audit/rules.d'] },
    'drifted',
  ],
  // augenrules reads what a link leads to.
  ...['6.2.4.5', '6.2.4.6', '6.2.4.7'].map((id): Row => [
    `@cis-debian-12 ${id}`,
    'a link to rules that a user changes',
    {
      ...auditWith('', { 'srv/b.rules': '' }),
      modes: { ...AUDIT_MODES, 'srv/b.rules': 0o666 },
      links: { 'etc/audit/rules.d/b.rules': '/srv/b.rules' },
      owned: ['srv/b.rules'],
    },
    'drifted',
  ]),
  ...[
    '@cis-debian-12 6.2.4.1',
    '@cis-debian-12 6.2.4.3',
    '@cis-debian-12 6.2.4.5',
    '@cis-debian-12 6.2.4.8',
    '@cis-rhel-9 6.3.4.9',
  ].map((control): Row => [
    control,
    'without auditd',
    { files: control.includes('rhel') ? RHEL : DEBIAN },
    'not-applicable',
  ]),
  ['@cis-debian-12 6.2.4.5', 'files as they are installed', { ...auditWith(''), modes: AUDIT_MODES }, 'compliant'],
  // auditd(8), -c
  ...(
    [
      ['', 'compliant'],
      [' -s enable', 'compliant'],
      [' -c /srv/audit', 'drifted'],
      [' -lc/srv/audit', 'drifted'],
    ] as const
  ).map(([options, verdict]): Row => [
    '@cis-debian-12 6.2.2.2',
    `auditd${options}`,
    {
      files: {
        ...DEBIAN,
        'usr/sbin/auditd': 'x',
        'etc/audit/auditd.conf': 'max_log_file_action = keep_logs\n',
        'srv/audit/auditd.conf': 'max_log_file_action = rotate\n',
        'usr/lib/systemd/system/auditd.service': `[Service]\nExecStart=/sbin/auditd${options}\n`,
      },
    },
    verdict,
  ]),
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
  ...(
    [
      ['', 'compliant'],
      ['log_format = NOLOG', 'drifted'],
      ['log_format = enriched', 'compliant'],
    ] as const
  ).map(([line, verdict]): Row => [
    '@cis-debian-12 6.2.2.2',
    `logs by default and the line ${line}`,
    {
      files: {
        ...DEBIAN,
        'usr/sbin/auditd': 'x',
        'etc/audit/auditd.conf': `max_log_file_action = keep_logs\n${line}\n`,
      },
    },
    verdict,
  ]),
  ...[
    ['ExecStartPost=-/sbin/augenrules --load', '', 'compliant'],
    ['ExecStartPost=-/sbin/augenrules --load', 'ExecStartPost=', 'error'],
    ['ExecStartPost=-/sbin/augenrules --load', 'ExecStartPost=/sbin/auditctl -R /etc/audit/audit.rules', 'compliant'],
    ['ExecStartPost=-/sbin/augenrules --load', 'ExecStartPost=/sbin/auditctl -D', 'error'],
    ['ExecStartPost=-/sbin/augenrules --load', 'ExecStartPost=/sbin/auditctl -R /srv/a.rules', 'error'],
    ['ExecStartPost=-/sbin/augenrules --load', 'ExecStart=\nExecStart=/sbin/auditd -s disable', 'error'],
    ['ExecStartPost=-/sbin/augenrules --load', 'ExecStart=\nExecStart=/sbin/auditd -s enable', 'compliant'],
  ].map(([unit = '', dropIn = '', verdict = '']): Row => {
    const rules = '-w /etc/sudoers -p wa -k s\n-w /etc/sudoers.d -p wa -k s\n'
    const loading = {
      'usr/lib/systemd/system/auditd.service': `[Service]\nExecStart=/sbin/auditd\n${unit}\n`,
      'etc/systemd/system/auditd.service.d/a.conf': `[Service]\n${dropIn}\n`,
    }
    const sources = { 'etc/audit/rules.d/a.rules': rules, 'etc/audit/audit.rules': rules }
    return ['@cis-debian-12 6.2.3.1', `${unit}, ${dropIn}`, { files: { ...DEBIAN, ...sources, ...loading } }, verdict]
  }),
  ...[
    ['/var/log/sudo.log', 'compliant'],
    ['/var/log/sudo/s.log', 'drifted'],
  ].map(([log = '', verdict = '']): Row => {
    const rules = '-w /var/log/sudo.log -p wa -k maintenance\n'
    const audit = { 'etc/audit/rules.d/a.rules': rules, 'etc/audit/audit.rules': rules }
    const sudo = { 'var/log/sudo.log': '', 'usr/bin/sudo': 'x', 'etc/sudoers': `Defaults logfile=${log}\n` }
    const host = { files: { ...DEBIAN, ...audit, ...sudo }, modes: { 'etc/sudoers': 0o440 } }
    return ['@cis-debian-12 6.2.3.3', `sudo writes ${log}`, host, verdict]
  }),
  ['@cis-debian-12 6.2.1.3', 'audit=on', bootWith('audit=on'), 'compliant'],
  // auditctl(8), -b and -r
  ...[
    ['', 'compliant'],
    ['-b 8192\n-r 0\n', 'compliant'],
    ['-b 64\n', 'drifted'],
    ['-b 8192\n-r 1\n', 'drifted'],
  ].map(([rules = '', verdict = '']): Row => {
    const { files, modes } = bootWith('audit_backlog_limit=8192')
    return ['@cis-debian-12 6.2.1.4', `rules with ${rules}`, { ...auditWith(rules, files), modes }, verdict]
  }),
  [
    '@cis-debian-12 6.2.3.12',
    'records of pam_faillock elsewhere',
    faillockWith('dir = /var/log/faillock\n', '/var/run/faillock'),
    'drifted',
  ],
  [
    '@cis-debian-12 6.2.3.12',
    'records of pam_faillock where the site has them',
    { ...faillockWith('dir = /var/log/faillock\n', '/var/log/faillock'), set: ['faillock_dir=/var/log/faillock'] },
    'compliant',
  ],
  ['@cis-debian-12 6.2.3.12', 'the usual records', faillockWith('', '/var/run/faillock'), 'compliant'],
])('%s, %s', async (control, _title, host, verdict) => {
  expect(await verdictOf(control, host)).toBe(verdict)
})
