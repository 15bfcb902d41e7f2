// Makes the one file for arm64 and runs it in an emulator: `npm run prove:arm64`. It takes 150 MB from npm and Debian, so no test does
// it. Needs qemu-aarch64-static, apt-get and dpkg.
import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

/** Debian's libraries of arm64 for machines of another processor. */
const LIBRARIES = ['libc6-arm64-cross', 'libstdc++6-arm64-cross', 'libgcc-s1-arm64-cross']
const PACKAGE = fileURLToPath(new URL('package.mjs', import.meta.url))
const folder = await mkdtemp(join(tmpdir(), 'driftgate-arm64-'))
const run = (program, ...args) => execFileSync(program, args, { cwd: folder, encoding: 'utf8' })

try {
  run('apt-get', 'download', '-qq', ...LIBRARIES)
  for (const name of await readdir(folder)) {
    if (name.endsWith('.deb')) run('dpkg', '--extract', name, 'root')
  }
  const made = ['--only', 'binary', '--arch', 'arm64', '--out', folder]
  run(process.execPath, PACKAGE, ...made)
  const program = (await readdir(folder)).find((name) => name.endsWith('-linux-arm64'))
  const emulated = (...args) => run('qemu-aarch64-static', '-L', 'root/usr/aarch64-linux-gnu', program, ...args)
  await mkdir(join(folder, 'site'))
  await writeFile(join(folder, 'site/p.yaml'), 'ccm: {resources: [{file: {name: /nowhere/at/all, ensure: absent}}]}\n')
  const version = emulated('version')
  const scan = emulated('scan', 'site')
  if (!version.includes('linux arm64') || !scan.includes('1 compliant')) throw new Error(`${version}${scan}`)
  console.log(`${version}${scan}`)
} finally {
  await rm(folder, { recursive: true, force: true })
}
