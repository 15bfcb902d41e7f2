import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { driftgate, PROGRAM, start, temporaryDirectory } from '../support/driftgate.ts'
import { cannotOverlay, OVERLAID } from '../support/mount.ts'
import { needsRoot } from '../support/temporary.ts'

test.skipIf(needsRoot)('a first policy is sound, complied with and the same each time', async () => {
  const cwd = temporaryDirectory()
  const { code, stdout, stderr } = await driftgate(['init'], { cwd })
  // Where no systemd runs it says of services that it cannot see them.
  expect(code === 0 || (code === 3 && stderr.includes('left out: ')), stderr).toBe(true)
  expect(stdout).toBe('')
  expect(stderr).toMatch(/wrote policy\.yaml with \d+ resources.*\nNext:\n {2}driftgate scan policy\.yaml/)
  const text = readFileSync(join(cwd, 'policy.yaml'), 'utf8')
  expect(text.split('\n').length).toBeLessThan(250)
  expect(statSync(join(cwd, 'policy.yaml')).mode & 0o777).toBe(0o600)
  const again = await driftgate(['init', '--print'], { cwd })
  expect(parse(again.stdout)).toEqual(parse(text))
  const scan = await driftgate(['scan', 'policy.yaml'], { cwd })
  expect(scan, scan.stdout).toMatchObject({ code: 0 })
})

test('a policy that is there is replaced with --force alone', async () => {
  const cwd = temporaryDirectory()
  writeFileSync(join(cwd, 'policy.yaml'), 'mine\n')
  const refused = await driftgate(['init'], { cwd })
  expect(refused).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/policy\.yaml is there already: say --force/),
  })
  expect(readFileSync(join(cwd, 'policy.yaml'), 'utf8')).toBe('mine\n')
  await driftgate(['init', '--force'], { cwd })
  expect(readFileSync(join(cwd, 'policy.yaml'), 'utf8')).toContain('What matters on')
})

test.skipIf(needsRoot)('who may not see it all is told what is left out', async () => {
  const cwd = temporaryDirectory()
  const { code, stdout, stderr } = await driftgate(['init', '--print'], {
    cwd: '/',
    uid: 65534,
    env: { HOME: cwd },
  })
  expect(code).toBe(3)
  expect(stderr).toMatch(/left out: user#root: password is left out: .*shadow/)
  expect(stderr).toMatch(/left out: file#\/etc\/sudoers: sha256 is left out: .*permission denied/)
  expect(stdout).toMatch(/\/etc\/passwd:/)
})

describe.skipIf(cannotOverlay)(`what comes after the policy (${cannotOverlay ?? 'in a namespace'})`, () => {
  test('is found where it can make somebody root', async () => {
    const script = `${OVERLAID}
mkdir -p /etc/sudoers.d /etc/cron.d /etc/systemd/system/multi-user.target.wants
"$@" init >&2 || [ $? = 3 ]
echo 'nobody ALL=(ALL) NOPASSWD: ALL' >/etc/sudoers.d/zz && chmod 0440 /etc/sudoers.d/zz
touch '/etc/cron.d/[a]'
ln -s /dev/null /etc/systemd/system/multi-user.target.wants/planted.service
"$@" scan policy.yaml --report json`
    const command = ['--mount', 'sh', '-c', script, 'sh', ...PROGRAM]
    const { code, stdout, stderr } = await start('unshare', command, { cwd: temporaryDirectory() }).outcome
    expect(code, stderr).toBe(2)
    const { resources } = JSON.parse(stdout).policies[0]
    const drifted = (resources as readonly Drifted[]).filter(({ verdict }) => verdict === 'drifted')
    expect(Object.fromEntries(drifted.map(({ id, drift }) => [id, drift.map(({ path }) => path)]))).toEqual({
      'files#/etc/sudoers.d': ['zz'],
      'setting#sudoers:NOPASSWD': ['nobody ALL=(ALL) NOPASSWD: ALL'],
      'files#/etc/cron.d': ['[a]'],
      'files#/etc/systemd/system': ['multi-user.target.wants/planted.service'],
    })
  })
})

interface Drifted {
  readonly id: string
  readonly verdict: string
  readonly drift: readonly { readonly path?: string }[]
}
