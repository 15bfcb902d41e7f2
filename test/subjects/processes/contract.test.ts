import { expect, test } from 'vitest'
import { known, unknown } from '../../../src/model/observation.ts'
import { observeProcess, processType } from '../../../src/subjects/processes/index.ts'
import type { Process } from '../../../src/subjects/processes/processes.ts'
import { createLocalTarget } from '../../../src/host/live/local-target.ts'
import { type ContractScene, contractTests } from '../../../src/testing/index.ts'
import { processOf } from '../../support/running.ts'
import { EMPTY_MACHINE } from '../../support/target.ts'
import { opening, reading } from '../../support/opening.ts'
import { PROCESSES } from '../../../src/subjects/processes/subject.ts'

const SSHD = processOf()
const SCRIPT = processOf({
  pid: 800,
  command: 'unattended-upgr',
  arguments: ['/usr/bin/python3', '-u', '/usr/bin/unattended-upgrade-shutdown', '--wait-for-signal'],
  executable: known({ path: '/usr/bin/python3.11', isDeleted: false }),
  unit: known(null),
})
const THREAD = processOf({ pid: 2, command: 'kthreadd', arguments: [], executable: known(null), isKernelThread: true })

function scene(state: ContractScene['state'], properties: Readonly<Record<string, unknown>>): ContractScene {
  return {
    title: JSON.stringify(properties),
    state,
    arrange: () => properties,
    target: () => ({
      ...createLocalTarget(),
      open: opening(
        createLocalTarget(),
        reading(PROCESSES, { list: () => known({ processes: [THREAD, SSHD, SCRIPT] }) }),
      ),
    }),
  }
}

const scenes: readonly ContractScene[] = [
  scene('compliant', { name: 'sshd', user: 'root', count: 1, current: true }),
  scene('compliant', { name: 'telnetd', ensure: 'absent' }),
  scene('unfixable', { name: 'sshd', ensure: 'absent' }),
  scene('unfixable', { name: 'chronyd' }),
  scene('unfixable', { name: 'sshd', unit: { not: 'ssh.service' } }),
]

for (const { name, run } of contractTests(processType, { scenes })) test(name, run)

/** A machine on which this runs; /usr/sbin/link leads to sshd. */
function machineWith(processes: readonly Process[], unseen?: ReturnType<typeof unknown>) {
  return {
    ...EMPTY_MACHINE,
    open: opening(
      EMPTY_MACHINE,
      reading(PROCESSES, { list: () => known(unseen === undefined ? { processes } : { processes, unseen }) }),
    ),
    files: {
      ...EMPTY_MACHINE.files,
      realPath: (path: string) => known(path === '/usr/sbin/link' ? '/usr/sbin/sshd' : null),
    },
  }
}

test.each([
  ['sshd', [700]],
  ['/usr/sbin/sshd', [700]],
  ['/usr/sbin/link', [700]],
  ['/usr/local/sbin/sshd', []],
  ['unattended-upgrade-shutdown', [800]],
  ['unattended-upgr', [800]],
  ['/usr/bin/unattended-upgrade-shutdown', [800]],
  ['python3.11', [800]],
  ['--wait-for-signal', []],
  ['unattended', []],
  ['kthreadd', [2]],
])('%s is %j', (name, pids) => {
  const seen = observeProcess(machineWith([THREAD, SSHD, SCRIPT]), { name })
  expect(seen.kind === 'present' ? seen.state.processes.map(({ pid }) => pid) : []).toEqual(pids)
})

const DENIED = unknown('permission-denied', '/proc/700/exe: permission denied')

test.each([
  ['one whose program cannot be seen may be any other', [processOf({ executable: DENIED })], 'telnetd', DENIED],
  [
    'nor does the name that it has given itself prove a path',
    [processOf({ executable: DENIED })],
    '/usr/sbin/sshd',
    DENIED,
  ],
])('%s', (_name, processes, name, expected) =>
  expect(observeProcess(machineWith(processes), { name })).toEqual(expected),
)

test('its name proves that it runs, although not that it is the only one', () => {
  const seen = observeProcess(
    machineWith([processOf({ executable: DENIED }), processOf({ command: 'x', executable: DENIED })]),
    {
      name: 'sshd',
    },
  )
  expect(seen).toMatchObject({ state: { processes: [{ pid: 700 }], unseen: DENIED } })
})

test('a process hidden by /proc is not absent', () => {
  const hidden = unknown('permission-denied', '/proc is mounted with hidepid=2')
  expect(observeProcess(machineWith([SSHD], hidden), { name: 'telnetd' })).toEqual(hidden)
})
