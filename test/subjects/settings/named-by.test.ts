import { expect, test } from 'vitest'
import { recordFiles } from '../../../src/settings/files.ts'
import { namedBy } from '../../../src/subjects/settings/named-by.ts'
import type { NamingProgram } from '../../../src/subjects/settings/naming-programs.ts'
import { machineOf } from '../../support/setting-machine.ts'

function names(program: NamingProgram, files: Readonly<Record<string, string>>): unknown {
  const named = namedBy(program, recordFiles(machineOf(files)).files)
  if (named.kind === 'unknown') return `unknown: ${named.detail}`
  if (named.value === null) return 'not there'
  const { paths, strays, unclear } = named.value
  return {
    paths,
    ...(strays.length > 0 && { strays }),
    ...(unclear.length > 0 && { unclear: unclear.map(({ detail }) => detail) }),
  }
}

const AUDITD = '/etc/audit/auditd.conf'

test('auditd names its log, those that it was before, and their directory', () => {
  const logs = { '/var/log/audit/audit.log': '', '/var/log/audit/audit.log.1': '', '/var/log/audit/other': '' }
  const expected = { paths: ['/var/log/audit', '/var/log/audit/audit.log', '/var/log/audit/audit.log.1'] }
  expect(names('auditd', { ...logs, [AUDITD]: '' })).toEqual(expected)
  expect(names('auditd', { ...logs, '/usr/sbin/auditd': '' })).toEqual(expected)
  expect(
    names('auditd', { [AUDITD]: 'log_file = /srv/x/a.log\nLog_File = /srv//y/b.log\n', '/srv/y/b.log': '' }),
  ).toEqual({
    paths: ['/srv/y', '/srv/y/b.log'],
  })
  expect(names('auditd', { [AUDITD]: 'log_file = audit.log\n' })).toMatch(/^unknown: .*is not an absolute path/)
  expect(names('auditd', {})).toBe('not there')
})

test.each([
  ['database_in=file:/srv/a.db\ndatabase_in=file:/srv/b.db\n', { paths: ['/srv/a.db'] }],
  ['@@define D /srv\n@@include /etc/aide/b.conf\n', { paths: ['/srv/c.db.gz'] }],
  ['database=file:///srv/a.db\n', { paths: ['/srv/a.db'] }],
  ['database_in=file:/srv/empty.db\n', { paths: ['/srv/empty.db'], unclear: [expect.stringContaining('is empty')] }],
  ['database_in=https://a.site/aide.db\n', { paths: [], strays: ['https://a.site/aide.db'] }],
  [
    '@@ifdef X\ndatabase_in=file:/srv/a.db\n@@endif\n',
    expect.stringMatching(/^unknown: .*:2: it counts on a condition/),
  ],
  ['/usr R\n', { paths: [] }],
])('AIDE compares with the database of %j', (conf, expected) => {
  const more = { '/etc/aide/b.conf': 'database_in = file:@@{D}/c.db.gz\n', '/srv/empty.db': '', '/srv/a.db': 'x' }
  expect(names('aide_database', { '/etc/aide/aide.conf': conf, ...more })).toEqual(expected)
})

// rsyslogd 8.2302 finds nothing wrong with it (`-N1`).
const RSYSLOG = `# comment "with a quote
module(load="imuxsock" sysSock.use="off")  # provides
/* a block
 *.* /out/never */
$ActionFileDefaultTemplate RSYSLOG_TraditionalFileFormat
$template dyn,"/out/%HOSTNAME%.log"
$IncludeConfig /etc/rsyslog.d/*.conf
template(name="t" type="list") { property(name="msg") constant(value="a } ) action(") }
*.*;auth,authpriv.none   -/out/a
*.=info;*.=notice;\\
\tsyslog.*;\\
\tmail.none   -/out/b  # trailing
& /out/c;RSYSLOG_FileFormat
syslog.*\t/out/d
*.emerg :omusrmsg:*
*.alert root,ann
:msg, contains, "rsyslogd \\"x" /out/no
:msg, contains, "start"  /out/e
if $syslogfacility-text == 'syslog' and ($msg contains "then" or $msg contains 'start') then /out/f
if $syslogtag contains "rsyslogd" then {
  action(type="omfile" # file="/out/never"
         file="/out/g" fileCreateMode="0600")
  set $.x = "a;b";
  if $.x == "a;b" then { action(type="omfile" file="/out/h") } else { stop }
  call rules
  /out/i
}
ruleset(name="rules") {
  *.* action(type="omfile" file="/out/j")
}
*.* action(name="x" Type="OMFILE" FILE="/out/k")
*.* |/out/pipe
*.* @127.0.0.1:9
*.* action(type="omfwd" target="127.0.0.1" file="/out/never")
mail.* ~
*.* stop
mail.* -/out/mail
`

test('rsyslog names the files of its actions, in the syntax of old and in the new one', () => {
  const files = {
    '/etc/rsyslog.conf': RSYSLOG,
    '/etc/rsyslog.d/x.conf': 'include(file="/etc/none/*.conf" mode="optional")\nsyslog.info -/out/l\n',
    '/etc/rsyslog.d/y.txt': '*.* /out/never\n',
  }
  expect(names('rsyslog', files)).toEqual({
    paths: ['l', 'a', 'b', 'c', 'd', 'no', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'mail'].map((name) => `/out/${name}`),
  })
})

test.each([
  ['*.* ?dyn', 'the template dyn generates the file names'],
  ['*.* -?dyn;t', 'the template dyn;t generates the file names'],
  ['action(type="omfile" dynaFile="dyn")', 'generates its file names per message'],
  ['action(type="omfile" file=`echo $LOG`)', 'generates its file names per message'],
  [String.raw`action(type="omfile" file="/out/\101")`, 'generates its file names per message'],
  [String.raw`module(load="\x41")`, 'line 2 has unsupported syntax'],
  ['mail.* { /out/x }', 'unsupported action "/out/x }"'],
  ['action(file="/out/x")', 'an unknown type'],
  ['action(type="omfile" file="x")', '"x" is not an absolute path'],
  ['$outchannel c,/out/x,1,/bin/y\n*.* :omfile:$c', 'cannot determine the output files of ":omfile:$c"'],
  ['*.* $c', 'cannot determine the output files of "$c"'],
  ['include(text="*.* /out/x")', 'unsupported include'],
  ['include(file=`echo $X`)', 'unsupported include'],
  ['if $msg contains "then', 'has unsupported syntax'],
  ['action(type="omfile" file="/out/x"', 'leaves a block or quote unclosed'],
  ['*.* /out/x y', 'unsupported action "/out/x y"'],
  ['ann', 'unsupported action "ann"'],
])('rsyslog: an unsupported part of %s is reported, beside the known files', (text, why) => {
  const named = names('rsyslog', { '/etc/rsyslog.conf': `*.* /out/a\n${text}\n` }) as {
    paths: unknown
    unclear: unknown
  }
  expect(named.paths).toEqual(['/out/a'])
  expect(named.unclear).toEqual([expect.stringContaining(why)])
})

test('rsyslog without its configuration, and with one that includes itself, is unknown', () => {
  expect(names('rsyslog', { '/usr/sbin/rsyslogd': '' })).toMatch(/^unknown: .* does not exist/)
  expect(names('rsyslog', { '/etc/rsyslog.conf': '$IncludeConfig /etc/rsyslog.conf\n' })).toMatch(
    /includes are nested too deeply/,
  )
  expect(names('rsyslog', {})).toBe('not there')
})

test('the PATH of root names its directories, of every login shell', () => {
  const shells = { '/bin/bash': '', '/bin/sh': 'dash', '/etc/passwd': 'root:x:0:0::/root:/bin/bash\n' }
  const at = (profile: string): unknown => names('root_path', { ...shells, '/etc/profile': profile })
  expect(at('PATH=/usr/sbin:/usr/bin/:/srv//bin\n')).toEqual({ paths: ['/usr/sbin', '/usr/bin/', '/srv/bin'] })
  expect(at('PATH=/usr/sbin::bin:.\n')).toEqual({ paths: ['/usr/sbin'], strays: ['', 'bin', '.'] })
  expect(at('PATH=$(some-program)\n')).toMatchObject({
    paths: [],
    unclear: [expect.stringContaining('PATH'), expect.anything(), expect.anything()],
  })
  expect(at('PATH=/a\nif some-program; then PATH=/b; fi\n')).toMatchObject({ paths: ['/b', '/a'] })
  expect(names('root_path', {})).toBe('not there')
})

test('sshd names the files it reads, and its host keys', () => {
  const server = { '/usr/sbin/sshd': 'OpenSSH_9.2p1', '/etc/ssh/sshd_config': 'Include /etc/ssh/d/*.conf\n' }
  expect(names('sshd_config', { ...server, '/etc/ssh/d/a.conf': '#\n', '/etc/ssh/d/b': '' })).toEqual({
    paths: ['/etc/ssh/sshd_config', '/etc/ssh/d/a.conf', '/etc/ssh/d'],
  })
  expect(names('sshd_host_keys', { ...server, '/etc/ssh/d/a.conf': 'HostKey /srv/a\nHostKey /srv/b\n' })).toEqual({
    paths: ['/srv/a', '/srv/b'],
  })
  expect(names('sshd_host_keys', server)).toEqual({
    paths: ['/etc/ssh/ssh_host_rsa_key', '/etc/ssh/ssh_host_ecdsa_key', '/etc/ssh/ssh_host_ed25519_key'],
  })
  expect(names('sshd_config', {})).toBe('not there')
  const client = { '/usr/bin/ssh': 'OpenSSH_9.2p1', '/etc/ssh/ssh_config': 'Include /srv/c\nInclude d/*.conf\n' }
  expect(names('ssh_config', { ...client, '/srv/c': 'Host x\n' })).toEqual({
    paths: ['/etc/ssh/ssh_config', '/srv/c', '/srv', '/etc/ssh/d'],
  })
  expect(names('ssh_config', {})).toBe('not there')
})

test('sshd names the banners it shows before a login, to all users or to some', () => {
  const banner = (config: string, files: Readonly<Record<string, string>> = {}): unknown =>
    names('sshd_banner', { '/usr/sbin/sshd': 'OpenSSH_9.2p1', '/etc/ssh/sshd_config': config, ...files })
  expect(banner('')).toEqual({ paths: [] })
  expect(banner('Banner none\n')).toEqual({ paths: [] })
  expect(banner('Banner /etc/a\nMatch User bob\nBanner /etc/b\n', { '/etc/a': 'Hello' })).toEqual({
    paths: ['/etc/a', '/etc/b'],
  })
  expect(banner('Banner banner\n')).toEqual({ paths: [], strays: ['banner'] })
  expect(banner('Banner /etc/a\n', { '/etc/a': '\n' })).toEqual({
    paths: ['/etc/a'],
    unclear: ['/etc/a is empty, so no banner is shown'],
  })
})

test('nginx names its included files, and the keys of its servers', () => {
  const files = {
    '/etc/nginx/nginx.conf': 'http { include sites/*; }\n',
    '/etc/nginx/sites/a': 'server { ssl_certificate_key ssl/a.pem; }\nserver { ssl_certificate_key "$host.key"; }\n',
  }
  expect(names('nginx_config', files)).toEqual({
    paths: ['/etc/nginx/nginx.conf', '/etc/nginx/sites/a', '/etc/nginx/sites'],
  })
  const unit = '/etc/systemd/system/nginx.service'
  const units = {
    [unit]: '[Service]\nExecStart=/usr/sbin/nginx\n',
    '/etc/systemd/system/other.service': '[Service]\nExecStart=/bin/other\n',
    '/etc/systemd/system/multi-user.target.wants/other.service': '[Service]\nExecStart=/bin/other\n',
  }
  expect(names('nginx_config', { ...files, ...units })).toEqual({
    paths: [unit, '/etc/nginx/nginx.conf', '/etc/nginx/sites/a', '/etc/nginx/sites'],
  })
  expect(names('nginx_keys', files)).toEqual({
    paths: ['/etc/nginx/ssl/a.pem'],
    unclear: ['/etc/nginx/sites/a:2: cannot resolve the file $host.key'],
  })
})

test('PostgreSQL names its included files and its access rules, at any path', () => {
  const main = '/etc/postgresql/15/main/postgresql.conf'
  const files = {
    [main]: "hba_file = '/srv/hba'\nident_file = '/srv/ident'\ninclude 'more.conf'\n",
    '/etc/postgresql/15/main/more.conf': '',
    '/srv/hba': 'local all all peer\ninclude more\n',
    '/srv/more': '',
  }
  expect(names('postgresql_config', files)).toEqual({
    paths: [main, '/etc/postgresql/15/main/more.conf', '/srv/hba', '/srv/more'],
  })
  expect(names('postgresql_hba', files)).toEqual({ paths: ['/srv/hba', '/srv/more', '/srv/ident'] })
})
