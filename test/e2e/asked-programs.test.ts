import { existsSync, readlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { recordFiles } from '../../src/settings/files.ts'
import { apt } from '../../src/settings/apt.ts'
import { chrony } from '../../src/settings/chrony.ts'
import { postgresql } from '../../src/settings/postgresql/index.ts'
import { postfix } from '../../src/settings/postfix.ts'
import { rsyslog } from '../../src/settings/rsyslog.ts'
import type { Surface } from '../../src/settings/surface.ts'
import { createLocalTarget } from '../../src/host/live/local-target.ts'
import { QUESTION as MODPROBE } from '../../src/subjects/kernel-modules/module/witness.ts'
import { sshd } from '../../src/subjects/sshd/index.ts'
import { sudoers } from '../../src/subjects/sudo/index.ts'
import { CLUSTER } from '../settings/postgresql/server.ts'
import { PROGRAM } from '../support/driftgate.ts'
import { inCopy, standIn, traces } from '../support/asked-programs.ts'
import { cannotMount } from '../support/mount.ts'
import { hasProgram } from '../support/programs.ts'
import { temporaryDirectory } from '../support/temporary.ts'

const PROGRAMS = [
  'sshd',
  'modprobe',
  'visudo',
  'cvtsudoers',
  'chronyd',
  'rsyslogd',
  'postconf',
  'apt-config',
  'nginx',
  'strace',
]
const missing = existsSync(CLUSTER) ? PROGRAMS.find((name) => !hasProgram(name)) : `a cluster in ${CLUSTER}`
const cannot = cannotMount ?? (missing === undefined ? undefined : `needs ${missing}`)

function policyOf(...settings: readonly string[]): string {
  const path = join(temporaryDirectory(), 'policy.yaml')
  writeFileSync(path, `ccm:\n  resources:\n    - setting:\n${settings.map((each) => `        - ${each}\n`).join('')}`)
  return path
}

const scan = (policy: string, ...options: readonly string[]): string =>
  `${PROGRAM.join(' ')} scan ${policy} --no-config ${options.join(' ')}; echo "exit $?"`

const rootLogin = (): string => policyOf("sshd:PermitRootLogin: { value: 'no' }")
const LOCKED = "rm -f /etc/ssh/sshd_config.d/*; printf 'PermitRootLogin no\\n' > /etc/ssh/sshd_config"

describe.skipIf(cannot)(`programs that are asked for their configuration (${cannot ?? 'in a copy of /etc'})`, () => {
  test('say the same as the files, and the reading is the verdict', () => {
    const policy = policyOf(
      "sshd:PermitRootLogin: { value: 'no' }",
      "ssh_client:ForwardAgent: { value: 'no' }",
      'sudoers:NOPASSWD: { ensure: absent }',
      "sudoers:Defaults.use_pty: { value: 'true' }",
      'chrony:pool: { value: { includes: [pool.example.org] } }',
      "chrony:cmdport: { value: '0' }",
      'postfix:inet_interfaces: { value: loopback-only }',
      "apt:APT::Install-Recommends: { value: '0' }",
      "postgresql:statement_timeout: { value: '300000' }",
      "postgresql:work_mem: { value: '12MB' }",
    )
    const output = inCopy([
      LOCKED,
      "printf 'ForwardAgent false\\n' > /etc/ssh/ssh_config",
      "rm -f /etc/sudoers.d/*; printf 'Defaults use_pty\\nroot ALL=(ALL:ALL) ALL\\n' > /etc/sudoers",
      "printf 'pool   pool.example.org   iburst\\ncmdport 0\\n' > /etc/chrony/chrony.conf",
      "printf 'inet_interfaces =\\n loopback-only\\n' > /etc/postfix/main.cf",
      'printf \'APT { Install-Recommends "false"; };\\n\' > /etc/apt/apt.conf',
      `printf "statement_timeout = '5min'\nwork_mem = 12MB\n" > ${CLUSTER}/conf.d/site.conf`,
      scan(policy),
    ])
    expect(output).toContain('10 resources: 10 compliant, exit 0')
  })

  test('contradict the files: the result is unknown, and no fix changes it', () => {
    const program = standIn('echo permitrootlogin yes')
    const output = inCopy([
      LOCKED,
      `mount --bind ${program} /usr/sbin/sshd`,
      scan(rootLogin(), '--report', 'json'),
      scan(rootLogin(), '--fix', '--quiet'),
      scan(rootLogin(), '--no-ask', '--quiet'),
      'ls /etc/ssh/sshd_config.d; cat /etc/ssh/sshd_config',
    ])
    expect(output).toContain('"reason": "readers-disagree"')
    expect(output).toContain('/etc/ssh/sshd_config:1 sets \\"no\\", but /usr/sbin/sshd -T reports \\"yes\\"')
    expect(output.match(/exit \d$/gm)).toEqual(['exit 3', 'exit 3', 'exit 3', 'exit 0', 'exit 0'])
    expect(output.endsWith('PermitRootLogin no\n')).toBe(true)
  })

  test('reject the files: the result is unknown, with the error of the program', () => {
    const program = standIn(
      "echo '/etc/ssh/sshd_config: line 1: Bad configuration option: PermitRootLogin' >&2; exit 255",
    )
    const output = inCopy([LOCKED, `mount --bind ${program} /usr/sbin/sshd`, scan(rootLogin())])
    expect(output).toContain('sshd -T: /etc/ssh/sshd_config: line 1: Bad configuration option: PermitRootLogin')
    expect(output).toContain('exit 3')
  })

  test('reject or contradict the files of a database server', () => {
    const policy = policyOf("postgresql:work_mem: { value: '12MB' }")
    const conf = `${CLUSTER}/conf.d/site.conf`
    const output = inCopy([
      `printf 'work_mem = 12MB\nwal_level = most\n' > ${conf}`,
      scan(policy),
      'install -d -o postgres -g postgres -m 0700 /run/data; umask 077',
      `printf "data_directory = '/run/data'\n" > ${conf}; chmod 0644 ${conf}`,
      "echo 'work_mem = 12MB' > /run/data/postgresql.auto.conf",
      scan(policy),
    ])
    expect(output).toContain('postgres -C: invalid value for parameter "wal_level": "most"')
    expect(output).toMatch(/auto\.conf:1 sets "12MB", but \S+postgres -C work_mem .* reports "4096"/)
    expect(output.match(/exit \d$/gm)).toEqual(['exit 3', 'exit 3', 'exit 3', 'exit 3'])
  })

  test('do not use files with a mistake behind what is looked at', () => {
    const policy = policyOf("rsyslog:$FileCreateMode: { value: '0640' }")
    const good = '$FileCreateMode 0640\\n*.* /var/log/all\\n'
    const output = inCopy([
      `printf '${good}' > /etc/rsyslog.conf; ${scan(policy, '--quiet')}`,
      `printf '${good}set $!x = ;\\n' > /etc/rsyslog.conf; ${scan(policy)}`,
    ])
    expect(output).toContain('1 resource: 1 compliant, exit 0')
    expect(output).toContain('rsyslogd -N1: error during parsing file /etc/rsyslog.conf')
  })

  test('cannot answer, or belong to another user: the files alone decide', () => {
    const silent = standIn("echo 'sshd: no hostkeys available -- exiting.' >&2; exit 1")
    const foreign = standIn('echo permitrootlogin yes')
    const output = inCopy([
      LOCKED,
      `mount --bind ${silent} /usr/sbin/sshd; ${scan(rootLogin(), '--quiet')}; umount /usr/sbin/sshd`,
      `chown nobody ${foreign}; mount --bind ${foreign} /usr/sbin/sshd; ${scan(rootLogin(), '--quiet')}`,
    ])
    expect(output.match(/exit \d$/gm)).toEqual(['exit 0', 'exit 0', 'exit 0', 'exit 0'])
  })

  test('read another file than the usual one, and so does driftgate', () => {
    const policy = policyOf('sudoers:NOPASSWD: { ensure: absent }')
    const output = inCopy([
      "printf 'root ALL=(ALL:ALL) ALL\\n' | tee /etc/sudoers > /etc/sudoers-site; chmod 0440 /etc/sudoers-site",
      "echo 'eve ALL=(ALL) NOPASSWD: ALL' >> /etc/sudoers-site; rm -f /etc/sudoers.d/*",
      "echo 'Plugin sudoers_policy sudoers.so sudoers_file=/etc/sudoers-site' > /etc/sudo.conf",
      scan(policy),
      `chmod 0644 /etc/sudoers-site; ${scan(policy)}`,
    ])
    expect(output.match(/exit \d$/gm)).toEqual(['exit 2', 'exit 2', 'exit 2', 'exit 2'])
    expect(output.match(/eve ALL=\(ALL\) NOPASSWD: ALL/g)).not.toBeNull()
  })

  test('read drop-ins that sudo passes over: the reading alone decides', () => {
    const policy = policyOf('sudoers:NOPASSWD: { ensure: absent }')
    const output = inCopy([
      "rm -f /etc/sudoers.d/*; printf 'root ALL=(ALL:ALL) ALL\\n@includedir /etc/sudoers.d\\n' > /etc/sudoers",
      "echo 'eve ALL=(ALL) NOPASSWD: ALL' > /etc/sudoers.d/open; chmod 0666 /etc/sudoers.d/open",
      scan(policy, '--quiet'),
      'chmod 0440 /etc/sudoers.d/open',
      scan(policy, '--quiet'),
    ])
    expect(output.match(/exit \d$/gm)).toEqual(['exit 0', 'exit 0', 'exit 2', 'exit 2'])
  })

  test('are not asked for what lies below a directory', () => {
    const marker = join(temporaryDirectory(), 'asked')
    const program = standIn(`touch ${marker}; echo permitrootlogin yes`)
    const output = inCopy([
      LOCKED,
      `mount --bind ${program} /usr/sbin/sshd`,
      'mkdir /run/other && mount --rbind / /run/other',
      scan(rootLogin(), '--quiet', '--target', 'root:/run/other'),
      `ls ${marker} 2>/dev/null || echo not asked`,
    ])
    expect(output).toContain('not asked')
    expect(output).toContain('exit 0')
  })

  const scanWeb = (quiet = ''): string =>
    scan(policyOf("nginx:server_tokens: { value: 'off' }"), '--ask-sandboxed', quiet)
  const web = (text: string): string =>
    `printf 'events {}\nhttp { server_tokens off; ${text} }\n' > /etc/nginx/nginx.conf`

  test('contradict the files of modprobe', () => {
    const path = join(temporaryDirectory(), 'policy.yaml')
    writeFileSync(path, 'ccm: { resources: [{ kernel_module: [{ cramfs: { available: false } }] }] }')
    const kernel = '/usr/lib/modules/$(uname -r)'
    const program = standIn("echo 'install cramfs /sbin/insmod cramfs.ko'")
    const output = inCopy([
      'mkdir /run/up /run/work; mount -t overlay none -o lowerdir=/usr/lib,upperdir=/run/up,workdir=/run/work /usr/lib',
      `mkdir -p ${kernel}; echo kernel/cramfs.ko: > ${kernel}/modules.dep; : > ${kernel}/modules.builtin`,
      'rm -rf /etc/modprobe.d; mkdir /etc/modprobe.d',
      "printf 'install cramf? \\t/bin/false \\\\\\n # x\\ninstall cramfs /bin/true\\n' > /etc/modprobe.d/a.conf",
      scan(path, '--quiet'),
      `mount --bind ${program} /usr/sbin/modprobe`,
      scan(path),
      scan(path, '--no-ask', '--quiet'),
      'umount /usr/sbin/modprobe; rm /etc/modprobe.d/a.conf',
      scan(path, '--fix', '--quiet'),
    ])
    expect(output).toContain('1 resource: 1 fixed, exit 0')
    expect(output).toContain('but /usr/sbin/modprobe -c reports "/sbin/insmod cramfs.ko"')
    expect(output.match(/exit \d$/gm)).toEqual([
      'exit 0',
      'exit 0',
      'exit 3',
      'exit 3',
      'exit 0',
      'exit 0',
      'exit 0',
      'exit 0',
    ])
  })

  test('in a sandbox, reject files or read others; bare, they are not asked', () => {
    const program = standIn("echo '# configuration file /etc/nginx/other.conf:'")
    const output = inCopy([
      web('client_max_body_size x;'),
      scanWeb(),
      scanWeb('--quiet').replace('--ask-sandboxed', ''),
      web(''),
      `mount --bind ${program} /usr/sbin/nginx; ${scanWeb()}`,
    ])
    expect(output).toContain('nginx -T: "client_max_body_size" directive invalid value in /etc/nginx/nginx.conf:2')
    expect(output).toContain('than the scan: # configuration file /etc/nginx/other.conf')
    expect(output.match(/exit \d$/gm)).toEqual(['exit 3', 'exit 3', 'exit 0', 'exit 0', 'exit 3', 'exit 3'])
  })

  test('in a sandbox, agree with the files, whatever their addresses and names mean there', () => {
    const output = inCopy([
      'echo "server { listen 192.0.2.7:80; listen [2001:db8::1]:81; }" > /etc/nginx/site; echo "a 1;" > /etc/nginx/data',
      web('map $uri $x { include data; } include s?te;'),
      scanWeb(),
      web('server { location / { proxy_pass http://host.invalid; } }'),
      scanWeb('--quiet'),
    ])
    expect(output.match(/exit \d$/gm)).toEqual(['exit 0', 'exit 0', 'exit 0', 'exit 0'])
  })

  test('in a sandbox, change nothing outside, and see no network', () => {
    const places = '/etc /run /var/tmp /dev/shm'
    const touch = `for place in ${places}; do echo > $place/asked-program; done`
    const program = standIn(`${touch}; echo "[emerg] 1#1: $(readlink /proc/self/ns/net) in /x:1" >&2; exit 1`)
    const left = `find ${places} -maxdepth 1 -name asked-program; echo done`
    const output = inCopy([
      web(''),
      'mount -t tmpfs none /var/tmp; mount -t tmpfs none /dev/shm',
      `mount --bind ${program} /usr/sbin/nginx; ${scanWeb()}; ${left}`,
      `nginx 2>/dev/null; ${left}`,
    ])
    expect(output).toMatch(/nginx -T: net:\[\d+\] in \/x:1/)
    expect(output).not.toContain(readlinkSync('/proc/self/ns/net'))
    const [sandboxed = '', bare = ''] = output.split('done\n')
    expect(sandboxed).not.toContain('/asked-program')
    expect(bare.match(/\/asked-program/g)).toHaveLength(4)
  })

  test('in a sandbox, the real nginx leaves no file behind', () => {
    const left = 'find /etc /run /var/lib/nginx /var/log/nginx -newer /run/mark; echo done'
    const output = inCopy([
      'rm -f /etc/nginx/sites-enabled/*; sleep 0.1; touch /run/mark; sleep 0.1',
      `${scanWeb('--quiet')}; ${left}`,
      `unshare --net nginx -T >/dev/null 2>&1; ${left}`,
    ])
    const [sandboxed = '', bare = ''] = output.split('done\n')
    expect(sandboxed).not.toContain('/')
    expect(bare).toContain('/run/nginx.pid')
  })

  const KEYS: readonly (readonly [Surface, string])[] = [
    [sshd, 'PermitRootLogin'],
    [sudoers, 'NOPASSWD'],
    [rsyslog, '$FileCreateMode'],
    [chrony, 'pool'],
    [postfix, 'inet_interfaces'],
    [apt, 'APT::Install-Recommends'],
    [postgresql, 'ssl'],
    [postgresql, 'shared_memory_size'],
  ]

  test.each(KEYS.map(([surface, key]) => [surface.name, key, surface] as const))(
    'leave no trace: %s:%s',
    (_, key, surface) => {
      const { files } = recordFiles(createLocalTarget())
      const [question] = surface.witness?.(files, { section: '', key }, {}) ?? []
      expect(question?.commands).not.toHaveLength(0)
      const user = question?.manner?.user
      const as = user === undefined ? '' : `setpriv --reuid=${user.uid} --regid=${user.gid} --clear-groups `
      for (const argv of question?.commands ?? []) {
        expect(traces(as + argv.map((word) => `"${word}"`).join(' '))).toEqual([])
      }
    },
  )

  test('leave no trace: modprobe', () => expect(traces(MODPROBE.join(' '))).toEqual([]))

  test.each(['augenrules --check', 'sysctl --system --dry-run', 'postfix check', 'rpm -qa'])(
    'would be told from programs that leave one: %s',
    (command) => {
      expect(traces(command)).not.toEqual([])
    },
  )
})
