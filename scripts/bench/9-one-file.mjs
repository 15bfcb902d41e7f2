// The start of the one file, against Node alone and against the npm package.
import { spawnSync } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

const PACKAGE = fileURLToPath(new URL('../package.mjs', import.meta.url))

export async function run({ driftgate, folder, nothing, makeFiles, median, compare }) {
  const out = join(folder, 'packages')
  const made = spawnSync(process.execPath, [PACKAGE, '--only', 'binary', '--out', out], { encoding: 'utf8' })
  if (made.status !== 0) return [{ work: 'one file', skipped: made.stderr.trim() }]
  const [name] = await readdir(out)
  const { policy } = await makeFiles(10)
  const scan = ['scan', policy, '--quiet']
  // Node reads the certificates of this variable at every start, which is no work of the programs compared here.
  const env = { NODE_EXTRA_CA_CERTS: '' }
  const commands = [nothing, driftgate(...scan), [join(out, name), ...scan], [join(out, name), '--version']]
  const [node, npm, small, version] = median(commands, { runs: 15, env })
  return [
    compare('one file: --version', version, { against: 'node -e 0', baseline: node }),
    compare('one file: 10 files, whole command', small, { against: 'node -e 0', baseline: node, atMost: 2 }),
    compare('one file: 10 files, whole command', small, { against: 'the npm package', baseline: npm }),
  ]
}
