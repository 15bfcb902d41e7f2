import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { onTestFinished } from 'vitest'
import { needsRoot } from './temporary.ts'

/** Why this process cannot mount anything; a container often may not, even as root. */
export const cannotMount: string | undefined = mountProblem()

function mountProblem(): string | undefined {
  if (needsRoot !== undefined) return needsRoot
  const directory = mkdtempSync('/tmp/driftgate-mount-')
  const { status } = spawnSync('mount', ['-t', 'tmpfs', 'tmpfs', directory])
  if (status === 0) execFileSync('umount', [directory])
  rmSync(directory, { recursive: true })
  return status === 0 ? undefined : 'mounting is not allowed here'
}

/**
 * What a script in a mount namespace of its own says first where it fixes as root: its fix lock and its journals are not
 * those of the fixes that run on this machine at the same time.
 */
export const OWN_STATE = 'mkdir -p /var/lib/driftgate && mount -t tmpfs -o mode=0700 none /var/lib/driftgate'

/** What such a script says first where what it writes below /etc and /usr lies in memory, over the machine's own. */
export const OVERLAID = `set -e
mount --make-rprivate /
${OWN_STATE}
mount -t tmpfs tmpfs /mnt
for path in etc usr; do
  mkdir -p /mnt/$path /mnt/work-$path
  mount -t overlay overlay -o lowerdir=/$path,upperdir=/mnt/$path,workdir=/mnt/work-$path /$path
done
`

/** Why that is not possible here. */
export const cannotOverlay: string | undefined = cannotMount ?? overlayProblem()

function overlayProblem(): string | undefined {
  const { status } = spawnSync('unshare', ['--mount', 'sh', '-c', OVERLAID])
  return status === 0 ? undefined : 'overlays cannot be mounted here'
}

/** Mounts something at a directory, which is made, until the test is over. The words are those of mount(8). */
export function mount(words: readonly string[], directory: string): string {
  mkdirSync(directory, { recursive: true })
  return mountAt(words, directory)
}

/** Makes what is at one path appear at another one, too: a directory or a file. */
export function bindMount(from: string, to: string): string {
  if (statSync(from).isDirectory()) return mount(['--bind', from], to)
  writeFileSync(to, '')
  return mountAt(['--bind', from], to)
}

function mountAt(words: readonly string[], path: string): string {
  execFileSync('mount', [...words, path])
  onTestFinished(() => void execFileSync('umount', [path]))
  return path
}
