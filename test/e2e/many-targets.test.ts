import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test, vi } from 'vitest'
import type { Run } from '../../src/model/run.ts'
import { startDriftgate, temporaryDirectory } from '../support/driftgate.ts'
import { SELF } from '../support/contract.ts'

const POLICY = `ccm:
  resources:
  - file:
      - /etc/motd: { ensure: present, content: "hello\\n", owner: "${SELF.owner}", group: "${SELF.group}", mode: "0644" }
      - /etc/issue: { ensure: absent }
`

const ACCOUNTS = { 'etc/passwd': 'root:x:0:0::/root:/bin/sh\n', 'etc/group': 'root:x:0:\n' }

/** A directory with a policy and a root for each name, whose files are laid over those that the policy asks for. */
function site(roots: Readonly<Record<string, Readonly<Record<string, string>>>>, policy = POLICY): string {
  const cwd = temporaryDirectory()
  writeFileSync(join(cwd, 'p.yaml'), policy)
  for (const [name, files] of Object.entries(roots)) {
    for (const [path, text] of Object.entries({ 'etc/motd': 'hello\n', ...ACCOUNTS, ...files })) {
      mkdirSync(dirname(join(cwd, name, path)), { recursive: true })
      writeFileSync(join(cwd, name, path), text)
    }
  }
  return cwd
}

function targets(...names: readonly string[]): readonly string[] {
  return names.flatMap((name) => ['--target', `root:${name}`])
}

test('watch hands its targets to its scans', async () => {
  const cwd = site({ a: {}, b: { 'etc/motd': 'bye\n' } })
  const report = ['--report', 'json=out.json']
  const watch = startDriftgate(['watch', 'p.yaml', '--every', '1h', ...targets('a', 'b'), ...report], {
    cwd,
  })
  await vi.waitFor(() => expect(existsSync(join(cwd, 'out.json'))).toBe(true), { timeout: 90_000 })
  watch.child.kill('SIGTERM')
  const { code } = await watch.outcome
  const run = JSON.parse(readFileSync(join(cwd, 'out.json'), 'utf8')) as Run
  expect([code, run.targets?.map(({ spec, exit }) => [spec, exit.code])]).toEqual([
    0,
    [
      [`root:${join(cwd, 'a')}`, 0],
      [`root:${join(cwd, 'b')}`, 2],
    ],
  ])
})
