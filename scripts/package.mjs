// Makes what is installed without npm: the single executable file and the packages around it, in `packages` or the directory of
// --out. `--node PATH --arch arm64` makes them of another Node, of the version that runs this. `--only binary` ends with the first.
import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { buildInfo } from './package/build-info.mjs'
import { makeOneFile } from './package/one-file.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const { values } = parseArgs({
  options: {
    out: { type: 'string', default: join(root, 'packages') },
    node: { type: 'string', default: process.execPath },
    arch: { type: 'string', default: process.arch },
    only: { type: 'string' },
  },
})
const out = resolve(values.out)
const info = buildInfo(root)
const scratch = await mkdtemp(join(tmpdir(), 'driftgate-package-'))

try {
  await mkdir(out, { recursive: true })
  const file = join(out, `driftgate-${info.version}-linux-${values.arch}`)
  const { isStripped } = await makeOneFile({ ...values, root, file, info, scratch })
  await tell(file, isStripped ? '' : ', with the names of its functions, because "strip" could not take them out')
} finally {
  await rm(scratch, { recursive: true, force: true })
}

async function tell(file, note = '') {
  const { size } = await stat(file)
  console.log(`${file}: ${(size / 1_000_000).toFixed(1)} MB${note}`)
}
