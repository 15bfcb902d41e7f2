import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { expect, test } from 'vitest'
import type { Run } from '../../src/model/run.ts'
import { DRIFTGATE, start, temporaryDirectory } from '../support/driftgate.ts'
import { NO_SSHD, startSshHost } from '../support/ssh-host.ts'

const MIB = 1024

test.skipIf(NO_SSHD)(
  'a hundred hosts behind SSH in one run, twenty at a time: each has its result',
  async () => {
    const host = await startSshHost()
    const cwd = temporaryDirectory()
    const address = `[127.0.0.1]:${host.port}`
    appendFileSync(
      join(host.directory, 'config'),
      `Host web*\n HostName 127.0.0.1\n Port ${host.port}\n User scanner\n HostKeyAlias ${address}\n`,
    )
    writeFileSync(
      join(cwd, 'p.yaml'),
      'ccm: { resources: [ { file: [ { /nowhere/at/all: { ensure: absent } } ] } ] }\n',
    )
    writeFileSync(
      join(cwd, 'peak.cjs'),
      `process.on('exit', () => require('node:fs').writeFileSync('peak', String(process.resourceUsage().maxRSS)))\n`,
    )
    // A hundred processes more would tell nothing more of what is run.
    const program = join(host.directory, 'uncounted')
    writeFileSync(program, `#!/bin/sh\nexec ${process.execPath} ${DRIFTGATE} "$@"\n`, { mode: 0o755 })
    const names = Array.from({ length: 100 }, (_, at) => `ssh:web${String(at + 1).padStart(3, '0')}`)
    const targets = [...names, 'ssh:nowhere.invalid'].flatMap((name) => ['--target', name])
    const options = ['--remote-binary', program, '--parallel', '20', '--report', 'json']
    const { code, stdout } = await start(
      process.execPath,
      ['--require', './peak.cjs', DRIFTGATE, 'scan', 'p.yaml', ...targets, ...options],
      { cwd, env: host.env },
    ).outcome
    const run = JSON.parse(stdout) as Run
    expect(code).toBe(3)
    expect(run.targets?.map(({ name }) => name)).toEqual([...names, 'ssh:nowhere.invalid'])
    expect(run.summary).toMatchObject({ total: 101, compliant: 100, error: 1 })
    // Kilobytes, of the process that asks; those that answer run elsewhere.
    expect(Number(readFileSync(join(cwd, 'peak'), 'utf8')) / MIB).toBeLessThan(600)
  },
  300_000,
)
