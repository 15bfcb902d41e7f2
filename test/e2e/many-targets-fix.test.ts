// One --fix repairs roots on this machine and a host behind SSH in the same run.
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import type { Run } from '../../src/model/run.ts'
import { driftgateApart, makeScene } from '../support/root-directory.ts'
import { NO_SSHD, SCANNER, startSshHost } from '../support/ssh-host.ts'

function lay(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

test.skipIf(NO_SSHD)('--fix over several targets repairs each, and says of each what became of it', async () => {
  const host = await startSshHost()
  const scene = makeScene('true')
  const cwd = scene.home
  const motd = join(host.home, 'motd')
  const wanted = `{ ensure: present, owner: "${SCANNER}", group: "${SCANNER}", mode: "0644", content: "new\\n" }`
  lay(join(cwd, 'p.yaml'), `ccm: { resources: [ { file: [ { ${motd}: ${wanted} } ] } ] }\n`)
  for (const [root, text] of [
    ['a', 'old\n'],
    ['b', 'older\n'],
  ] as const) {
    lay(join(cwd, root, 'etc/passwd'), 'root:x:0:0::/root:/bin/sh\n')
    lay(join(cwd, root, 'etc/group'), 'root:x:0:\n')
    lay(join(cwd, root, 'usr/lib/os-release'), 'ID=debian\n')
    lay(join(cwd, root, motd), text)
  }
  const targets = ['root:a', host.target, 'root:b', 'root:gone', 'ssh:127.0.0.1:1']
  const fix = async (): Promise<Run> => {
    const words = ['scan', 'p.yaml', '--fix', '--remote-binary', host.program, '--report', 'json']
    const through = ['env', `PATH=${host.env['PATH'] ?? ''}`]
    const named = targets.flatMap((target) => ['--target', target])
    const { code, stdout, stderr } = await driftgateApart(scene, [...words, ...named], through)
    expect([code, stderr]).toEqual([3, ''])
    return JSON.parse(stdout) as Run
  }
  const verdicts = ({ policies }: Run): readonly unknown[] =>
    policies.map(({ target, resources: [result] }) => [target, result?.verdict, result?.reason])

  expect(verdicts(await fix())).toEqual([
    ['root:a', 'fixed', undefined],
    [host.target, 'fixed', undefined],
    ['root:b', 'fixed', undefined],
    ['root:gone', 'error', 'unreachable'],
    ['ssh:127.0.0.1:1', 'error', 'unreachable'],
  ])
  for (const path of [motd, join(cwd, 'a', motd), join(cwd, 'b', motd)]) {
    expect(readFileSync(path, 'utf8'), path).toBe('new\n')
    expect([statSync(path).uid, statSync(path).gid]).toEqual([SCANNER, SCANNER])
  }
  // The way back of what was changed below a root is kept here, of what was changed at the host there.
  expect(readdirSync(join(scene.state, 'roots'))).toHaveLength(2)
  expect(readdirSync(join(host.home, '.local/state/driftgate'))).toContain('undo')
  expect(verdicts(await fix()).slice(0, 3)).toEqual([
    ['root:a', 'compliant', undefined],
    [host.target, 'compliant', undefined],
    ['root:b', 'compliant', undefined],
  ])
})
