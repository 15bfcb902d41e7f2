import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { driftgate } from '../support/command-line.ts'
import { temporaryDirectory } from '../support/driftgate.ts'
import { storeReport } from '../support/fleet-view.ts'
import { startServing } from '../support/serving.ts'

test('serve shows what the other words print, until SIGTERM', async () => {
  const cwd = temporaryDirectory()
  storeReport(join(cwd, 'reports'), { host: 'web01', controls: { 'site-01': 'drifted' } })
  writeFileSync(join(cwd, 'hosts.yaml'), 'hosts: [web01, db01]\n')
  const given = ['--from', 'reports', '--roster', 'hosts.yaml']
  const { address, end, outcome } = await startServing(given, { cwd })
  const served: Record<string, unknown> = JSON.parse(await (await fetch(`${address}/api/hosts`)).text())
  const printed: Record<string, unknown> = JSON.parse(
    (await driftgate(['fleet', 'hosts', ...given, '--format', 'json'], { cwd })).stdout,
  )
  expect(served).toMatchObject({ ...printed, at: expect.any(String) })
  end()
  expect(await outcome).toMatchObject({ code: 0, stdout: '' })
})

test('serve ends at once where there is nothing to show, and says why', async () => {
  const cwd = temporaryDirectory()
  const run = (...args: string[]): ReturnType<typeof driftgate> => driftgate(['fleet', 'serve', ...args], { cwd })
  const missing = await run('--from', 'nowhere', '--listen', '127.0.0.1:0')
  expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining('cannot read the reports in nowhere') })
  const open = ['--from', '.', '--listen', '0.0.0.0:0']
  expect((await run(...open)).stderr).toContain('add --tls-cert and --tls-key')
  expect((await run(...open, '--tls-cert', 'a', '--tls-key', 'b')).stderr).toContain('add --tokens')
  expect((await run('--from', '.', '--listen', 'somewhere')).stderr).toContain('--listen must be an address and a port')
  expect((await run('--from', '.', '--tls-cert', 'a')).stderr).toContain('require each other')
  expect((await run('--from', '.', '--host', 'a')).stderr).toContain('filter on its pages')
  expect((await run('--from', '.', '--tokens', 'gone')).stderr).toContain('cannot read the tokens in gone')
})

test('token prints the line for the file, and shows the token to the person alone', async () => {
  const cwd = temporaryDirectory()
  const { code, stdout, stderr } = await driftgate(['fleet', 'token', '--name', 'alice', '--role', 'operator'], { cwd })
  expect(code).toBe(0)
  expect(stdout).toMatch(/^alice operator sha256:[0-9a-f]{64}\n$/)
  expect(stderr).toMatch(/dgt_[\w-]{43}\n$/)
  expect(stdout).not.toContain('dgt_')
  expect(await driftgate(['fleet', 'token'], { cwd })).toMatchObject({ code: 1, stdout: '' })
  expect(await driftgate(['fleet', 'token', '--name', 'a b'], { cwd })).toMatchObject({ code: 1, stdout: '' })
})
