import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Decision } from '../../../src/model/decision.ts'
import { known, unknown } from '../../../src/model/observation.ts'
import type { PamAction, PamDesired } from '../../../src/subjects/pam/model.ts'
import { decideServices, observeServices } from '../../../src/subjects/pam/every-service.ts'
import { observeStack } from '../../../src/subjects/pam/observe.ts'
import { createLocalTarget } from '../../../src/host/live/local-target.ts'
import { put } from '../../support/contract.ts'
import { machineOf } from '../../support/pam-machine.ts'
import { temporaryDirectory } from '../../support/temporary.ts'

type Files = Readonly<Record<string, string>>

const NO_EMPTY = { module: 'pam_unix', if_absent: 'compliant', arguments: { nullok: 'false' } } as const

function wantedOf(properties: object): PamDesired {
  return { name: '*', type: 'auth', module: 'pam_unix', ensure: 'present', if_absent: 'drift', ...properties }
}

function decide(properties: object, files: Files): Decision<PamAction> {
  const wanted = wantedOf(properties)
  const machine = machineOf(files)
  const observed = observeServices(machine, (name) => observeStack(machine, { ...wanted, name }))
  if (observed.kind !== 'present') throw new Error(observed.kind)
  return decideServices(wanted, observed.state)
}

/** Where something is wrong, and the note. */
function told({ drift }: Decision<PamAction>): unknown {
  return drift.map(({ property, path, note }) => [property, path, note])
}

const COMMON: Files = {
  '/etc/pam.d/login': '@include common-auth\n',
  '/etc/pam.d/su': '@include common-auth\n',
  '/etc/pam.d/common-auth': 'auth required pam_unix.so\n',
  '/etc/pam.d/cron': 'session required pam_unix.so\n',
  '/etc/pam.d/other': 'auth required pam_deny.so\n',
}

test('a line of one service alone is found, which the shared stacks do not have', () => {
  expect(decide(NO_EMPTY, COMMON)).toMatchObject({ drift: [], unknown: [], messages: ['5 services checked'] })
  const own = { ...COMMON, '/etc/pam.d/vsftpd': '# own\nauth required pam_unix.so nullok\n' }
  const decision = decide(NO_EMPTY, own)
  expect(told(decision)).toEqual([['arguments', 'vsftpd nullok', 'set by /etc/pam.d/vsftpd:2']])
  expect(decision.plan).toMatchObject({ kind: 'refuse', obstacles: [{ reason: expect.stringContaining('vsftpd:2') }] })
})

test('drift of a shared stack is reported once, for that stack', () => {
  const shared = { ...COMMON, '/etc/pam.d/common-auth': 'auth required pam_unix.so nullok\n' }
  expect(told(decide(NO_EMPTY, shared))).toEqual([
    ['arguments', 'common-auth nullok', 'set by /etc/pam.d/common-auth:1'],
  ])
})

test('a required module may be missing where others let users in alone, and in services that are left out', () => {
  const wanted = { required: true, unless: ['pam_rootok'], except: ['greeter'] }
  const services = {
    ...COMMON,
    '/etc/pam.d/runuser': 'auth sufficient pam_rootok.so\n',
    '/etc/pam.d/greeter': 'auth required pam_permit.so\n',
    '/etc/pam.d/site': 'auth required pam_permit.so\n',
  }
  expect(told(decide(wanted, services))).toEqual([['ensure', 'site', 'pam_unix has no auth line in site']])
})

test('a service of a vendor counts until /etc has one of its name', () => {
  const vendor = { ...COMMON, '/usr/lib/pam.d/polkit-1': 'auth required pam_unix.so nullok\n' }
  expect(told(decide(NO_EMPTY, vendor))).toEqual([['arguments', 'polkit-1 nullok', 'set by /usr/lib/pam.d/polkit-1:1']])
  expect(decide(NO_EMPTY, { ...vendor, '/etc/pam.d/polkit-1': 'auth required pam_unix.so\n' }).drift).toEqual([])
})

test('a left-over of a package manager is no service', () => {
  const left = {
    '/etc/pam.d/su.dpkg-old': '@include nothing\n',
    // pam-auth-update --force
    '/etc/pam.d/common-auth.pam-old': 'auth required pam_unix.so nullok\n',
    '/etc/pam.d/su~': 'auth required pam_unix.so nullok\n',
  }
  expect(decide(NO_EMPTY, { ...COMMON, ...left })).toMatchObject({ drift: [], unknown: [] })
})

test('a forbidden module is named with each of its lines', () => {
  const decision = decide(
    { module: 'pam_permit', ensure: 'absent' },
    { ...COMMON, '/etc/pam.d/x': 'auth required pam_permit.so\n' },
  )
  expect(decision.ensure).toEqual({ desired: 'absent', observed: 'present' })
  expect(told(decision)).toEqual([['ensure', 'x', 'pam_permit is called by /etc/pam.d/x:1']])
})

test('a module beside another one is reported once for a shared stack, and for each service of its own', () => {
  const required = { module: 'pam_faillock', beside: 'pam_unix', required: true }
  const own = { ...COMMON, '/etc/pam.d/vsftpd': 'auth sufficient pam_unix.so\n@include common-auth\n' }
  const counted = 'auth required pam_faillock.so preauth\nauth required pam_unix.so\n'
  expect(told(decide(required, COMMON))).toEqual([
    ['ensure', 'common-auth', 'pam_faillock has no auth line beside /etc/pam.d/common-auth:1'],
  ])
  expect(told(decide(required, { ...own, '/etc/pam.d/common-auth': counted }))).toEqual([
    ['required', 'vsftpd', 'path: pam_unix success (/etc/pam.d/vsftpd:1)'],
  ])
})

test('a service that libpam refuses is not taken for one without the module', () => {
  const { unknown: unclear, drift } = decide(NO_EMPTY, { ...COMMON, '/etc/pam.d/x': '@include nothing\n' })
  expect(drift).toEqual([])
  expect(unclear).toMatchObject([
    { property: 'ensure', reason: 'invalid', detail: expect.stringContaining('/etc/pam.d/x') },
  ])
})

test('a file of a module is changed once, and unfixable properties are reported', () => {
  const wanted = { module: 'pam_faillock', if_absent: 'compliant', arguments: { deny: '5' } }
  const faillock = {
    ...COMMON,
    '/etc/pam.d/x': 'auth required pam_faillock.so\n',
    '/etc/pam.d/y': 'auth required pam_faillock.so\n',
  }
  const { plan } = decide(wanted, faillock)
  expect(plan).toMatchObject({ kind: 'act', action: { files: [{ path: '/etc/security/faillock.conf' }] } })
  expect(plan).not.toHaveProperty('leaves')
  const given = decide(wanted, { ...faillock, '/etc/pam.d/z': 'auth required pam_faillock.so deny=9\n' })
  expect(given.plan).toMatchObject({ kind: 'act', leaves: [{ reason: expect.stringContaining('/etc/pam.d/z:1') }] })
})

test('a profile is enabled for a stack, not for all services', () => {
  const profile = 'Name: x\nDefault: no\nAuth-Type: Primary\nAuth:\n\trequired pam_faillock.so\n'
  const files = {
    '/etc/pam.d/common-auth': 'auth required pam_unix.so\n',
    '/usr/sbin/pam-auth-update': '',
    '/usr/share/pam-configs/x': profile,
  }
  expect(decide({ module: 'pam_faillock' }, files).plan).toMatchObject({
    kind: 'refuse',
    obstacles: [{ reason: 'enable the profile x with a resource that names the stack' }],
  })
})

test('services are unknown without access to a directory, and absent without files', () => {
  const observe = () => unknown('invalid', 'not asked')
  const machine = machineOf({})
  const blind = { ...machine.probe, list: () => unknown('permission-denied', '/etc/pam.d') }
  expect(observeServices({ ...machine, probe: blind }, observe)).toMatchObject({ reason: 'permission-denied' })
  const empty = { ...machine.probe, list: () => known(null) }
  expect(observeServices({ ...machine, probe: empty }, observe).kind).toBe('absent')
  const hidden = { ...machineOf(COMMON), files: { stat: () => unknown('permission-denied', '/etc/pam.d/su') } }
  expect(observeServices(hidden, observe)).toMatchObject({ reason: 'permission-denied' })
})

test('a directory among the files is no service', () => {
  const directory = temporaryDirectory()
  put(directory, { 'etc/pam.d/su': '' })
  mkdirSync(join(directory, 'etc/pam.d/old'))
  const target = createLocalTarget()
  const machine = {
    files: { stat: (path: string) => target.files.stat(join(directory, path)) },
    probe: { ...target.probe, list: (path: string) => target.probe.list(join(directory, path)) },
  }
  const observed = observeServices(machine, () => unknown('invalid', 'not asked'))
  expect(observed).toMatchObject({ state: { services: [{ name: 'su' }] } })
})
