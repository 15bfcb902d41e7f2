import { createHash } from 'node:crypto'
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, statfsSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import process from 'node:process'
import { expect, onTestFinished, test } from 'vitest'
import { known, present, unknown } from '../../../../../src/model/observation.ts'
import { measureGoss } from '../../../../../src/subjects/goss/files/measure/index.ts'
import type { GossRequest, Measured } from '../../../../../src/subjects/goss/files/resource.ts'
import { createLocalTarget } from '../../../../../src/host/live/local-target.ts'
import type { UserAccount } from '../../../../../src/subjects/accounts/accounts.ts'
import type { Target } from '../../../../../src/host/target.ts'
import { EMPTY_MACHINE } from '../../../../support/target.ts'
import { needsRoot, temporaryDirectory } from '../../../../support/temporary.ts'
import { runAsNobody } from '../../../../support/unprivileged.ts'
import { ACCOUNTS } from '../../../../../src/subjects/accounts/subject.ts'
import { SERVICES } from '../../../../../src/subjects/services/subject.ts'
import { opening, reading } from '../../../../support/opening.ts'

const SIGNAL = new AbortController().signal

async function measure(
  type: GossRequest['type'],
  id: string,
  wanted: readonly string[],
  { given = {}, target = createLocalTarget() }: { given?: GossRequest['given']; target?: Target } = {},
): Promise<Readonly<Record<string, Measured>>> {
  return Object.fromEntries(await measureGoss({ type, id, given }, wanted, target, SIGNAL))
}

const ATTRIBUTES = ['exists', 'mode', 'size', 'filetype', 'linked-to', 'contents', 'md5', 'sha256', 'sha512']

test('a file has its bits in four digits, its size, its text and its digests', async () => {
  const path = join(temporaryDirectory(), 'a')
  writeFileSync(path, 'one\ntwo\n')
  chmodSync(path, 0o4640)
  const digest = (algorithm: string): string => createHash(algorithm).update('one\ntwo\n').digest('hex')
  expect(await measure('file', path, ATTRIBUTES)).toEqual({
    exists: known(true),
    mode: known('4640'),
    size: known(8),
    filetype: known('file'),
    'linked-to': known(''),
    contents: known({ text: 'one\ntwo\n' }),
    md5: known(digest('md5')),
    sha256: known(digest('sha256')),
    sha512: known(digest('sha512')),
  })
})

test('only requested attributes are measured, and of an absent path only its absence', async () => {
  const path = join(temporaryDirectory(), 'a')
  expect(await measure('file', path, ATTRIBUTES)).toEqual({ exists: known(false) })
  mkdirSync(path)
  expect(await measure('file', path, ['filetype'])).toEqual({ filetype: known('directory') })
})

test('a link is looked at itself, and read through', async () => {
  const directory = temporaryDirectory()
  writeFileSync(join(directory, 'a'), 'text')
  symlinkSync('a', join(directory, 'link'))
  symlinkSync('nowhere', join(directory, 'dangling'))
  const wanted = ['exists', 'filetype', 'linked-to', 'contents']
  expect(await measure('file', join(directory, 'link'), wanted)).toEqual({
    exists: known(true),
    filetype: known('symlink'),
    'linked-to': known('a'),
    contents: known({ text: 'text' }),
  })
  expect(await measure('file', join(directory, 'dangling'), wanted)).toMatchObject({
    exists: known(true),
    'linked-to': known('nowhere'),
    contents: { kind: 'unknown', reason: 'not-observable' },
  })
})

test('pipes and sockets are told apart, and nothing is read from them', async () => {
  const directory = temporaryDirectory()
  execFileSync('mkfifo', [join(directory, 'pipe')])
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(join(directory, 'socket'), resolve))
  onTestFinished(() => void server.close())
  for (const name of ['pipe', 'socket']) {
    expect(await measure('file', join(directory, name), ['filetype', 'contents', 'sha256'])).toMatchObject({
      filetype: known(name),
      contents: { kind: 'unknown' },
      sha256: { kind: 'unknown' },
    })
  }
})

test.skipIf(needsRoot)('an id without a name is shown as a number (needs root)', async () => {
  const path = join(temporaryDirectory(), 'a')
  writeFileSync(path, '')
  execFileSync('chown', ['4123456:4123457', path])
  expect(await measure('file', path, ['owner', 'group', 'uid', 'gid'])).toEqual({
    owner: known('4123456'),
    group: known('4123457'),
    uid: known(4123456),
    gid: known(4123457),
  })
})

test('~root is the home of root, and an unknown home is not an absent file', async () => {
  expect(await measure('file', '~root', ['exists', 'filetype'])).toEqual({
    exists: known(true),
    filetype: known('directory'),
  })
  expect(await measure('file', '~no-such-user/a', ['exists'])).toMatchObject({ exists: { kind: 'unknown' } })
})

test.skipIf(needsRoot)('~ of a user without an account is HOME, or unknown (needs root)', async () => {
  const directory = temporaryDirectory()
  chmodSync(directory, 0o755)
  writeFileSync(join(directory, 'here'), '')
  const script = `
    import { measureGoss } from './src/subjects/goss/files/measure/index.ts'
    import { createLocalTarget } from './src/host/live/local-target.ts'
    const [, , directory = ''] = process.argv
    const ask = async () => Object.fromEntries(await measureGoss(
      { type: 'file', id: '~/here', given: {} }, ['exists'], createLocalTarget(), new AbortController().signal))
    process.env['HOME'] = directory
    const found = await ask()
    process.env['HOME'] = ''
    console.log(JSON.stringify([found, await ask()]))`
  expect(await runAsNobody(script, [directory], 4123456)).toMatchObject([
    { exists: known(true) },
    { exists: { kind: 'unknown', reason: 'not-observable' } },
  ])
})

test.skipIf(needsRoot)('an unreadable path is denied, not absent (needs root)', async () => {
  const directory = temporaryDirectory()
  mkdirSync(join(directory, 'closed'), { mode: 0o700 })
  writeFileSync(join(directory, 'closed', 'a'), '')
  writeFileSync(join(directory, 'secret'), 'text', { mode: 0o600 })
  const script = `
    import { measureGoss } from './src/subjects/goss/files/measure/index.ts'
    import { createLocalTarget } from './src/host/live/local-target.ts'
    const [, , directory = ''] = process.argv
    const ask = async (path: string, wanted: readonly string[]) => Object.fromEntries(await measureGoss(
      { type: 'file', id: directory + path, given: {} }, wanted, createLocalTarget(), new AbortController().signal))
    console.log(JSON.stringify([await ask('/closed/a', ['exists', 'mode']), await ask('/secret', ['exists', 'contents', 'md5'])]))`
  const denied = { kind: 'unknown', reason: 'permission-denied' }
  expect(await runAsNobody(script, [directory])).toMatchObject([
    { exists: denied, mode: denied },
    { exists: known(true), contents: denied, md5: denied },
  ])
})

test('an account with the values of getent and id', async () => {
  const [, , uid, gid, , home, shell] = execFileSync('getent', ['passwd', 'daemon'], { encoding: 'utf8' })
    .trim()
    .split(':')
  const groups = execFileSync('id', ['-Gn', 'daemon'], { encoding: 'utf8' }).trim().split(' ').toSorted()
  expect(await measure('user', 'daemon', ['exists', 'uid', 'gid', 'home', 'shell', 'groups'])).toEqual({
    exists: known(true),
    uid: known(Number(uid)),
    gid: known(Number(gid)),
    home: known(home),
    shell: known(shell),
    groups: known(groups),
  })
  expect(await measure('user', 'no-such-user', ['exists', 'uid'])).toEqual({ exists: known(false) })
  expect(await measure('group', 'daemon', ['exists', 'gid'])).toEqual({ exists: known(true), gid: known(Number(gid)) })
  expect(await measure('group', 'no-such-group', ['exists', 'gid'])).toEqual({ exists: known(false) })
})

// The user and group of the id 1 are called daemon; getent(1) finds them by it.
test.each([['user'], ['group']] as const)('a %s of digits is a name and no id', async (type) => {
  expect(await measure(type, '1', ['exists'])).toEqual({ exists: known(false) })
  const target: Target = {
    ...EMPTY_MACHINE,
    open: opening(
      EMPTY_MACHINE,
      reading(ACCOUNTS, {
        ...EMPTY_MACHINE.open(ACCOUNTS),
        read: () => known({ users: [], groups: [], notAsked: ['sss (passwd)'], leftOut: [] }),
      }),
    ),
  }
  expect(await measure(type, '1', ['exists'], { target })).toMatchObject({ exists: { kind: 'unknown' } })
})

test('groups of an account from other sources are unknown; an account of theirs exists', async () => {
  const account: UserAccount = {
    name: 'alice',
    uid: 1000,
    gid: 1000,
    comment: '',
    home: '/home/alice',
    shell: '/bin/sh',
    origin: { file: '/etc/passwd', line: 1 },
    isInPasswd: true,
    isShadowed: true,
    secret: known({ password: { class: 'locked', scheme: undefined }, ageing: null }),
  }
  const target: Target = {
    ...EMPTY_MACHINE,
    names: { ...EMPTY_MACHINE.names, userId: () => known(70001) },
    open: opening(
      EMPTY_MACHINE,
      reading(ACCOUNTS, {
        ...EMPTY_MACHINE.open(ACCOUNTS),
        read: () => known({ users: [account], groups: [], notAsked: ['sss (group)'], leftOut: [] }),
      }),
    ),
  }
  const wanted = ['exists', 'uid', 'shell', 'groups']
  expect(await measure('user', 'alice', wanted, { target })).toMatchObject({
    exists: known(true),
    uid: known(1000),
    shell: known('/bin/sh'),
    groups: { kind: 'unknown' },
  })
  expect(await measure('user', 'bob', wanted, { target })).toMatchObject({
    exists: known(true),
    uid: known(70001),
    shell: { kind: 'unknown' },
    groups: { kind: 'unknown' },
  })
})

test('a kernel parameter has the value in /proc/sys; a missing one has no value', async () => {
  const value = readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').trim()
  expect(await measure('kernel-param', 'net.ipv4.ip_local_port_range', ['value'])).toEqual({ value: known(value) })
  expect(await measure('kernel-param', 'no.such', ['value'])).toMatchObject({ value: { kind: 'unknown' } })
})

/** A mount point with blocks; the root directory of a process need not be one. */
function pointWithBlocks(): string {
  const lines = readFileSync('/proc/self/mountinfo', 'utf8').trimEnd().split('\n')
  const points = lines.map((line) => line.split(' ')[4] ?? '')
  return points.find((point) => statfsSync(point).blocks > 0) ?? expect.unreachable('a system without disk and memory')
}

test('a mount with the values of the kernel and df', async () => {
  const [, , , , , options = ''] =
    readFileSync('/proc/self/mountinfo', 'utf8')
      .split('\n')
      .map((line) => line.split(' '))
      .findLast(([, , , , point]) => point === '/proc') ?? []
  expect(await measure('mount', '/proc', ['exists', 'opts', 'source', 'filesystem', 'usage'])).toMatchObject({
    exists: known(true),
    opts: known(options.split(',')),
    source: known('proc'),
    filesystem: known('proc'),
    // It has no blocks.
    usage: { kind: 'unknown' },
  })
  expect(await measure('mount', '/etc/no-such', ['exists', 'opts'])).toEqual({ exists: known(false) })
  const point = pointWithBlocks()
  const [, , free, total] = execFileSync('stat', ['-f', '-c', '%a %S %f %b', point], { encoding: 'utf8' })
    .split(' ')
    .map(Number)
  const { usage } = await measure('mount', point, ['usage'])
  expect(usage?.kind === 'known' ? usage.value : undefined).toBeCloseTo((1 - Number(free) / Number(total)) * 100, -0.5)
})

test('a command is run once in a shell, and ends as it ends', async () => {
  const directory = temporaryDirectory()
  const wanted = ['exit-status', 'stdout', 'stderr']
  expect(await measure('command', `echo x >> ${directory}/runs; echo out; echo err >&2; exit 3`, wanted)).toEqual({
    'exit-status': known(3),
    stdout: known({ text: 'out\n' }),
    stderr: known({ text: 'err\n' }),
  })
  expect(readFileSync(join(directory, 'runs'), 'utf8')).toBe('x\n')
  expect(await measure('command', 'kill -9 $$', ['exit-status'])).toEqual({ 'exit-status': known(-1) })
  expect(await measure('command', 'sleep 60', wanted, { given: { timeout: 50 } })).toMatchObject({
    'exit-status': { kind: 'unknown', reason: 'timeout' },
    stdout: { kind: 'unknown', reason: 'timeout' },
  })
  expect(await measure('command', 'head -c 9000000 /dev/zero | tr "\\0" "\\n"', wanted)).toMatchObject({
    'exit-status': known(0),
    stdout: { kind: 'unknown' },
  })
})

test('a command has the environment and directory of this process, unless commands are forbidden', async () => {
  process.env['DRIFTGATE_TEST_SECRET'] = 'x'
  onTestFinished(() => {
    delete process.env['DRIFTGATE_TEST_SECRET']
  })
  const line = 'printenv DRIFTGATE_TEST_SECRET; pwd'
  expect(await measure('command', line, ['stdout'])).toEqual({ stdout: known({ text: `x\n${process.cwd()}\n` }) })
  const request = { type: 'command', id: line, given: {}, cleanEnvironment: true } as const
  const measured = await measureGoss(request, ['stdout'], createLocalTarget(), SIGNAL)
  expect(measured.get('stdout')).toEqual(known({ text: '/\n' }))
})

const dpkg = spawnSync('dpkg-query', ['-W', '-f', '${Version}', 'bash'], { encoding: 'utf8' })

test.skipIf(dpkg.status === 0 ? undefined : 'needs dpkg')('a package is installed in versions', async () => {
  expect(await measure('package', 'bash', ['installed', 'versions'])).toEqual({
    installed: known(true),
    versions: known([dpkg.stdout]),
  })
  expect(await measure('package', 'no-such-package', ['installed', 'versions'])).toEqual({ installed: known(false) })
  // As dpkg-query takes it.
  const matched = spawnSync('dpkg-query', ['-W', '-f', '${db:Status-Abbrev}${Version}\n', 'bas*'], { encoding: 'utf8' })
  const versions = matched.stdout.split('\n').flatMap((line) => (/^[ih]i /.test(line) ? [line.slice(3).trim()] : []))
  const found = await measure('package', 'bas*', ['installed', 'versions'])
  expect(found['installed']).toEqual(known(true))
  expect(found['versions']).toEqual(known(expect.arrayContaining(versions)))
  expect(await measure('package', 'no-such-[a-c]?*', ['installed'])).toEqual({ installed: known(false) })
  expect(await measure('package', 'bas[', ['installed'])).toMatchObject({
    installed: { kind: 'unknown', reason: 'invalid' },
  })
})

test('without a package database a package is unknown', async () => {
  expect(await measure('package', 'bash', ['installed', 'versions'], { target: EMPTY_MACHINE })).toMatchObject({
    installed: { kind: 'unknown', reason: 'no-provider' },
    versions: { kind: 'unknown', reason: 'no-provider' },
  })
})

// What systemctl(1) says that `is-enabled` and `is-active` exit with 0 for.
test.each([
  ['enabled', 'active', true, true],
  ['static', 'reloading', true, true],
  ['alias', 'refreshing', true, true],
  ['indirect', 'inactive', true, false],
  ['generated', 'failed', true, false],
  ['enabled-runtime', 'activating', true, false],
  ['disabled', 'deactivating', false, false],
  ['linked', 'maintenance', false, false],
  ['masked', 'inactive', false, false],
  ['transient', 'active', false, true],
] as const)('a service that is %s and %s', async (state, activeState, enabled, running) => {
  const runtime = known({ activeState, loadState: 'loaded', result: '' })
  const target: Target = {
    ...EMPTY_MACHINE,
    open: opening(
      EMPTY_MACHINE,
      reading(SERVICES, {
        ...EMPTY_MACHINE.open(SERVICES),
        status: async (unit) =>
          present({ unit, runtime, enablement: known({ state, isInstallable: true }) }, { unit, unitFiles: [] }),
      }),
    ),
  }
  expect(await measure('service', 'ssh', ['enabled', 'running', 'runlevels'], { target })).toEqual({
    enabled: known(enabled),
    running: known(running),
    runlevels: known([]),
  })
})

test.each([
  ['ssh*', 'pattern'],
  ['getty@', 'template'],
  ['getty@.service', 'template'],
  ['a/b', 'name'],
  ['', 'name'],
  ['a'.repeat(256), 'name'],
])('a service called %j is not absent', async (id, why) => {
  const { enabled, running } = await measure('service', id, ['enabled', 'running'], { target: EMPTY_MACHINE })
  const invalid = { kind: 'unknown', reason: 'invalid', detail: expect.stringContaining(why) }
  expect({ enabled, running }).toMatchObject({ enabled: invalid, running: invalid })
})

test('a service that the first start of an image may enable is unknown', async () => {
  const unsettled = unknown('not-observable', 'its presets name it')
  const enablement = known({ state: 'disabled', isInstallable: true, unsettled } as const)
  const target: Target = {
    ...EMPTY_MACHINE,
    open: opening(
      EMPTY_MACHINE,
      reading(SERVICES, {
        ...EMPTY_MACHINE.open(SERVICES),
        status: async (unit) => present({ unit, runtime: unsettled, enablement }, { unit, unitFiles: [] }),
      }),
    ),
  }
  expect(await measure('service', 'ssh', ['enabled'], { target })).toEqual({ enabled: unsettled })
})

test('a service that is not there is neither, and each half may be unknown by itself', async () => {
  expect(await measure('service', 'ssh', ['enabled', 'running'], { target: EMPTY_MACHINE })).toEqual({
    enabled: known(false),
    running: known(false),
  })
  const target: Target = {
    ...EMPTY_MACHINE,
    open: opening(
      EMPTY_MACHINE,
      reading(SERVICES, {
        ...EMPTY_MACHINE.open(SERVICES),
        status: async (unit) =>
          present(
            {
              unit,
              runtime: unknown('not-observable', 'systemd does not run'),
              enablement: known({ state: 'enabled', isInstallable: true }),
            },
            { unit, unitFiles: [] },
          ),
      }),
    ),
  }
  expect(await measure('service', 'ssh', ['enabled', 'running'], { target })).toMatchObject({
    enabled: known(true),
    running: { kind: 'unknown', reason: 'not-observable' },
  })
})
