// A file system whose server is gone keeps whoever asks it in the system, where not even SIGKILL reaches.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { DRIFTGATE, ownFile, start, temporaryDirectory, writePolicy } from '../support/driftgate.ts'

const SILENT = fileURLToPath(new URL('../support/silent-fuse.py', import.meta.url))

const canMount =
  process.getuid?.() === 0 &&
  existsSync('/dev/fuse') &&
  ['unshare --mount true', 'python3 -c pass'].every((command) => spawnSync('sh', ['-c', command]).status === 0)

// Once its daemon has ended the kernel refuses all that waits, so nothing outlives the test.
const SCAN = `
python3 "$1" silent >mounted & daemon=$!
trap 'kill $daemon' EXIT
until grep -q mounted mounted; do :; done
"$2" "$3" scan policy.json --report json`

test.skipIf(!canMount)(
  'what lies on it is a timeout, by whatever link (needs root, /dev/fuse and python3)',
  async () => {
    const cwd = temporaryDirectory()
    mkdirSync(join(cwd, 'silent'))
    symlinkSync('silent', join(cwd, 'link'))
    writePolicy(join(cwd, 'policy.json'), [
      { name: join(cwd, 'silent/file'), ensure: 'absent' },
      { name: join(cwd, 'link/file'), ensure: 'absent' },
      { name: join(cwd, 'copy'), ...ownFile({ source: 'silent/source' }) },
      { name: join(cwd, 'gone'), ensure: 'absent' },
    ])
    const args = ['--mount', 'bash', '-c', SCAN, 'bash', SILENT, process.execPath, DRIFTGATE]
    const { code, stdout } = await start('unshare', args, { cwd }).outcome
    expect(code).toBe(3)
    const { policies } = JSON.parse(stdout) as { policies: [{ resources: { verdict: string; reason?: string }[] }] }
    const timeout = expect.objectContaining({ verdict: 'error', reason: 'timeout' }) as unknown
    const compliant = expect.objectContaining({ verdict: 'compliant' }) as unknown
    expect(policies[0].resources).toEqual([timeout, timeout, timeout, compliant])
  },
)
