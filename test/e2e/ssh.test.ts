// Another host is scanned by the driftgate that is carried to it, by OpenSSH's own client and server.
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { describe, expect, test, vi } from 'vitest'
import type { Run } from '../../src/model/run.ts'
import { driftgate, start, temporaryDirectory } from '../support/driftgate.ts'
import { NO_SSHD, SCANNER, type SshHost, startSshHost } from '../support/ssh-host.ts'

function write(files: Readonly<Record<string, string>>): string {
  const cwd = temporaryDirectory()
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(cwd, name, '..'), { recursive: true })
    writeFileSync(join(cwd, name), text)
  }
  return cwd
}

/** A run without what differs from run to run. */
function lasting(text: string): unknown {
  const { policies, summary, exit } = JSON.parse(text.replaceAll(/"durationMs":\s*[\d.]+/g, '"durationMs": 0')) as Run
  // The operator needs the target in the report; a scan there does not know it.
  const elsewhere = (input: string): boolean => !input.startsWith('--target=')
  const asThere = policies.map(({ inputs = [], ...policy }) => ({ ...policy, inputs: inputs.filter(elsewhere) }))
  return { policies: asThere, summary, exit }
}

/** Why a target could not be reached, if that is its only result. */
function unreached({ policies, exit, summary }: Run): string | undefined {
  const [result] = policies.flatMap(({ resources }) => resources)
  expect([policies.length, result?.id, result?.verdict, result?.reason]).toEqual([
    1,
    'target#scan',
    'error',
    'unreachable',
  ])
  expect([exit.code, summary.total, summary.error]).toEqual([3, 1, 1])
  return result?.message
}

const SCANNED = 'ccm: { resources: [ { file: [ { /nowhere/at/all: { ensure: absent } } ] } ] }\n'

/** A policy whose first resource says that it runs and waits until the test ends it. */
function waiting(host: SshHost): string {
  const command = `sh -c 'touch ${host.home}/began; while ! test -e ${host.home}/over; do sleep 0.05; done'`
  return [
    'ccm:',
    '  resources:',
    `    - command: [ { first: { command: ${JSON.stringify(command)}, exit_code: 0, timeout: 60s } } ]`,
    '    - file: [ { /nowhere/at/all: { ensure: absent } } ]',
    '',
  ].join('\n')
}

/** What a scan leaves behind there but for the copy: processes, and directories of the user. */
async function leftBehind(host: SshHost): Promise<string> {
  const { stdout } = await host.run(
    `ps -eo uid,args | grep '[-]-carried' | grep -E '^ *${SCANNER} |${host.directory}' ; find /tmp -maxdepth 1 -user ${SCANNER} -name 'driftgate-*'`,
  )
  return stdout
}

describe.skipIf(NO_SSHD)('--target ssh:', () => {
  test('says of a host what a scan there says, with all that the policy needs', async () => {
    const host = await startSshHost()
    const cwd = write({
      'policies/web.yaml': [
        'data: { mode: "0644" }',
        'ccm:',
        '  resources:',
        '    - file:',
        `        - ${host.home}/motd: { ensure: present, owner: scanner, group: root, mode: "{{ Data.mode }}", source: files/motd }`,
        '        - /nowhere/at/all: { ensure: "{{ Data.wanted }}" }',
        '    - user: [ { scanner: { ensure: absent } } ]',
        '',
      ].join('\n'),
      'policies/files/motd': 'hello\n',
      'site.yaml': 'wanted: absent\n',
    })
    writeFileSync(join(host.home, 'motd'), 'hello\n')
    const args = ['policies/web.yaml', '--data', 'site.yaml', '--set', 'mode=0640', '--report', 'json', '--no-config']
    const { code, stdout, stderr } = await host.scan(cwd, ...args).outcome
    expect(stderr).toBe('')
    const run = JSON.parse(stdout) as Run
    expect(run.target.kind).toBe('ssh')
    expect(run.policies[0]?.resources.map(({ id, verdict }) => [id, verdict])).toEqual([
      [`file#${host.home}/motd`, 'drifted'],
      ['file#/nowhere/at/all', 'compliant'],
      ['user#scanner', 'drifted'],
    ])
    chmodSync(cwd, 0o755)
    const there = await host.run(`cd ${cwd} && ${host.program} scan ${args.join(' ')}`)
    expect(lasting(stdout)).toEqual(lasting(there.stdout))
    expect([code, there.code]).toEqual([2, 2])
    expect(host.commandLines().split('\n')[0]).not.toContain('0640')
    // Counting what was run takes a moment after the last word.
    await vi.waitFor(async () => expect(await leftBehind(host)).toBe(''), { timeout: 90_000 })
  })

  test('policies that ship have the same verdicts there', async () => {
    const host = await startSshHost()
    const cwd = temporaryDirectory()
    const all = (await driftgate(['policies', '--json'], { cwd })).stdout
    const names = (JSON.parse(all) as { name: string }[]).map(({ name }) => name)
    // All files of a machine are many, and other tests make some meanwhile.
    const args = [...names, '--report', 'json', '--no-diff', '--skip', 'files#*']
    const { stdout } = await host.scan(cwd, ...args).outcome
    const there = await host.run(`${host.program} scan ${args.map((word) => `'${word}'`).join(' ')}`)
    const verdicts = (text: string): readonly string[] =>
      (JSON.parse(text) as Run).policies.flatMap(({ id, resources }) =>
        resources.map(({ id: resource, verdict }) => `${id} ${resource} ${verdict}`),
      )
    expect(verdicts(stdout).length).toBeGreaterThan(100)
    expect(verdicts(stdout)).toEqual(verdicts(there.stdout))
  })

  test('is copied once, into a place of the user alone, and never taken for what it is not', async () => {
    const host = await startSshHost('mount -t tmpfs -o mode=1777 none /var/tmp')
    const cwd = write({ 'p.yaml': SCANNED })
    expect(await host.scan(cwd, 'p.yaml').outcome).toMatchObject({ code: 0, stderr: '' })
    const cache = join(host.home, '.cache/driftgate')
    const [name = '', ...others] = readdirSync(cache)
    expect(others).toEqual([])
    expect([statSync(cache).mode & 0o777, statSync(cache).uid]).toEqual([0o700, SCANNER])
    const { ino } = statSync(join(cache, name))
    expect(await host.scan(cwd, 'p.yaml').outcome).toMatchObject({ code: 0, stderr: '' })
    expect(statSync(join(cache, name)).ino).toBe(ino)
    writeFileSync(join(cache, name), `#!/bin/sh\ntouch ${host.home}/fooled\n`)
    expect(await host.scan(cwd, 'p.yaml').outcome).toMatchObject({ code: 0, stderr: '' })
    expect(readdirSync(host.home)).not.toContain('fooled')
    chmodSync(cache, 0o755)
    expect(await host.scan(cwd, 'p.yaml').outcome).toMatchObject({ code: 0, stderr: '' })
    expect((await host.run(`ls /var/tmp/driftgate-${SCANNER}`)).stdout).toBe(`${name}\n`)
  })

  test('a fix there, as root', async () => {
    const host = await startSshHost()
    writeFileSync(join(host.directory, 'owned'), 'old\n', { mode: 0o600 })
    const cwd = write({
      'p.yaml': `ccm: { resources: [ { file: [ { ${host.directory}/owned: { ensure: present, owner: root, group: root, mode: "0600", content: "new\\n" } } ] } ] }\n`,
    })
    expect(await host.scan(cwd, 'p.yaml').outcome).toMatchObject({ code: 3 })
    expect(await host.scan(cwd, 'p.yaml', '--become', 'sudo -n').outcome).toMatchObject({ code: 2, stderr: '' })
    expect(readFileSync(join(host.directory, 'owned'), 'utf8')).toBe('old\n')
    expect(await host.scan(cwd, 'p.yaml', '--become', 'sudo -n', '--fix').outcome).toMatchObject({
      code: 0,
      stderr: '',
    })
    expect(readFileSync(join(host.directory, 'owned'), 'utf8')).toBe('new\n')
    const { code, stdout } = await host.scan(cwd, 'p.yaml', '--become', 'sudo -n -u nobody').outcome
    expect(code).toBe(3)
    expect(stdout).toContain('"sudo -n -u nobody" did not start driftgate there: sudo: ')
  })

  test('an interruption ends the scan there, and its report arrives', async () => {
    const host = await startSshHost()
    const cwd = write({ 'p.yaml': waiting(host) })
    const { child, outcome, said } = host.scan(cwd, 'p.yaml', '--report', 'json')
    await vi.waitFor(() => statSync(join(host.home, 'began')), { timeout: 60_000, interval: 20 })
    child.kill('SIGINT')
    await said('finishing the current resource')
    const { code, stdout } = await outcome
    expect(code).toBe(130)
    const run = JSON.parse(stdout) as Run
    expect(run.run.interrupted).toBe(true)
    expect(run.policies.flatMap(({ resources }) => resources.map(({ id }) => id))).toEqual(['command#first'])
    await vi.waitFor(async () => expect(await leftBehind(host)).toBe(''), { timeout: 90_000 })
  })

  test('a connection that ends is no verdict, and ends the scan there', async () => {
    const host = await startSshHost()
    const cwd = write({ 'p.yaml': waiting(host) })
    const { child, outcome } = host.scan(cwd, 'p.yaml', '--report', 'ndjson', '--report', 'json=run.json')
    await vi.waitFor(() => statSync(join(host.home, 'began')), { timeout: 60_000, interval: 20 })
    const [client = ''] = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim().split(' ')
    process.kill(Number(client), 'SIGKILL')
    const { code, stdout, stderr } = await outcome
    expect(code).toBe(3)
    expect(stderr).not.toContain('error')
    const run = JSON.parse(readFileSync(join(cwd, 'run.json'), 'utf8')) as Run
    expect(unreached(run)).toContain('the connection was lost before the result was complete')
    // The events that were told while it ran are followed by that.
    const events = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { event: string; id?: string })
    expect(events.map(({ event, id }) => [event, id])).toEqual([
      ['start', undefined],
      ['resource', 'target#scan'],
      ['policy', 'target'],
      ['end', undefined],
    ])
    await vi.waitFor(async () => expect(await leftBehind(host)).toBe(''), { timeout: 90_000 })
  })
})

describe.skipIf(NO_SSHD)('failures to reach a host', () => {
  const refused = async (host: SshHost): Promise<string | undefined> => {
    const { code, stdout, stderr } = await host.scan(write({ 'p.yaml': SCANNED }), 'p.yaml', '--report', 'json').outcome
    expect([code, stderr]).toEqual([3, ''])
    return unreached(JSON.parse(stdout) as Run)
  }

  // With a banner, which is on standard error, and what tells the reason on standard output.
  const banner = 'Banner /etc/hostname\n'
  const nologin = `P=$(sed 's#^\\(scanner:.*\\):/bin/sh$#\\1:/usr/sbin/nologin#' /etc/passwd) && printf "%s\\n" "$P" > /etc/passwd`

  test.each([
    ['an account without a shell', nologin, banner, 'the user has no shell there'],
    ['an account for sftp alone', '', `${banner}ForceCommand internal-sftp\n`, 'the user has no shell there'],
    [
      'no place for files',
      '',
      'SetEnv TMPDIR=/nowhere\n',
      'cannot store the files of the scan in /nowhere: no such file or directory',
    ],
  ])('%s', async (_, prepare, further, message) => {
    expect(await refused(await startSshHost(prepare, further))).toContain(message)
  })

  test('host keys, users, ports and names', async () => {
    const host = await startSshHost()
    const cwd = write({ 'p.yaml': SCANNED })
    const to = async (target: string): Promise<string | undefined> => {
      const args = ['scan', 'p.yaml', '--target', target, '--remote-binary', host.program, '--report', 'json']
      const { code, stdout } = await driftgate(args, { cwd, env: host.env })
      expect(code).toBe(3)
      return unreached(JSON.parse(stdout) as Run)
    }
    expect(await to(`ssh:nobody-at-all@127.0.0.1:${host.port}`)).toContain('permission denied')
    expect(await to('ssh:127.0.0.1:1')).toContain('the connection was refused')
    expect(await to('ssh:does-not-exist.invalid')).toContain('its name cannot be resolved')
    host.changeHostKey()
    await vi.waitFor(async () => expect(await refused(host)).toContain('its host key has changed'), {
      timeout: 60_000,
    })
    writeFileSync(join(host.directory, 'known_hosts'), '')
    expect(await refused(host)).toContain('its host key is unknown')
  })

  test('no place that programs run from', async () => {
    // Its own directory lies in /tmp, so that is where the mounts of the server begin.
    const host = await startSshHost(
      'mount -t tmpfs -o noexec,mode=1777 none /var/tmp && mount --bind /tmp /tmp && mount -o remount,bind,noexec /tmp',
    )
    const stderr = await refused(host)
    expect(stderr).toContain('no private directory that allows execution for a copy of driftgate')
    for (const place of [
      `${host.home}/.cache/driftgate`,
      `/var/tmp/driftgate-${SCANNER}`,
      `/tmp/driftgate-${SCANNER}`,
    ]) {
      expect(stderr).toContain(`${place}: mounted noexec`)
    }
    const full = await startSshHost(
      'mount -t tmpfs -o size=4k,mode=1777 none /var/tmp && echo full >/var/tmp/rest && mount --bind /tmp /tmp && mount -o remount,bind,ro /tmp',
    )
    const other = await refused(full)
    expect(other).toContain('Read-only file system')
    expect(other).toContain(`/var/tmp/driftgate-${SCANNER}: not enough space`)
  })

  test('a program for another machine, an invalid one, and a missing one', async () => {
    const host = await startSshHost()
    const cwd = write({ 'p.yaml': SCANNED })
    const header = Buffer.alloc(64)
    header.write('7f454c46020101', 'hex')
    header.writeUInt16LE(process.arch === 'arm64' ? 0x3e : 0xb7, 18)
    writeFileSync(join(cwd, 'other'), header)
    writeFileSync(join(cwd, 'wrong'), '#!/bin/sh\necho 0.0.1\n')
    const by = (...args: readonly string[]) =>
      start(process.execPath, [...process.execArgv, ...driftgateWith(host, args)], { cwd, env: host.env }).outcome
    expect((await by('--remote-binary', 'other')).stdout).toMatch(
      /it is (x86_64|aarch64), and other is for (x86_64|aarch64)/,
    )
    expect((await by('--remote-binary', 'wrong')).stdout).toContain('does not run as driftgate')
    const { code, stdout } = await by()
    expect(code).toBe(3)
    expect(stdout).toContain('driftgate is not installed there')
    expect(stdout).toContain('--remote-binary')
    const missing = await by('--remote-binary', 'missing')
    expect([missing.code, missing.stdout]).toEqual([1, ''])
    expect(missing.stderr).toContain('cannot read')
  })
})

function driftgateWith(host: SshHost, args: readonly string[]): readonly string[] {
  const file = readFileSync(host.program, 'utf8').split(' ').at(-2) ?? ''
  return [file, 'scan', 'p.yaml', '--target', host.target, ...args]
}
