import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { driftgate, type Outcome, temporaryDirectory } from '../support/driftgate.ts'
import { needsRoot } from '../support/temporary.ts'

/** A directory with the mode of /etc. */
function openDirectory(): string {
  const directory = temporaryDirectory()
  chmodSync(directory, 0o755)
  return directory
}

function put(directory: string, name: string, text: string, mode: number): string {
  const path = join(directory, name)
  writeFileSync(path, text)
  chmodSync(path, mode)
  return path
}

/** Captures into policy.yaml, which has to be sound and complied with at once. */
async function captured(cwd: string, ...args: readonly string[]): Promise<Outcome> {
  const outcome = await driftgate(['capture', ...args, '--output', 'policy.yaml'], { cwd })
  expect(await driftgate(['validate', 'policy.yaml'], { cwd }), outcome.stderr).toMatchObject({ code: 0 })
  const scan = await driftgate(['scan', 'policy.yaml'], { cwd })
  expect(scan, scan.stdout).toMatchObject({ code: 0 })
  return outcome
}

test.skipIf(needsRoot)('accounts, parameters, modules and settings of this machine are captured', async () => {
  const cwd = openDirectory()
  const words = [
    'user:root',
    'user:daemon',
    'group:daemon',
    // What is set at boot is known where systemd sets it.
    ...(existsSync('/usr/lib/systemd/systemd-sysctl') ? ['sysctl:kernel.ostype'] : []),
    'setting:login.defs',
    'package:bash',
  ]
  const { code, stderr } = await captured(cwd, ...words)
  expect({ code, stderr }).toMatchObject({ code: 0 })
  const { ccm } = parse(readFileSync(join(cwd, 'policy.yaml'), 'utf8'))
  expect(ccm.resources[0].user[1].daemon).toMatchObject({ uid: 1, password: 'unusable', shell: '/usr/sbin/nologin' })
  expect(readFileSync(join(cwd, 'policy.yaml'), 'utf8')).not.toMatch(/\$y\$|\$6\$/)
  expect(JSON.stringify(ccm)).toContain('"login.defs:ENCRYPT_METHOD":{"value"')
})

test.skipIf(needsRoot)('properties that the user may not read are reported, and not guessed', async () => {
  const cwd = temporaryDirectory()
  chmodSync(cwd, 0o777)
  const hidden = join(cwd, 'hidden')
  mkdirSync(hidden, { mode: 0o700 })
  put(hidden, 'file', '', 0o644)
  const words = [`file:${hidden}/file`, 'user:root', 'file:/etc/shadow']
  const { code, stdout, stderr } = await driftgate(['capture', ...words], { cwd, uid: 65534 })
  expect(code).toBe(3)
  expect(stderr).toMatch(/hidden\/file: .*permission denied/)
  expect(stderr).toMatch(/user#root: password omitted: .*shadow/)
  expect(parse(stdout).ccm.resources).toMatchObject([
    { user: [{ root: { uid: 0, shell: '/bin/bash' } }] },
    { file: [{ '/etc/shadow': { mode: '0640' } }] },
  ])
  expect(stdout).not.toMatch(/password|sha256|expires/)
})

test('a root directory is captured as it is, and scanned without a difference', async () => {
  const cwd = openDirectory()
  mkdirSync(join(cwd, 'root/etc'), { recursive: true })
  put(join(cwd, 'root/etc'), 'motd', 'hello\n', 0o640)
  const target = ['--target', 'root:root']
  const shown = await driftgate(['status', 'file', '/etc/motd', '/etc/issue', ...target, '--json'], { cwd })
  expect(shown).toMatchObject({ code: 0, stderr: '' })
  expect(JSON.parse(shown.stdout)).toMatchObject([
    { name: '/etc/motd', properties: { ensure: 'present', mode: '0640' } },
    { name: '/etc/issue', properties: { ensure: 'absent' } },
  ])
  const words = ['capture', 'file:/etc/motd', '--private', ...target, '--output', 'policy.yaml']
  expect(await driftgate(words, { cwd })).toMatchObject({ code: 0 })
  expect(await driftgate(['scan', 'policy.yaml', ...target], { cwd })).toMatchObject({ code: 0 })
  put(join(cwd, 'root/etc'), 'motd', 'bye\n', 0o640)
  expect(await driftgate(['scan', 'policy.yaml', ...target], { cwd })).toMatchObject({ code: 2 })
})
