import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { describe, expect, test } from 'vitest'
import { DRIFTGATE, start } from '../support/driftgate.ts'
import { cannotMount, OWN_STATE } from '../support/mount.ts'
import { temporaryDirectory } from '../support/temporary.ts'

const NODEV = '{ options: { includes: [nodev] } }'

/** Runs a script in a namespace of mounts, with an /etc of its own; `$@` is driftgate. What it says stands below headings. */
async function inNamespace(policy: string, script: string): Promise<Readonly<Record<string, string>>> {
  const directory = temporaryDirectory()
  writeFileSync(
    join(directory, 'policy.yaml'),
    `ccm:\n  resources:\n    - mount:\n${policy.replaceAll('MNT', join(directory, 'mnt'))}`,
  )
  const prepared = `
mount --make-rprivate /
${OWN_STATE}
mkdir etc mnt && cp -a /etc/passwd /etc/group /etc/nsswitch.conf etc/ && mount --bind etc /etc
printf '%s' "$FSTAB" >/etc/fstab
cd mnt
audit() { echo "--- $1"; shift; "$@" scan ../policy.yaml --report json; }
fix() { echo "--- $1"; shift; "$@" scan ../policy.yaml --fix --report json; }
# Whether a device that is in a directory is one.
device() { echo "--- $1"; rm -f "$2/null"; mknod -m 666 "$2/null" c 1 3; (echo >"$2/null") 2>/dev/null && echo works || echo refused; }
${script.replaceAll('MNT', join(directory, 'mnt'))}`
  const env = { FSTAB: FSTAB.replaceAll('MNT', join(directory, 'mnt')) }
  const command = ['--mount', 'sh', '-c', prepared, 'sh', process.execPath, DRIFTGATE]
  const { stdout, stderr } = await start('unshare', command, { cwd: directory, env }).outcome
  expect(stderr).toBe('')
  const [, ...parts] = stdout.split(/^--- /m)
  return Object.fromEntries(parts.map((part) => part.replaceAll(join(directory, 'mnt'), 'MNT').split(/\n(.*)/s)))
}

const FSTAB = `# what is mounted here
tmpfs\tMNT/own   tmpfs  size=1m,nosuid\t0 0
tmpfs MNT/stacked tmpfs nodev 0 0`

function resources(report: string | undefined): readonly Record<string, unknown>[] {
  return JSON.parse(report ?? '').policies[0].resources
}

describe.skipIf(cannotMount)(`mounts (${cannotMount ?? 'in a namespace'})`, { timeout: 120_000 }, () => {
  test('options are set now and for the next start, and fstab keeps everything else', async () => {
    const policy = `        - MNT/own: ${NODEV}\n`
    const said = await inNamespace(
      policy,
      `
mkdir own; mount MNT/own; device before own
audit audit "$@"; fix fix "$@"; fix again "$@"; device after own
echo "--- fstab"; cat /etc/fstab; echo
echo "--- restart"; umount own; mount MNT/own; findmnt --noheadings --output OPTIONS MNT/own`,
    )
    expect(said['before']).toBe('works\n')
    expect(resources(said['audit'])).toMatchObject([
      {
        verdict: 'drifted',
        drift: [{ property: 'options' }, { property: 'stored_options', note: 'set by /etc/fstab:2' }],
      },
    ])
    expect(resources(said['fix'])).toMatchObject([{ verdict: 'fixed' }])
    expect(resources(said['again'])).toMatchObject([{ verdict: 'compliant' }])
    expect(said['after']).toBe('refused\n')
    expect(said['fstab']).toBe(`${FSTAB.replace('size=1m,nosuid', 'size=1m,nosuid,nodev')}\n`)
    expect(said['restart']?.trim().split(',')).toEqual(expect.arrayContaining(['nosuid', 'nodev', 'size=1024k']))
  })

  test('a directory, a bind mount that kept its options, and what is mounted over another are seen as they are', async () => {
    const policy = ['plain', 'bound', 'stacked'].map((name) => `        - MNT/${name}: ${NODEV}\n`).join('')
    const said = await inNamespace(
      policy,
      `
mkdir plain own bound stacked
mount MNT/own; mount --bind own bound; mount -o remount,bind,nodev MNT/own
mount MNT/stacked; mount -t tmpfs tmpfs MNT/stacked
audit audit "$@"
device plain plain; device bound bound; device stacked stacked; device own own`,
    )
    expect(resources(said['audit']).map(({ drift }) => drift)).toMatchObject([
      [{ property: 'ensure', observed: 'not mounted' }],
      [{ property: 'options' }, { property: 'stored_options', observed: null }],
      [{ property: 'options' }],
    ])
    expect(['plain', 'bound', 'stacked', 'own'].map((name) => said[name])).toEqual([
      'works\n',
      'works\n',
      'works\n',
      'refused\n',
    ])
  })

  // Scanners that want a line of fstab for either call this /dev/shm wrong and this /tmp right.
  test('file systems that systemd mounts by itself need no entry in fstab', async () => {
    const both = '{ options: { includes: [nosuid, nodev] } }'
    const policy = `        - /dev/shm: ${both}\n        - /tmp: ${both}\n`
    const said = await inNamespace(
      policy,
      `
mount -t tmpfs -o nosuid,nodev tmpfs /dev/shm
mkdir -p /etc/systemd/system
cat >/etc/systemd/system/tmp.mount <<END
[Mount]
What=tmpfs
Where=/tmp
Options=mode=1777,strictatime,nosuid,nodev,size=50%%
END
# What lies in /tmp, perhaps driftgate itself, has to be reached when something is mounted there.
mkdir /etc/keep /etc/program; mount --rbind .. /etc/keep; mount --rbind "$(dirname "$2")" /etc/program
mount -t tmpfs -o nosuid,nodev tmpfs /tmp
device shm /dev/shm; device tmp /tmp
cd /etc/keep/mnt; audit audit "$1" "/etc/program/$(basename "$2")"`,
    )
    expect(said).toMatchObject({ shm: 'refused\n', tmp: 'refused\n' })
    expect(resources(said['audit']).map(({ verdict, drift }) => [verdict, drift])).toEqual([
      ['compliant', []],
      ['compliant', []],
    ])
  })
})
