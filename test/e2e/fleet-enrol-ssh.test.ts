import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { driftgate } from '../support/driftgate.ts'
import { NO_SSHD, startSshHost } from '../support/ssh-host.ts'
import { temporaryDirectory } from '../support/temporary.ts'

test.skipIf(NO_SSHD)('the hosts of an inventory join through ssh, and who cannot be reached is told', async () => {
  const cwd = temporaryDirectory()
  const host = await startSshHost()
  // Stands for a driftgate that is installed there: it keeps its key where the one who logs in may.
  const program = join(host.directory, 'there')
  writeFileSync(program, `#!/bin/sh\nshift\nexec ${host.program} "$@" --agent ${host.home}/agent\n`, { mode: 0o755 })
  const target = `scanner@127.0.0.1:${host.port}`
  writeFileSync(
    join(cwd, 'inventory.yaml'),
    `targets:\n  - { name: web01, target: 'ssh:${target}', labels: { role: web } }\n  - { name: gone, target: 'ssh:scanner@127.0.0.1:1' }\n`,
  )
  expect((await driftgate(['fleet', 'init', '--server', 'nats.example.com'], { cwd })).code).toBe(0)
  const enrol = ['fleet', 'enrol', '--targets', 'inventory.yaml', '--become', program]
  const { code, stdout, stderr } = await driftgate(enrol, { cwd, env: host.env })
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toContain('gone: the connection was refused')
  expect(stderr).toContain('1 host enrolled, 1 failed')
  expect(readFileSync(join(cwd, 'fleet/operator/roster.yaml'), 'utf8')).toMatch(
    /name: web01\n {4}ring: all\n {4}interval: 1h\n {4}key: U\w{55}\n {4}labels:\n {6}role: web\n/,
  )
  expect(readFileSync(join(host.home, 'agent/agent.json'), 'utf8')).toContain('"web01"')
  // The secret is in no command line.
  expect(host.commandLines()).not.toContain('dg-invitation')
  const again = await driftgate([...enrol, '--on', 'web01'], { cwd, env: host.env })
  expect(again).toMatchObject({ code: 0, stderr: expect.stringContaining('0 hosts enrolled, 1 already enrolled') })
})
