import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SELF, put } from '../contract.ts'
import { temporaryDirectory } from '../driftgate.ts'

export const POLICY = `ccm:
  resources:
  - file:
      - /etc/motd: { ensure: present, content: "hello\\n", owner: "${SELF.owner}", group: "${SELF.group}", mode: "0644" }
      - /etc/issue: { ensure: absent }
`

const ACCOUNTS = { 'etc/passwd': 'root:x:0:0::/root:/bin/sh\n', 'etc/group': 'root:x:0:\n' }

/** A directory with a policy and a root for each name, whose files are laid over those that the policy asks for. */
export function site(roots: Readonly<Record<string, Readonly<Record<string, string>>>>, policy = POLICY): string {
  const cwd = temporaryDirectory()
  writeFileSync(join(cwd, 'p.yaml'), policy)
  for (const [name, files] of Object.entries(roots)) {
    put(join(cwd, name), { 'etc/motd': 'hello\n', ...ACCOUNTS, ...files })
  }
  return cwd
}

export function targets(...names: readonly string[]): readonly string[] {
  return names.flatMap((name) => ['--target', `root:${name}`])
}
