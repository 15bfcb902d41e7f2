import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { markerOf, startCommand } from '../../src/remote/start-script.ts'
import { cannotMount } from '../support/mount.ts'

const NONCE = 'nonce'

/** What the far side says of a program of one byte, where a script mounts something before. */
function answers(before: string, after = 'true'): readonly string[] {
  const program = { sha256: '0'.repeat(64), size: 1, machine: 'any' }
  const command = startCommand({ nonce: NONCE, version: '0', program, become: [] })
  const script = `${before} && "$@" && ${after}`
  const { stdout } = spawnSync('unshare', ['--mount', 'sh', '-c', script, 'sh', ...command], {
    input: 'x',
    encoding: 'utf8',
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
  })
  return stdout.split('\n').filter((line) => line !== '')
}

test.skipIf(cannotMount)('a user without a home gets the copy elsewhere, and no home', () => {
  const said = answers('mount -t tmpfs none /var/tmp', 'ls /var/tmp')
  expect(said).toEqual([`${markerOf(NONCE)}need`, `${markerOf(NONCE)}damaged`, 'driftgate-0'])
  expect(['/nonexistent', '/.cache', '/driftgate'].filter((path) => existsSync(path))).toEqual([])
})

test.skipIf(cannotMount)('a disk that is full is said to be that', () => {
  const full = (path: string): string =>
    `mount -t tmpfs -o size=64k,mode=1777 none ${path} && mkdir -m 700 ${path}/driftgate-0 && ! cat /dev/zero >${path}/rest`
  const said = answers(`{ ${full('/tmp')} && ${full('/var/tmp')}; } 2>/dev/null`)
  expect(said).toEqual([
    `${markerOf(NONCE)}nowhere : no home directory; /var/tmp/driftgate-0: not enough space; /tmp/driftgate-0: not enough space`,
  ])
})
