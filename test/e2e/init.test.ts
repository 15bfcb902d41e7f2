import { existsSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { driftgate, PROGRAM, start, temporaryDirectory } from '../support/driftgate.ts'
import { cannotOverlay, OVERLAID } from '../support/mount.ts'
import { needsRoot } from '../support/temporary.ts'

const hasSudo = existsSync('/etc/sudoers')

test.skipIf(needsRoot)('an unprivileged user gets a list of the omitted properties', async () => {
  const cwd = temporaryDirectory()
  const { code, stdout, stderr } = await driftgate(['init', '--print'], {
    cwd: '/',
    uid: 65534,
    env: { HOME: cwd },
  })
  expect(code).toBe(3)
  expect(stderr).toMatch(/omitted: user#root: password omitted: .*shadow/)
  if (hasSudo) expect(stderr).toMatch(/omitted: file#\/etc\/sudoers: sha256 omitted: .*permission denied/)
  expect(stdout).toMatch(/\/etc\/passwd:/)
})

describe.skipIf(cannotOverlay)(`a change after init (${cannotOverlay ?? 'in a namespace'})`, () => {
  test('is detected if it can grant root', async () => {
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
      ...(hasSudo ? { 'setting#sudoers:NOPASSWD': ['nobody ALL=(ALL) NOPASSWD: ALL'] } : {}),
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
