import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { pam } from '../../../src/subjects/pam/index.ts'
import { createFeatureControl } from '../../../src/subjects/pam/live/authselect.ts'
import { type Run, parseTested } from '../../../src/subjects/pam/stack/authselect.ts'
import type { Remediator } from '../../../src/host/remediator.ts'
import type { Target } from '../../../src/host/target.ts'
import { auditResource, type ContractScene, contractTests, type Properties } from '../../../src/testing/index.ts'
import { putAuthselect, select, standInOf } from '../../support/authselect.ts'
import { needsRootToFix, put } from '../../support/contract.ts'
import { handsIn, machineIn } from '../../support/pam-machine.ts'
import { temporaryDirectory } from '../../support/temporary.ts'
import { opening, writing } from '../../support/opening.ts'
import { PAM_PROFILES } from '../../../src/subjects/pam/subject.ts'

const MODULES = ['unix', 'deny', 'faillock', 'pwquality', 'pwhistory', 'wheel']

const COUNTS = { name: 'system-auth', type: 'auth', module: 'pam_faillock', with: ['authfail'], catches: 'pam_unix' }

const REMEMBERS = { name: 'password-auth', type: 'password', module: 'pam_pwhistory' }

const NO_EMPTY = { name: 'system-auth', type: 'auth', module: 'pam_unix', arguments: { nullok: false } }

function targetIn(directory: string, run: Run = standInOf(directory)): Target {
  return { ...machineIn(directory), run }
}

function remediatorIn(directory: string, run: Run = standInOf(directory)): Remediator {
  const hands = handsIn(directory)
  const enableFeatures = createFeatureControl(() => machineIn(directory), run)
  return { ...hands, open: opening(hands, writing(PAM_PROFILES, { ...hands.open(PAM_PROFILES), enableFeatures })) }
}

async function arrange(directory: string, ...features: readonly string[]): Promise<void> {
  const path = (name: string): string => `usr/lib/x86_64-linux-gnu/security/pam_${name}.so`
  put(directory, Object.fromEntries(MODULES.map((name) => [path(name), 'reads pwhistory.conf'])))
  await putAuthselect(directory, ...features)
}

function scene(
  title: string,
  state: ContractScene['state'],
  properties: Properties,
  ...features: readonly string[]
): ContractScene {
  return {
    title,
    state,
    async arrange(directory) {
      await arrange(directory, ...features)
      return properties
    },
    target: targetIn,
    remediator: remediatorIn,
  }
}

const scenes: readonly ContractScene[] = [
  scene('a feature that is enabled', 'compliant', COUNTS, 'with-faillock'),
  scene('a feature that is missing', 'fixable', COUNTS),
  scene('a feature that takes an argument away', 'fixable', NO_EMPTY, 'with-faillock'),
  scene('a feature and the file of its module', 'fixable', { ...REMEMBERS, arguments: { remember: { at_least: 24 } } }),
  scene('a line that no feature makes', 'unfixable', { ...COUNTS, control_flag: 'sufficient' }),
]

const FIXED_AS_ROOT = ['a feature and the file of its module']

for (const { name, run } of contractTests(pam, { scenes })) test.skipIf(needsRootToFix(name, FIXED_AS_ROOT))(name, run)

async function reasonIn(directory: string, wanted: Properties, run?: Run): Promise<unknown> {
  const result = await auditResource(pam, wanted, { workingDirectory: directory, target: targetIn(directory, run) })
  expect(result).toMatchObject({ verdict: 'drifted', change: 'cannot' })
  return JSON.stringify(result)
}

describe('an audit', () => {
  test('names the fewest features that do it, and changes nothing', async () => {
    const directory = temporaryDirectory()
    await arrange(directory, 'without-nullok')
    const before = readFileSync(join(directory, 'etc/authselect/authselect.conf'), 'utf8')
    const result = await auditResource(pam, COUNTS, { target: targetIn(directory) })
    expect(result).toMatchObject({ actions: ['Would have enabled the feature with-faillock with authselect'] })
    expect(readFileSync(join(directory, 'etc/authselect/authselect.conf'), 'utf8')).toBe(before)
  })

  test('names a file of the module beside the feature', async () => {
    const directory = temporaryDirectory()
    await arrange(directory)
    const wanted = { ...REMEMBERS, arguments: { remember: { at_least: 24 } } }
    const result = await auditResource(pam, wanted, { target: targetIn(directory) })
    const text =
      'Would have changed /etc/security/pwhistory.conf and enabled the feature with-pwhistory with authselect'
    expect(result).toMatchObject({ actions: [text] })
  })

  test('says which profile to write where no feature does it', async () => {
    const directory = temporaryDirectory()
    await arrange(directory, 'with-faillock')
    const wanted = { ...COUNTS, control_flag: 'sufficient' }
    const create = 'authselect create-profile NAME -b local --symlink-meta'
    await expect(reasonIn(directory, wanted)).resolves.toContain(
      `does not meet it with with-pwhistory, without-nullok either: ${create}, change the stacks in /etc/authselect/custom/NAME, then authselect select custom/NAME with-faillock`,
    )
    put(directory, { 'etc/authselect/custom/own/system-auth': 'auth required pam_unix.so\n' })
    await select(directory, 'custom/own')
    await expect(reasonIn(directory, wanted)).resolves.toContain(
      'the profile custom/own has no other feature for it: change the stacks in /etc/authselect/custom/own and run authselect apply-changes',
    )
  })

  test('says so where the stacks are not those that authselect made', async () => {
    const directory = temporaryDirectory()
    await arrange(directory)
    writeFileSync(join(directory, 'etc/authselect/system-auth'), 'auth required pam_unix.so nullok\n')
    await expect(reasonIn(directory, COUNTS)).resolves.toContain(
      'authselect check ends with 3, Current configuration is not valid. It was probably modified outside authselect: ',
    )
    put(directory, { 'etc/pam.d/login': 'auth required pam_unix.so\n' })
    const gone = { ...COUNTS, name: 'login' }
    // A stack without authselect needs none of its checks.
    const none: Run = async () => ({ kind: 'not-started', message: 'nobody asks' })
    await expect(reasonIn(directory, gone, none)).resolves.not.toContain('nobody asks')
  })

  test.each<[string, Awaited<ReturnType<Run>>, string]>([
    ['is not there', { kind: 'not-started', message: 'no such program' }, 'authselect check: no such program'],
    [
      'hangs',
      { kind: 'killed', cause: 'timeout', reason: 'timed out after 60 seconds', stdout: '', stderr: '', output: '' },
      'timed out after 60 seconds',
    ],
    ['says nothing', { kind: 'exited', exitCode: 0, stdout: '', stderr: '', output: '' }, 'names no profile'],
    ['fails silently', { kind: 'exited', exitCode: 1, stdout: '', stderr: '', output: '' }, 'check ends with 1: '],
  ])('says so where authselect %s', async (_title, outcome, said) => {
    const directory = temporaryDirectory()
    await arrange(directory)
    await expect(reasonIn(directory, COUNTS, async () => outcome)).resolves.toContain(said)
  })

  test.each(['list-features', 'test'])('says so where authselect %s fails', async (command) => {
    const directory = temporaryDirectory()
    await arrange(directory)
    const run = standInOf(directory)
    const stderr = '[error] Unable to read template\n'
    const fails: Run = async (asked) =>
      asked.argv[1] === command ? { kind: 'exited', exitCode: 5, stdout: '', stderr, output: stderr } : run(asked)
    const said = `authselect ${command} ends with 5, [error] Unable to read template`
    await expect(reasonIn(directory, COUNTS, fails)).resolves.toContain(said)
  })
})

describe('enabling features', () => {
  test('is not begun where the stacks that would result are wrong', async () => {
    const directory = temporaryDirectory()
    await arrange(directory)
    const enable = createFeatureControl(() => machineIn(directory), standInOf(directory))
    const outcome = await enable(['with-faillock'], () => 'they are not', AbortSignal.timeout(10_000))
    expect(outcome).toMatchObject({
      kind: 'failed',
      message: expect.stringContaining('not installed: they are not'),
    })
    expect(readFileSync(join(directory, 'etc/authselect/authselect.conf'), 'utf8')).toBe('local\n')
  })

  test('is taken back where one fails, or the stacks are not those that were shown', async () => {
    const directory = temporaryDirectory()
    await arrange(directory)
    const run = standInOf(directory)
    const fails: Run = (command) =>
      run(
        command.argv.includes('enable-feature') && command.argv.includes('without-nullok')
          ? { ...command, argv: [command.argv[0], 'unknown'] }
          : command,
      )
    const features = ['with-faillock', 'without-nullok']
    const signal = AbortSignal.timeout(10_000)
    const first = await createFeatureControl(() => machineIn(directory), fails)(features, () => undefined, signal)
    expect(first).toEqual({ kind: 'failed', message: 'authselect enable-feature ends with 1' })
    expect(readFileSync(join(directory, 'etc/authselect/authselect.conf'), 'utf8')).toBe('local\n')
    let looks = 0
    const second = await createFeatureControl(() => machineIn(directory), run)(
      features,
      () => (looks++ === 0 ? undefined : 'somebody is locked out'),
      signal,
    )
    expect(second).toEqual({ kind: 'failed', message: 'authselect: somebody is locked out' })
    expect(readFileSync(join(directory, 'etc/authselect/authselect.conf'), 'utf8')).toBe('local\n')
  })
})

test('the stacks are read from the output of authselect, and an empty one is empty', () => {
  const printed = `File /etc/authselect/nsswitch.conf:
passwd: files

File /etc/authselect/system-auth:
auth required pam_unix.so

File /etc/authselect/smartcard-auth: Empty

`
  expect([...parseTested(printed)]).toEqual([
    ['system-auth', 'auth required pam_unix.so\n\n'],
    ['smartcard-auth', '\n\n'],
  ])
})
