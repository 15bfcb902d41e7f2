import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { known, type Reading, unknown } from '../../../../src/model/observation.ts'
import { kernelModuleCapture, kernelModule } from '../../../../src/subjects/kernel-modules/module/index.ts'
import { decideSignatures } from '../../../../src/subjects/kernel-modules/module/signatures.ts'
import { decodeProperties } from '../../../../src/resource-type/decode.ts'
import type { KernelBuild } from '../../../../src/subjects/kernel-modules/kernel-builds.ts'
import type { SignatureCheck } from '../../../../src/subjects/kernel-modules/kernel-modules.ts'
import { openKernelModules } from '../../../../src/subjects/kernel-modules/live/modules.ts'
import { createLocalTarget } from '../../../../src/host/live/local-target.ts'
import { put } from '../../../support/contract.ts'
import { moduleMachine } from '../../../support/module-machine.ts'
import { temporaryDirectory } from '../../../support/temporary.ts'

const HIDDEN = unknown('permission-denied', 'it cannot be read')

function build(options: Readonly<Record<string, string>>): Reading<KernelBuild> {
  return known({ release: '6.1.0', file: '/boot/config', options: new Map(Object.entries(options)) })
}

const WITH_MODULES = build({ CONFIG_MODULES: 'y', CONFIG_MODULE_SIG: 'y', CONFIG_SECURITY_LOCKDOWN_LSM: 'y' })

const CAPTURE = {
  name: '*',
  target: createLocalTarget(),
  signal: AbortSignal.timeout(60_000),
  contents: 'none',
  isPrivateTaken: false,
} as const

function verdictOf(
  check: Partial<SignatureCheck>,
  { running = WITH_MODULES }: { readonly running?: Reading<KernelBuild> } = {},
): unknown {
  const usual: SignatureCheck = { isEnforced: known(false), lockdown: known('none'), isLocked: known(false) }
  const state = { check: { ...usual, ...check }, build: running }
  const { drift, unknown: hidden, messages } = decideSignatures(state)
  const isRight = drift.length === 0 && hidden.length === 0
  const captured = kernelModuleCapture.describe({ kind: 'present', state, context: undefined }, CAPTURE)
  expect(captured).toEqual({ kind: 'present', properties: isRight ? { signed: true } : {}, unread: hidden })
  if (hidden.length > 0) return hidden.map(({ reason }) => reason)
  return drift.length > 0 ? 'drifted' : messages
}

describe('the running kernel and an unsigned module', () => {
  test.each<[string, Partial<SignatureCheck>, unknown]>([
    ['nothing keeps it from that', {}, 'drifted'],
    ['it is told to insist', { isEnforced: known(true), lockdown: HIDDEN }, ['module.sig_enforce is on']],
    ['locked down', { lockdown: known('integrity') }, ['the kernel is locked down (integrity)']],
    ['locked down further', { lockdown: known('confidentiality') }, ['the kernel is locked down (confidentiality)']],
    ['locked down, with any parameter', { lockdown: known('integrity'), isEnforced: HIDDEN }, [expect.any(String)]],
    ['it takes no module at all', { isLocked: known(true), isEnforced: HIDDEN }, [expect.stringContaining('disabled')]],
    ['it cannot be locked down', { lockdown: known(null) }, 'drifted'],
    ['the parameter is hidden', { isEnforced: HIDDEN }, ['permission-denied']],
    ['the lockdown is hidden', { lockdown: HIDDEN }, ['permission-denied']],
    ['whether it takes any is hidden', { isLocked: HIDDEN }, ['permission-denied']],
    ['a kernel without the parameter, built to look at signatures', { isEnforced: known(null) }, 'drifted'],
  ])('%s', (_name, check, expected) => {
    expect(verdictOf(check)).toEqual(expected)
  })

  test.each<[string, Partial<SignatureCheck>, Reading<KernelBuild>, unknown]>([
    [
      'an older kernel that was built to insist has no parameter',
      { isEnforced: known(null) },
      build({ CONFIG_MODULES: 'y', CONFIG_MODULE_SIG_FORCE: 'y' }),
      ['CONFIG_MODULE_SIG_FORCE=y in /boot/config'],
    ],
    ['one without modules', { isEnforced: known(null) }, build({}), [expect.stringContaining('CONFIG_MODULES')]],
    ['a hidden kernel configuration', { isEnforced: known(null) }, HIDDEN, ['permission-denied']],
    ['a kernel that was built without lockdown', { lockdown: HIDDEN }, build({ CONFIG_MODULES: 'y' }), 'drifted'],
    ['a lockdown and a build that are hidden', { lockdown: HIDDEN }, HIDDEN, ['permission-denied']],
  ])('%s', (_name, check, running, expected) => {
    expect(verdictOf(check, { running })).toEqual(expected)
  })
})

describe('the files that are read', () => {
  const PARAMETER = 'sys/module/module/parameters/sig_enforce'
  const LSM = 'sys/kernel/security/lsm'
  const LOCKDOWN = 'sys/kernel/security/lockdown'

  test.each<[string, Readonly<Record<string, string>>, object]>([
    [
      'on, and not locked down',
      { [PARAMETER]: 'Y\n', [LOCKDOWN]: '[none] integrity confidentiality\n' },
      { isEnforced: known(true), lockdown: known('none') },
    ],
    [
      'off, and locked down',
      { [PARAMETER]: 'N\n', [LOCKDOWN]: 'none [integrity] confidentiality\n' },
      { isEnforced: known(false), lockdown: known('integrity') },
    ],
    [
      'no parameter, and no such module of security',
      { [LSM]: 'capability,yama,apparmor\n' },
      { isEnforced: known(null), lockdown: known(null) },
    ],
    [
      'something else',
      { [PARAMETER]: '1\n', [LOCKDOWN]: 'none\n' },
      { isEnforced: { reason: 'invalid' }, lockdown: { reason: 'invalid' } },
    ],
    ['no securityfs', {}, { lockdown: { reason: 'not-observable' } }],
    ['a lockdown without its file', { [LSM]: 'lockdown,capability\n' }, { lockdown: { reason: 'not-observable' } }],
  ])('%s', (_name, files, expected) => {
    const directory = temporaryDirectory()
    moduleMachine(directory, files)
    expect(checkIn(directory)).toMatchObject({ value: expected })
  })

  test('a machine without /sys shows nothing', () => {
    const directory = temporaryDirectory()
    put(directory, { 'proc/modules': '' })
    expect(checkIn(directory)).toMatchObject({ value: { isEnforced: { reason: 'not-observable' } } })
  })

  function checkIn(directory: string): unknown {
    const { probe, files } = createLocalTarget()
    const place = { root: directory, release: '6.1.0', searchPath: join(directory, 'bin') }
    return openKernelModules({ probe, realPath: files.realPath, place }).signatures()
  }
})

test.each([
  [{ name: '*', signed: true }, undefined],
  [{ name: '*' }, 'is required'],
  [{ name: '*', signed: false }, 'must be true'],
  [{ name: '*', signed: true, loaded: false }, 'can be set'],
  [{ name: 'cramfs', signed: true, loaded: false }, 'the name must be *'],
  [{ name: 'cramfs' }, 'neither'],
])('the properties of all modules: %j', (given, problem) => {
  const decoded = decodeProperties(kernelModule, given)
  const said = decoded.ok ? '' : JSON.stringify(decoded)
  expect(problem === undefined ? said : said.includes(problem)).toEqual(problem === undefined ? '' : true)
})
