import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { describe, expect, test } from 'vitest'
import { PROGRAM, start } from '../support/driftgate.ts'
import { cannotMount, OWN_STATE } from '../support/mount.ts'
import { temporaryDirectory } from '../support/temporary.ts'

const reason = cannotMount ?? (existsSync('/usr/sbin/pam-auth-update') ? undefined : 'needs pam-auth-update')

/** Debian's own stacks, so that changes on this machine do not count. */
const RESET = 'rm -f /var/lib/pam/* && pam-auth-update --force >/dev/null'

const ASKS = `Name: faillock is asked
Default: no
Priority: 1024
Auth-Type: Primary
Auth:
	requisite pam_faillock.so preauth
Account-Type: Primary
Account:
	required pam_faillock.so
`

const COUNTS = `Name: faillock counts
Default: no
Priority: 0
Auth-Type: Primary
Auth:
	[default=die] pam_faillock.so authfail
`

/** Locks out every user once enabled. */
const DENIES = `Name: only the wheel, and not even that
Default: no
Priority: 2048
Auth-Type: Primary
Auth:
	requisite pam_wheel.so
	requisite pam_deny.so
`

/** Runs a script in a namespace of mounts in which all that pam-auth-update changes is a copy; `$@` is driftgate. */
async function inNamespace(policy: string, script: string): Promise<Readonly<Record<string, string>>> {
  const directory = temporaryDirectory()
  writeFileSync(join(directory, 'policy.yaml'), policy)
  const prepared = `
set -e
mount --make-rprivate /
${OWN_STATE}
export DEBIAN_FRONTEND=noninteractive
for path in /etc/pam.d /var/lib/pam /usr/share/pam-configs /var/cache/debconf; do
  mkdir -p "copy$path" && cp -a "$path/." "copy$path/" && mount --bind "copy$path" "$path"
done
${RESET}
scan() { echo "--- $1"; shift; "$@" --report json || true; }
${script}`
  const command = ['--mount', 'sh', '-c', prepared, 'sh', ...PROGRAM]
  const env = { PATH: `${process.env['PATH']}:/usr/sbin`, ASKS, COUNTS, DENIES }
  const { stdout, stderr } = await start('unshare', command, { cwd: directory, env }).outcome
  const [, ...parts] = stdout.split(/^--- /m)
  expect(parts.length, stderr).toBeGreaterThan(0)
  return Object.fromEntries(parts.map((part) => part.split(/\n(.*)/s)))
}

function resources(report: string | undefined): readonly Record<string, unknown>[] {
  return JSON.parse(report ?? '').policies[0].resources
}

describe.skipIf(reason)(
  `stacks that pam-auth-update makes (${reason ?? 'in a namespace'})`,
  { timeout: 120_000 },
  () => {
    test('a profile that has the module is enabled, and nothing else changes', async () => {
      const policy = `ccm:
  resources:
    - pam:
        - common-auth:
            type: auth
            module: pam_faillock
            with: [preauth]
            required: true
            before: pam_unix
            alias: asks
        - common-auth:
            type: auth
            module: pam_faillock
            with: [authfail]
            catches: pam_unix
            alias: counts
        - common-account:
            type: account
            module: pam_faillock
`
      const said = await inNamespace(
        policy,
        `
scan none "$@" scan policy.yaml
printf '%s' "$ASKS" >/usr/share/pam-configs/asks; printf '%s' "$COUNTS" >/usr/share/pam-configs/counts
sha256sum /etc/pam.d/* /var/lib/pam/* /var/cache/debconf/*.dat >before
scan audit "$@" scan policy.yaml
echo "--- untouched"; sha256sum --quiet -c before && echo yes
scan fix "$@" scan policy.yaml --fix
scan again "$@" scan policy.yaml --fix
echo "--- auth"; grep -v '^#' /etc/pam.d/common-auth | tr '\\t' ' ' | tr -s ' '`,
      )
      expect(resources(said['none'])).toMatchObject([{ change: 'cannot' }, { change: 'cannot' }, { change: 'cannot' }])
      expect(resources(said['audit'])).toMatchObject([
        { verdict: 'drifted', change: 'will', actions: ['Would have enabled the profile asks with pam-auth-update'] },
        { verdict: 'drifted', change: 'will', actions: ['Would have enabled the profile counts with pam-auth-update'] },
        { verdict: 'drifted', change: 'will' },
      ])
      expect(said['untouched']).toBe('yes\n')
      // The account has come with the first of the profiles.
      expect(resources(said['fix'])).toMatchObject([
        { verdict: 'fixed' },
        { verdict: 'fixed' },
        { verdict: 'compliant' },
      ])
      expect(resources(said['again']).map(({ verdict }) => verdict)).toEqual(['compliant', 'compliant', 'compliant'])
      expect(said['auth']?.trim().split('\n').slice(0, 5)).toEqual([
        'auth requisite pam_faillock.so preauth',
        'auth [success=2 default=ignore] pam_unix.so nullok try_first_pass',
        'auth [default=die] pam_faillock.so authfail',
        'auth requisite pam_deny.so',
        'auth required pam_permit.so',
      ])
    })

    test('a profile that would lock out every user is not enabled, and stacks that were edited stay as they are', async () => {
      const policy = `ccm:
  resources:
    - pam:
        - common-auth:
            type: auth
            module: pam_wheel
`
      const said = await inNamespace(
        policy,
        `
printf '%s' "$DENIES" >/usr/share/pam-configs/denies
sha256sum /etc/pam.d/* /var/lib/pam/* /var/cache/debconf/*.dat >before
scan out "$@" scan policy.yaml --fix
echo "--- untouched"; sha256sum --quiet -c before && echo yes
sed -i /pam_deny/d /usr/share/pam-configs/denies; sed -i '/^# .*here/d' /etc/pam.d/common-auth
sha256sum /etc/pam.d/* >before
scan edited "$@" scan policy.yaml --fix
echo "--- kept"; sha256sum --quiet -c before && echo yes`,
      )
      expect(resources(said['out'])).toMatchObject([
        { verdict: 'fix-failed', errors: [expect.stringContaining('no user could log in through login')] },
      ])
      expect(said['untouched']).toBe('yes\n')
      expect(resources(said['edited'])).toMatchObject([
        { verdict: 'fix-failed', errors: [expect.stringContaining('pam_wheel has no')] },
      ])
      expect(said['kept']).toBe('yes\n')
    })
  },
)
