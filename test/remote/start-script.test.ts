import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { markerOf, startCommand } from '../../src/remote/start-script.ts'
import { cannotMount } from '../support/mount.ts'

const NONCE = 'nonce'

test.skipIf(cannotMount)('a user without a home gets the copy elsewhere, and no home', () => {
  const program = { sha256: '0'.repeat(64), size: 1, machine: 'any' }
  const command = startCommand({ nonce: NONCE, version: '0', program, become: [] })
  const script = 'mount -t tmpfs none /var/tmp && "$@" && ls /var/tmp'
  const { stdout } = spawnSync('unshare', ['--mount', 'sh', '-c', script, 'sh', ...command], {
    input: 'x',
    encoding: 'utf8',
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
  })
  const said = stdout.split('\n').filter((line) => line !== '')
  expect(said).toEqual([`${markerOf(NONCE)}need`, `${markerOf(NONCE)}damaged`, 'driftgate-0'])
  expect(['/nonexistent', '/.cache', '/driftgate'].filter((path) => existsSync(path))).toEqual([])
})
