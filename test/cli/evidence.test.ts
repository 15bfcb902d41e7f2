import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { driftgate } from '../support/command-line.ts'
import { type Outcome, temporaryDirectory, writePolicy } from '../support/driftgate.ts'

/** A directory with a key and a policy, and how to run driftgate there. */
async function site(): Promise<{ cwd: string; run: (...args: readonly string[]) => Promise<Outcome> }> {
  const cwd = temporaryDirectory()
  const run = (...args: readonly string[]): Promise<Outcome> => driftgate(args, { cwd })
  writePolicy(join(cwd, 'p.json'), [{ name: join(cwd, 'a'), ensure: 'absent' }], { id: 'site' })
  expect(await run('evidence', 'key', 'run.key')).toMatchObject({ code: 0 })
  return { cwd, run }
}

const SIGNED = ['scan', 'p.json', '--quiet', '--history', 'reports/host', '--sign-key', 'run.key']

test('runs are signed when they are stored, also by scans at the same time, and verified with the public key alone', async () => {
  const { cwd, run } = await site()
  expect(statSync(join(cwd, 'run.key')).mode & 0o7777).toBe(0o600)
  const scans = await Promise.all([1, 2, 3, 4].map(() => run(...SIGNED)))
  expect(scans.map(({ code, stderr }) => ({ code, stderr }))).toEqual(scans.map(() => ({ code: 0, stderr: '' })))
  const { stdout, stderr } = await run('fleet', 'evidence', '--from', 'reports', '--host', hostname())
  expect(stderr).toBe('')
  writeFileSync(join(cwd, 'bundle.json'), stdout)
  const verified = await run('evidence', 'verify', 'bundle.json', '--key', 'run.key.pub')
  expect(verified).toMatchObject({ code: 0, stderr: '' })
  expect(verified.stdout).toMatch(/^4 signed runs of \S+, 1 to 4, started .*\nthe latest is [0-9a-f]{64}\nverified\n$/)
  expect(await run('evidence', 'verify', 'bundle.json')).toMatchObject({ code: 3 })
  const changed = JSON.parse(stdout) as { links: unknown[] }
  changed.links.splice(1, 1)
  writeFileSync(join(cwd, 'bundle.json'), JSON.stringify(changed))
  expect(await run('evidence', 'verify', 'bundle.json', '--key', 'run.key.pub')).toMatchObject({
    code: 2,
    stdout: 'wrong: run 2 is missing\nNOT as signed\n',
  })
})

test('signing and verification errors are reported, and a key is never replaced', async () => {
  const { cwd, run } = await site()
  const old = readFileSync(join(cwd, 'run.key'), 'utf8')
  expect(await run('evidence', 'key', 'run.key')).toMatchObject({ code: 1 })
  expect(readFileSync(join(cwd, 'run.key'), 'utf8')).toBe(old)
  const without = SIGNED.filter((word) => word !== '--history' && word !== 'reports/host')
  expect((await run(...without)).stderr).toContain('--sign-key requires --history')
  expect(await run(...SIGNED.with(-1, 'nothing.key'))).toMatchObject({ code: 1 })
  expect(readdirSync(cwd)).not.toContain('reports')
  expect((await run('evidence', 'key', 'a', '--key', 'b')).stderr).toContain('the new key is written to FILE')
  expect((await run('fleet', 'evidence', '--host', 'a')).stderr).toContain('--from DIR')
  expect((await run('fleet', 'evidence', '--from', '.')).stderr).toContain('--host NAME')
  expect((await run('fleet', 'evidence', '--from', '.', '--host', 'a')).stderr).toContain('no report of the host a')
  expect((await run('evidence', 'verify', 'p.json')).stderr).toContain('not an evidence bundle')
  expect((await run('evidence', 'verify', 'run.key')).stderr).toContain('it is not JSON')
  // A chain that cannot be gone on with leaves the run stored and unsigned, which no pipeline passes over.
  mkdirSync(join(cwd, 'reports/host'), { recursive: true })
  writeFileSync(join(cwd, 'reports/host/evidence'), '')
  const { code, stderr } = await run(...SIGNED)
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringContaining('the run is stored, but cannot be signed'),
  })
  expect(readdirSync(join(cwd, 'reports/host')).some((name) => name.endsWith('.json.gz'))).toBe(true)
})
