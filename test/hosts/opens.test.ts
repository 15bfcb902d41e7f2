import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { expect, test } from 'vitest'
import { DRIFTGATE, start } from '../support/driftgate.ts'
import { needsStrace } from '../support/programs.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { prepareRootFilesystem } from './debian-host.ts'

const rootFilesystem = await prepareRootFilesystem()
const unavailable = rootFilesystem.kind === 'unavailable' ? rootFilesystem.reason : needsStrace

/** How often each place below the root is opened, 0 if it only has its attributes read, as the kernel sees it. */
async function opensOf(root: string): Promise<ReadonlyMap<string, number>> {
  const out = join(temporaryDirectory(), 'trace')
  const scan = ['scan', '@cis-debian-12', '--target', `root:${root}`, '--offline-as', 'not-applicable', '--quiet']
  // `-y` writes the path beside every descriptor.
  const strace = [
    '-f',
    '-y',
    '-o',
    out,
    '-e',
    'trace=open,openat,openat2,statx,newfstatat',
    process.execPath,
    DRIFTGATE,
    ...scan,
  ]
  const { code, stderr } = await start('strace', strace, { cwd: temporaryDirectory() }).outcome
  expect([2, 3], stderr).toContain(code)
  const counts = new Map<string, number>()
  const directories = new Map<string, string>()
  for (const line of readFileSync(out, 'utf8').split('\n')) {
    const [, descriptor = '', opened] = /\) = (\d+)<([^>]*)>$/.exec(line) ?? []
    if (opened !== undefined) directories.set(descriptor, opened)
    const [, directory = '', name = ''] = /"\/proc\/self\/fd\/(\d+)\/([^"]*)"/.exec(line) ?? []
    const place = opened ?? `${directories.get(directory)}/${name}`
    if (place.startsWith(root)) counts.set(place, (counts.get(place) ?? 0) + (/ open(?:at2?)?\(/.test(line) ? 1 : 0))
  }
  return counts
}

test.skipIf(unavailable)(
  `an audit of a system's files opens fewer than two of three places that it looks at (${unavailable ?? 'a Debian made for the test'})`,
  async () => {
    if (rootFilesystem.kind === 'unavailable') throw new Error(rootFilesystem.reason)
    const root = rootFilesystem.path
    const opens = await opensOf(root)
    const all = [...opens.values()].reduce((sum, count) => sum + count, 0)
    expect(opens.size).toBeGreaterThan(1000)
    // How many depends on how fast the machine is: what is open is kept until other work gets its turn.
    expect(all / opens.size).toBeLessThan(2 / 3)
    expect(opens.get(`${root}/etc/passwd`)).toBeLessThan(20)
  },
  600_000,
)
