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

/** How often each place below the root is opened, there or not, as the kernel sees it. */
async function opensOf(root: string): Promise<ReadonlyMap<string, number>> {
  const out = join(temporaryDirectory(), 'trace')
  const scan = ['scan', '@cis-debian-12', '--target', `root:${root}`, '--offline-as', 'not-applicable', '--quiet']
  // `-y` writes the path beside every descriptor.
  const strace = ['-f', '-y', '-o', out, '-e', 'trace=open,openat,openat2', process.execPath, DRIFTGATE, ...scan]
  const { code, stderr } = await start('strace', strace, { cwd: temporaryDirectory() }).outcome
  expect([2, 3], stderr).toContain(code)
  const counts = new Map<string, number>()
  for (const line of readFileSync(out, 'utf8').split('\n')) {
    const [, opened] = /\) = \d+<([^>]*)>$/.exec(line) ?? []
    const [, gone] = /"\/proc\/self\/fd\/\d+\/([^"]*)".* = -1 /.exec(line) ?? []
    const place = opened ?? (gone === undefined ? '' : `${root}/?/${gone}`)
    if (place.startsWith(root)) counts.set(place, (counts.get(place) ?? 0) + 1)
  }
  return counts
}

test.skipIf(unavailable)(
  `an audit of a system's files opens few of them twice (${unavailable ?? 'a Debian made for the test'})`,
  async () => {
    if (rootFilesystem.kind === 'unavailable') throw new Error(rootFilesystem.reason)
    const root = rootFilesystem.path
    const opens = await opensOf(root)
    const all = [...opens.values()].reduce((sum, count) => sum + count, 0)
    expect(opens.size).toBeGreaterThan(1000)
    expect(all / opens.size).toBeLessThan(1.5)
    expect(opens.get(`${root}/etc/passwd`)).toBeLessThan(20)
  },
  600_000,
)
