import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { putAuthselect } from '../support/authselect.ts'
import { PROGRAM, start } from '../support/driftgate.ts'
import { cannotOverlay, OVERLAID } from '../support/mount.ts'
import { temporaryDirectory } from '../support/temporary.ts'

/** A machine with the stand-in in the place of pam-auth-update, and what a fix may change of it. */
const PREPARED = `${OVERLAID}
cp -a machine/. / && rm -f /usr/sbin/pam-auth-update
state() { find /etc/authselect /etc/pam.d /etc/nsswitch.conf -printf '%p %M %U %G %l\\n' -type f -exec sha256sum {} + | sort; }
state >before
`

const POLICY = `ccm:
  resources:
    - pam:
        - system-auth:
            type: auth
            module: pam_faillock
            with: [authfail]
            catches: pam_unix
            alias: counts
        - system-auth:
            type: auth
            module: pam_unix
            arguments: { nullok: false }
            alias: no empty passwords
`

/** What a script prints, by its headings; `$@` is driftgate. */
async function inNamespace(script: string): Promise<Readonly<Record<string, string>>> {
  const directory = temporaryDirectory()
  const machine = join(directory, 'machine')
  mkdirSync(machine)
  await putAuthselect(machine)
  writeFileSync(join(directory, 'policy.yaml'), POLICY)
  const command = ['--mount', 'sh', '-c', `${PREPARED}${script}`, 'sh', ...PROGRAM]
  const { stdout, stderr } = await start('unshare', command, { cwd: directory }).outcome
  const [, ...parts] = stdout.split(/^--- /m)
  expect(parts.length, stderr).toBeGreaterThan(0)
  return Object.fromEntries(parts.map((part) => part.split(/\n(.*)/s)))
}

function resources(report: string | undefined): readonly Record<string, unknown>[] {
  return JSON.parse(report ?? '').policies[0].resources
}

describe.skipIf(cannotOverlay)(
  `stacks that authselect makes (${cannotOverlay ?? 'in a namespace'})`,
  { timeout: 120_000 },
  () => {
    test('get the features that do it, and undo puts everything back', async () => {
      const said = await inNamespace(`
echo '--- audit'; "$@" scan policy.yaml --report json || true
echo '--- untouched'; state | diff before - && echo yes
echo '--- fix'; "$@" scan policy.yaml --fix --report json
echo '--- again'; "$@" scan policy.yaml --fix --report json
echo '--- check'; authselect check; authselect current --raw
echo '--- undo'; "$@" undo "$("$@" fixes --json | grep -oE '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}' | head -n 1)"
echo '--- back'; state | diff before - && authselect check
`)
      expect(resources(said['audit'])).toMatchObject([
        { change: 'will', actions: ['Would have enabled the feature with-faillock with authselect'] },
        { change: 'will', actions: ['Would have enabled the feature without-nullok with authselect'] },
      ])
      expect(said['untouched']).toBe('yes\n')
      expect(resources(said['fix'])).toMatchObject([{ verdict: 'fixed' }, { verdict: 'fixed' }])
      expect(resources(said['again'])).toMatchObject([{ verdict: 'compliant' }, { verdict: 'compliant' }])
      expect(said['check']).toBe('Current configuration is valid.\nlocal with-faillock without-nullok\n')
      expect(said['undo']).toContain('/etc/authselect')
      expect(said['back']).toBe('Current configuration is valid.\n')
    })

    test('are not regenerated if that would lock out every user', async () => {
      const said = await inNamespace(`
sed -i '/faillock.so preauth/s/^.*$/auth requisite pam_deny.so {include if "with-faillock"}/' \\
  /usr/share/authselect/default/local/*-auth
echo '--- fix'; "$@" scan policy.yaml --fix --report json || true
echo '--- left'; authselect current --raw
`)
      expect(resources(said['fix'])).toMatchObject([{ verdict: 'fix-failed' }, { verdict: 'fixed' }])
      expect(JSON.stringify(resources(said['fix'])[0])).toContain('does not meet it with with-faillock')
      expect(said['left']).toBe('local without-nullok\n')
    })
  },
)
