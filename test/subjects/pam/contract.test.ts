import { chmodSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { pam } from '../../../src/subjects/pam/index.ts'
import { auditResource, type ContractScene, contractTests } from '../../../src/testing/index.ts'
import { needsRootToFix, put } from '../../support/contract.ts'
import { handsIn, machineIn } from '../../support/pam-machine.ts'
import { needsRoot, temporaryDirectory } from '../../support/temporary.ts'
import { runAsNobody } from '../../support/unprivileged.ts'

type Files = Readonly<Record<string, string>>

const MODULES = 'usr/lib/x86_64-linux-gnu/security'

const BASE: Files = {
  [`${MODULES}/pam_unix.so`]: '',
  [`${MODULES}/pam_faillock.so`]: '',
  [`${MODULES}/pam_pwhistory.so`]: 'reads pwhistory.conf',
  'etc/pam.d/sshd': '@include common-auth\n',
  'etc/pam.d/common-auth': 'auth required pam_faillock.so preauth\nauth required pam_unix.so nullok\n',
  'etc/pam.d/common-password': 'password required pam_pwhistory.so\npassword required pam_unix.so\n',
}

function scene(title: string, state: ContractScene['state'], files: Files, properties: object): ContractScene {
  return {
    title,
    state,
    arrange(directory) {
      put(directory, { ...BASE, ...files })
      return { name: 'sshd', type: 'auth', module: 'pam_unix', ...properties }
    },
    target: machineIn,
    remediator: handsIn,
  }
}

const HISTORY = { name: 'common-password', type: 'password', module: 'pam_pwhistory' }

const scenes: readonly ContractScene[] = [
  scene('no login bypasses it', 'compliant', {}, { required: true }),
  scene('an empty password is accepted', 'unfixable', {}, { arguments: { nullok: false } }),
  scene('a module that may be missing', 'compliant', {}, { module: 'pam_wheel', if_absent: 'compliant' }),
  scene('a module that is missing', 'unfixable', {}, { module: 'pam_wheel' }),
  scene('a module that is missing and has to be', 'compliant', {}, { module: 'pam_wheel', ensure: 'absent' }),
  scene('a module that has to be missing', 'unfixable', {}, { ensure: 'absent' }),
  scene(
    'a file of the module that is not there yet',
    'fixable',
    {},
    { ...HISTORY, arguments: { remember: { at_least: 24 } } },
  ),
  scene(
    'a file of the module that says less',
    'fixable',
    { 'etc/security/pwhistory.conf': '# history\nremember = 5\n' },
    { ...HISTORY, arguments: { remember: { at_least: 24 }, use_authtok: true } },
  ),
  scene(
    'a file of the module that says enough',
    'compliant',
    { 'etc/security/pwhistory.conf': 'remember = 30\n' },
    { ...HISTORY, arguments: { remember: { at_least: 24 } } },
  ),
]

const FIXED_AS_ROOT = ['a file of the module that is not there yet', 'a file of the module that says less']

for (const { name, run } of contractTests(pam, { scenes })) test.skipIf(needsRootToFix(name, FIXED_AS_ROOT))(name, run)

test('files of vendors count without a file in /etc, and pam.conf without a directory', async () => {
  const vendor = temporaryDirectory()
  put(vendor, { ...BASE, 'usr/lib/pam.d/vendor': 'auth required pam_unix.so\n' })
  await expect(verdictIn(vendor, 'vendor')).resolves.toBe('compliant')
  const old = temporaryDirectory()
  const conf = 'other auth required pam_unix.so\n# service\nSSHD auth \\\n required pam_unix.so\n'
  put(old, { [`${MODULES}/pam_unix.so`]: '', 'etc/pam.conf': conf })
  await expect(verdictIn(old, 'sshd')).resolves.toBe('compliant')
  await expect(verdictIn(old, 'login')).resolves.toBe('drifted')
  put(old, { 'etc/pam.d/other': '' })
  await expect(verdictIn(old, 'sshd')).resolves.toBe('drifted')
})

test.each([
  ['UsePAM yes\n', 'compliant', ''],
  ['usepam no\nUsePAM yes\n', 'drifted', 'UsePAM is no, set by /etc/ssh/sshd_config:1'],
  ['', 'error', 'the default of this sshd is unknown'],
])('with %j in sshd_config it is %s', async (text, verdict, note) => {
  const directory = temporaryDirectory()
  put(directory, { ...BASE, 'usr/sbin/sshd': '', 'etc/ssh/sshd_config': text })
  const wanted = { name: 'sshd', type: 'auth', module: 'pam_unix', required: true }
  const result = await auditResource(pam, wanted, { workingDirectory: directory, target: machineIn(directory) })
  expect(result).toMatchObject({ verdict })
  expect(JSON.stringify(result)).toContain(note)
})

test('a file that libpwquality rejects is unknown, with any other settings', async () => {
  const directory = temporaryDirectory()
  const conf = { 'etc/security/pwquality.conf': 'minlen = 14\nminclas = 4\n', [`${MODULES}/pam_pwquality.so`]: '' }
  put(directory, { ...BASE, ...conf, 'etc/pam.d/common-password': 'password requisite pam_pwquality.so\n' })
  const wanted = { name: 'common-password', type: 'password', module: 'pam_pwquality', arguments: { minlen: '14' } }
  const target = machineIn(directory)
  const result = await auditResource(pam, wanted, { workingDirectory: directory, target })
  expect(result).toMatchObject({ verdict: 'error' })
  expect(JSON.stringify(result)).toContain('libpwquality rejects minclas')
})

test('a link that leads in a circle is unknown', async () => {
  const directory = temporaryDirectory()
  put(directory, BASE)
  symlinkSync('loop', join(directory, 'etc/pam.d/loop'))
  await expect(verdictIn(directory, 'loop')).resolves.toBe('error')
})

test.skipIf(needsRoot)('a file without read permission is unknown', async () => {
  const directory = temporaryDirectory()
  put(directory, BASE)
  chmodSync(join(directory, 'etc/pam.d/common-auth'), 0o600)
  const text = `
    import { openPamFiles } from './src/subjects/pam/stack/files.ts'
    import { expandPam } from './src/subjects/pam/stack/stack.ts'
    import { createLocalTarget } from './src/host/live/local-target.ts'
    const target = createLocalTarget()
    const at = (path) => process.argv[2] + path
    const probe = { ...target.probe, readText: (path) => target.probe.readText(at(path)) }
    const files = openPamFiles({ probe, files: { stat: (path) => target.files.stat(at(path)) } })
    console.log(JSON.stringify(expandPam(files, 'sshd', 'auth')))
  `
  await expect(runAsNobody(text, [directory])).resolves.toMatchObject({ kind: 'unknown', reason: 'permission-denied' })
})

async function verdictIn(directory: string, name: string): Promise<string> {
  const wanted = { name, type: 'auth', module: 'pam_unix', required: true }
  const target = machineIn(directory)
  return (await auditResource(pam, wanted, { workingDirectory: directory, target })).verdict
}
