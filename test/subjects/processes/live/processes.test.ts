import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openProcesses, parseStat, unitOfCgroups } from '../../../../src/subjects/processes/live/processes.ts'
import { needsRoot, temporaryDirectory } from '../../../support/temporary.ts'
import { runAsNobody } from '../../../support/unprivileged.ts'

const FIELDS = '1 1 1 0 -1 4194560 0 0 0 0 0 0 0 0 20 0 1 0 4711'

test.each([
  ['plain', `7 (sshd) S ${FIELDS}`, 'sshd'],
  ['a parenthesis inside', `7 (a) R (b) S ${FIELDS}`, 'a) R (b'],
  ['a line feed inside', `7 (a\nb) S ${FIELDS}\n`, 'a\nb'],
  ['empty', `7 () S ${FIELDS}`, ''],
])('the name ends at the last parenthesis: %s', (_name, text, command) => {
  const expected = { command, hasEnded: false, parentPid: 1, isKernelThread: false, threads: 1, startTicks: 4711 }
  expect(parseStat(text)).toEqual(expected)
})

test.each(['', '7 sshd S 1', '7 (sshd', `7 (sshd) S 1 1 1`, '7 (sshd) S x 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 1'])(
  '%j says nothing',
  (text) => expect(parseStat(text)).toBeUndefined(),
)

test.each([
  ['0::/system.slice/ssh.service\n', 'ssh.service'],
  ['0::/system.slice/system-getty.slice/getty@tty1.service\n', 'getty@tty1.service'],
  ['0::/user.slice/user-1000.slice/user@1000.service/app.slice/foo.service\n', 'user@1000.service'],
  ['0::/user.slice/user-1000.slice/session-3.scope\n', 'session-3.scope'],
  ['0::/system.slice/docker.service/docker/0a1b\n', 'docker.service'],
  ['2:cpu:/x.service\n1:name=systemd:/system.slice/cron.service\n0::/\n', 'cron.service'],
  ['9:name=systemd:/\n8:pids:/\n0::/system.slice/ssh.service\n', 'ssh.service'],
  ['0::/init.scope\n', 'init.scope'],
  ['0::/system.slice/_cpu.service\n', 'cpu.service'],
  ['0::/docker/0a1b2c\n', null],
  ['0::/system.slice\n', null],
  ['0::/\n', null],
  ['', null],
])('the unit in %j is %s', (text, unit) => expect(unitOfCgroups(text)).toBe(unit))

function procWith(files: Readonly<Record<string, string>>): string {
  const proc = join(temporaryDirectory(), 'proc')
  mkdirSync(join(proc, '1'), { recursive: true })
  for (const [name, text] of Object.entries(files)) writeFileSync(join(proc, '1', name), text)
  return proc
}

const STATUS = 'Name:\tx\nUid:\t1\t2\t3\t4\n'

test('a process of which everything can be read', () => {
  const files = {
    stat: `1 (x) S ${FIELDS}`,
    status: STATUS,
    cmdline: 'x\0-a\0',
    cgroup: '0::/system.slice/x.service\n',
  }
  const proc = procWith(files)
  symlinkSync('/usr/bin/gone (deleted)', join(proc, '1', 'exe'))
  const process = {
    pid: 1,
    parentPid: 1,
    isKernelThread: false,
    command: 'x',
    arguments: ['x', '-a'],
    executable: { kind: 'known', value: { path: '/usr/bin/gone', isDeleted: true } },
    realUid: 1,
    effectiveUid: 2,
    unit: { kind: 'known', value: 'x.service' },
    startTicks: 4711,
  }
  expect(openProcesses(proc).list()).toEqual({ kind: 'known', value: { processes: [process] } })
})

test('a process that ends during the read is not listed, and is no gap', () => {
  const proc = procWith({ stat: `1 (x) S ${FIELDS}` })
  expect(openProcesses(proc).list()).toEqual({ kind: 'known', value: { processes: [] } })
})

test.each([
  ['a garbled line', { stat: 'x' }],
  ['no user', { stat: `1 (x) S ${FIELDS}`, status: 'Name:\tx\n' }],
])('an unparsable entry may be any process: %s', (_name, files) => {
  expect(openProcesses(procWith(files)).list()).toMatchObject({
    value: { processes: [], unseen: { reason: 'invalid' } },
  })
})

test('without the first process others are hidden, too', () => {
  const proc = join(temporaryDirectory(), 'proc')
  mkdirSync(join(proc, '4711'), { recursive: true })
  expect(openProcesses(proc).list()).toMatchObject({ value: { unseen: { reason: 'permission-denied' } } })
})

test('no /proc proves nothing', () => {
  const directory = temporaryDirectory()
  expect(openProcesses(directory).list()).toMatchObject({ kind: 'unknown', reason: 'not-observable' })
  expect(openProcesses(join(directory, 'missing')).list()).toMatchObject({ kind: 'unknown', reason: 'not-observable' })
})

test.skipIf(needsRoot)('to others the programs of root are unknown (needs root)', async () => {
  const found = await runAsNobody(
    `import { openProcesses } from './src/subjects/processes/live/processes.ts'
     const list = openProcesses().list()
     const first = list.kind === 'known' ? list.value.processes.find(({ pid }) => pid === 1) : undefined
     console.log(JSON.stringify(first?.executable ?? list))`,
    [],
  )
  expect(found).toMatchObject({ kind: 'unknown', reason: 'permission-denied' })
})
