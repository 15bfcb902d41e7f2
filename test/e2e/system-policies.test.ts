import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import process from 'node:process'
import { expect, test } from 'vitest'
import type { ResourceResult, Run } from '../../src/model/run.ts'
import { driftgate, PROGRAM, temporaryDirectory, UNPRIVILEGED } from '../support/driftgate.ts'
import { OWN_STATE } from '../support/mount.ts'
import { needsPrograms } from '../support/programs.ts'
import { needsRoot } from '../support/temporary.ts'

// What the shipped policies ask for, written down a second time as the values that sysctl(8) may print.
const KERNEL: Readonly<Record<string, RegExp>> = {
  ...sameFor(/^0$/, 'kernel.modules_disabled kernel.sysrq'),
  ...sameFor(/^[02]$/, 'fs.suid_dumpable'),
  ...sameFor(/^2$/, 'kernel.randomize_va_space fs.protected_regular net.ipv4.conf.all.arp_announce'),
  ...sameFor(/^[12]$/, 'fs.protected_fifos net.ipv4.conf.all.arp_ignore'),
  ...sameFor(/^[23]$/, 'kernel.yama.ptrace_scope'),
  ...sameFor(/^1$/, 'fs.protected_hardlinks fs.protected_symlinks net.ipv4.icmp_echo_ignore_broadcasts'),
  ...sameFor(/^1$/, 'net.ipv4.icmp_ignore_bogus_error_responses net.ipv4.tcp_rfc1337 net.ipv4.tcp_syncookies'),
  ...sameFor(/^1$/, 'net.ipv6.conf.default.max_addresses'),
  ...sameFor(/^0$/, 'net.ipv4.ip_forward net.ipv4.conf.all.forwarding net.ipv6.conf.all.forwarding'),
  ...sameFor(/^0$/, 'net.ipv4.tcp_timestamps'),
  ...sameFor(/^[1-9]\d{2,}$/, 'net.ipv4.icmp_ratelimit'),
  ...sameFor(/^88089$/, 'net.ipv4.icmp_ratemask'),
  ...inBoth(/^1$/, 'net.ipv4', 'rp_filter log_martians shared_media'),
  ...inBoth(/^0$/, 'net.ipv4', 'accept_redirects accept_source_route secure_redirects send_redirects'),
  ...inBoth(/^0$/, 'net.ipv6', 'accept_redirects accept_source_route accept_ra'),
  ...sameFor(
    /^0$/,
    ['accept_ra_defrtr', 'accept_ra_pinfo', 'accept_ra_rtr_pref', 'autoconf', 'dad_transmits', 'router_solicitations']
      .map((name) => `net.ipv6.conf.default.${name}`)
      .join(' '),
  ),
}

function sameFor(values: RegExp, names: string): Record<string, RegExp> {
  return Object.fromEntries(names.split(' ').map((name) => [name, values]))
}

function inBoth(values: RegExp, family: string, names: string): Record<string, RegExp> {
  const keys = ['all', 'default'].flatMap((scope) => names.split(' ').map((name) => `${family}.conf.${scope}.${name}`))
  return sameFor(values, keys.join(' '))
}

/** A machine with its own kernel, even if the tests run in a container. */
const OWN_KERNEL = ['--fact', 'host.info.virtualizationSystem=kvm']
const IN_CONTAINER = ['--fact', 'host.info.virtualizationSystem=docker']

interface Scanned {
  readonly code: number | null
  readonly resources: readonly ResourceResult[]
}

async function scan(policy: string, args: readonly string[], uid?: number): Promise<Scanned> {
  const { stdout, code } = await driftgate(['scan', `policies/${policy}.yaml`, '--report', 'json', ...args], {
    cwd: process.cwd(),
    ...(uid === undefined ? {} : { uid }),
  })
  return { code, resources: (JSON.parse(stdout) as Run).policies.flatMap(({ resources }) => resources) }
}

function verdicts({ resources }: Scanned): Readonly<Record<string, string>> {
  return Object.fromEntries(resources.map(({ id, verdict }) => [id, verdict]))
}

/** What a program prints, and its exit code. */
function ask(...[program, ...args]: readonly [string, ...string[]]): { code: number | null; text: string } {
  const env = { ...process.env, LC_ALL: 'C' }
  const { status, stdout } = spawnSync(program, args, { encoding: 'utf8', env })
  return { code: status, text: stdout.trim() }
}

test.skipIf(needsPrograms('sysctl'))('dev-sec-linux says of every parameter what sysctl(8) says', async () => {
  const scanned = await scan('dev-sec-linux', [...OWN_KERNEL, '--only', 'sysctl#*'])
  const expected = Object.entries(KERNEL).map(([name, values]) => {
    const { code, text } = ask('sysctl', '-n', name)
    return [`sysctl#${name}`, code === 0 ? (values.test(text) ? 'right' : 'wrong') : 'not there']
  })
  const { 'sysctl#kernel.core_pattern': pattern, ...others } = Object.fromEntries(
    scanned.resources.filter(({ id }) => id.startsWith('sysctl#')).map((resource) => [resource.id, valueNow(resource)]),
  )
  expect(others).toEqual(Object.fromEntries(expected))
  if (ask('sysctl', '-n', 'fs.suid_dumpable').text !== '2') expect(pattern).toBe('not applicable')
  else expect(pattern).toBe(/^[|/]/.test(ask('sysctl', '-n', 'kernel.core_pattern').text) ? 'right' : 'wrong')
})

/** The verdict on the value in the running kernel, independent of the files in sysctl.d. */
function valueNow({ verdict, drift, ensure }: ResourceResult): string {
  if (verdict === 'not-applicable') return 'not applicable'
  if (ensure?.observed === 'absent') return 'not there'
  return drift.some(({ property }) => property === 'value') ? 'wrong' : 'right'
}

test('no parameter of dev-sec-linux is compliant in a container', async () => {
  const scanned = await scan('dev-sec-linux', [...IN_CONTAINER, '--only', 'sysctl#*'])
  expect(new Set(Object.values(verdicts(scanned)))).toEqual(new Set(['not-applicable']))
  expect(scanned.code).toBe(5)
})

const cannotUnshare =
  needsRoot ??
  needsPrograms('unshare', 'sysctl') ??
  (ask('unshare', '--net', 'true').code === 0 ? undefined : 'needs a network namespace')

// Only parameters that every network namespace has for itself, and files of its own: the machine's stay what they are.
test.skipIf(cannotUnshare)('dev-sec-linux repairs the network of a namespace', () => {
  const home = temporaryDirectory()
  const args = [...OWN_KERNEL, '--only', 'sysctl#net.ipv4.ip_forward', '--only', 'sysctl#net.ipv4.conf.*', '--quiet']
  const command = [...PROGRAM, 'scan', 'policies/dev-sec-linux.yaml', ...args].join(' ')
  const script = `
    ${OWN_STATE}
    mount -t tmpfs none /etc/sysctl.d
    sysctl -qw net.ipv4.ip_forward=1 net.ipv4.conf.all.accept_redirects=1 || exit 77
    ${command} >/dev/null 2>&1; echo $?
    ${command} --fix >/dev/null 2>&1; echo $?
    ${command} >/dev/null 2>&1; echo $?
    sysctl -n net.ipv4.ip_forward net.ipv4.conf.all.accept_redirects net.ipv4.conf.all.rp_filter
    sysctl -n net.ipv4.conf.default.log_martians net.ipv4.conf.all.arp_announce`
  const before = ask('sysctl', '-a', '--pattern', '^net.ipv4.conf.(all|default)').text
  const { text } = ask('env', `HOME=${home}`, 'unshare', '--net', '--mount', 'sh', '-c', script)
  expect(text.split('\n')).toEqual(['2', '0', '0', '0', '0', '1', '1', '2'])
  expect(ask('sysctl', '-a', '--pattern', '^net.ipv4.conf.(all|default)').text).toBe(before)
})

test('an unreadable parameter is an error', async () => {
  // A kernel that shows these to root alone is not at hand everywhere; where it is, a scan by another user must not be compliant.
  const { resources } = await scan('dev-sec-linux', [...OWN_KERNEL, '--only', 'sysctl#fs.protected_*'], UNPRIVILEGED)
  for (const { name, reason } of resources) {
    const path = `/proc/sys/${name.replaceAll('.', '/')}`
    const reader =
      UNPRIVILEGED === undefined ? ['cat'] : ['setpriv', `--reuid=${UNPRIVILEGED}`, '--clear-groups', 'cat']
    const isReadable = ask('env', ...reader, path).code === 0
    // Another error is that of a system that sets no parameters when it starts.
    if (existsSync(path)) expect([name, reason === 'permission-denied']).toEqual([name, !isReadable])
  }
})

const WANTED_PACKAGES = ['auditd', 'audit']

test.skipIf(needsPrograms('dpkg-query'))('dev-sec-linux says of this machine what dpkg-query(1) says', async () => {
  const args = [...OWN_KERNEL, '--fact', 'host.info.platformFamily=debian', '--only', 'package#*']
  const { resources } = await scan('dev-sec-linux', args)
  expect(resources.length).toBeGreaterThan(15)
  const evaluated = resources.filter(({ verdict }) => verdict !== 'not-applicable')
  const installed = evaluated.map(({ name }) => isInstalled(name))
  const expected = evaluated.map(({ name }, index) =>
    installed[index] === WANTED_PACKAGES.includes(name) ? 'compliant' : 'drifted',
  )
  expect(evaluated.map(({ name, verdict }) => [name, verdict])).toEqual(
    evaluated.map(({ name }, index) => [name, expected[index]]),
  )
  const names = evaluated.map(({ name }) => name)
  expect(names).toEqual(expect.arrayContaining(['telnetd', 'xinetd', 'nis', 'tftpd-hpa', 'auditd', 'prelink']))
  expect(names).not.toContain('telnet-server')
})

function isInstalled(name: string): boolean {
  return ask('dpkg-query', '--show', '--showformat', '${db:Status-Status}', name).text === 'installed'
}

test.each([
  { family: 'rhel', asked: ['telnet-server', 'tftp-server', 'audit', 'xinetd'], never: ['telnetd', 'nis', 'auditd'] },
  { family: 'suse', asked: ['telnet-server', 'ypserv', 'audit'], never: ['inetutils-telnetd', 'atftpd'] },
])('dev-sec-linux asks for the names of $family', async ({ family, asked, never }) => {
  const scanned = verdicts(
    await scan('dev-sec-linux', [...OWN_KERNEL, '--only', 'package#*', '--fact', `host.info.platformFamily=${family}`]),
  )
  for (const name of asked) expect([name, scanned[`package#${name}`]]).not.toEqual([name, 'not-applicable'])
  for (const name of never) expect([name, scanned[`package#${name}`]]).toEqual([name, 'not-applicable'])
})

test('dev-sec-linux proves nothing of packages where it knows no names', async () => {
  const { code } = await scan('dev-sec-linux', ['--only', 'package#*', '--fact', 'host.info.platformFamily=alpine'])
  expect(code).toBe(5)
})
