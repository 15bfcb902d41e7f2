// The first signal lets a scan finish what it has begun; the second one ends it at once, with all it has started.
import { existsSync, readdirSync, readFileSync, readlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { hasEnded } from '../support/alive.ts'
import { ownFile, startDriftgate, temporaryDirectory, UNPRIVILEGED, writePolicy } from '../support/driftgate.ts'

const PATIENCE = { timeout: 60_000, interval: 20 }

const user = UNPRIVILEGED === undefined ? {} : { uid: UNPRIVILEGED }

test.each(['SIGINT', 'SIGTERM'] as const)(
  '%s twice ends a command that takes no notice, and what it started',
  async (signal) => {
    const cwd = temporaryDirectory(UNPRIVILEGED)
    writeFileSync(
      join(cwd, 'stubborn.sh'),
      "trap '' TERM INT\n(echo $BASHPID > below; exec sleep 1000) &\necho $$ > above\nwait\n",
    )
    // The name is the command.
    const exec = { name: 'bash stubborn.sh', cwd }
    writeFileSync(join(cwd, 'policy.json'), JSON.stringify({ ccm: { resources: [{ exec }] } }))
    const { child, said, outcome } = startDriftgate(['scan', 'policy.json', '--fix'], {
      cwd,
      ...user,
    })
    const pidIn = (name: string): number =>
      existsSync(join(cwd, name)) ? Number(readFileSync(join(cwd, name), 'utf8')) : 0
    await vi.waitUntil(() => pidIn('above') > 0 && pidIn('below') > 0, PATIENCE)
    child.kill(signal)
    await said('a second signal stops at once')
    child.kill(signal)
    expect(await outcome).toMatchObject({ code: signal === 'SIGINT' ? 130 : 143 })
    expect(await Promise.all([hasEnded(pidIn('above')), hasEnded(pidIn('below'))])).toEqual([true, true])
  },
)

test('the first signal ends the reading of a file that is larger than any disk', async () => {
  const cwd = temporaryDirectory()
  const file = join(cwd, 'sparse')
  writeFileSync(file, '')
  truncateSync(file, 15e12)
  writePolicy(join(cwd, 'policy.json'), [{ name: file, ...ownFile({ content: 'x' }) }])
  const { child, outcome } = startDriftgate(['scan', 'policy.json', '--report', 'json'], { cwd })
  const descriptors = `/proc/${child.pid}/fd`
  const reads = (fd: string): boolean => {
    try {
      return readlinkSync(join(descriptors, fd)) === file
    } catch {
      return false // It was closed meanwhile.
    }
  }
  await vi.waitUntil(() => readdirSync(descriptors).some(reads), PATIENCE)
  child.kill('SIGINT')
  const { code, stdout } = await outcome
  expect(code).toBe(130)
  expect(JSON.parse(stdout)).toMatchObject({ run: { interrupted: true } })
  expect(stdout).toContain('the run was interrupted while reading it')
})
