import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { describe, expect, onTestFinished, test } from 'vitest'
import { isTemporaryName } from '../../src/host/live/temporary-name.ts'
import { numbersFrom } from '../support/numbers.ts'
import { needsStrace } from '../support/programs.ts'
import { driftgateApart, everythingBelow, makeScene, type Scene } from '../support/root-directory.ts'
import { cases } from '../support/soak.ts'
import { needsRoot } from '../support/temporary.ts'
import { treeState } from '../support/tree-state.ts'

const SYSTEM = `
  mkdir -p root/etc root/opt/full; printf 'root:x:0:0::/root:/bin/sh\\n' > root/etc/passwd; printf 'root:x:0:\\n' > root/etc/group
  for name in a b c; do echo old > root/etc/$name; echo old > root/opt/full/$name; done; ln -s /opt root/etc/link`

const LARGE = 'x'.repeat(200_000)

const POLICY = `ccm:
  resources:
    - file:
${['a', 'b', 'link/c'].map((name) => `        - /etc/${name}: { ensure: present, owner: root, group: root, mode: "0640", content: "${LARGE}" }\n`).join('')}        - /opt/full: { ensure: absent, force: true }
        - /opt/new/deep: { ensure: directory, owner: root, group: root, mode: "0750" }
`

function makeSystem(): Scene {
  const scene = makeScene(SYSTEM)
  writeFileSync(join(scene.home, 'disk.yaml'), POLICY)
  return scene
}

const scanOf = ({ root }: Scene, ...more: readonly string[]): readonly string[] => [
  'scan',
  'disk.yaml',
  '--target',
  `root:${root}`,
  ...more,
]

const temporariesIn = (root: string): readonly string[] =>
  readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((path) => path.split('/').some(isTemporaryName))

/** The state of a copy without the temporary files that a killed fix leaves. */
function stateWithoutTemporaries({ home, root }: Scene): string {
  const copy = join(home, 'copy')
  execFileSync('cp', ['-a', root, copy])
  for (const path of temporariesIn(copy)) rmSync(join(copy, path), { recursive: true, force: true })
  const state = treeState(copy)
  rmSync(copy, { recursive: true })
  return state
}

const KILLS = cases({ usual: 6, soak: 200 })

/** What the fix changes the root and the journal with. */
const CALLS = ['rename', 'link', 'unlink', 'mkdir', 'write', 'fsync', 'fchmod', 'rmdir']

describe.skipIf(needsRoot)('a fix below a root directory', () => {
  test.skipIf(needsStrace)(
    `that is killed leaves nothing half-written: undo restores the whole, or a second fix completes it, ${KILLS} times`,
    async () => {
      const random = numbersFrom(Number(process.env['DRIFTGATE_TEST_SEED'] ?? 1))
      let killed = 0
      for (let index = 0; index < KILLS; index++) {
        const scene = makeSystem()
        const { root, outside } = scene
        const [before, beside] = [treeState(root), everythingBelow(outside)]
        const call = CALLS[Math.floor(random() * CALLS.length)] ?? 'write'
        const kill = `inject=${call}:signal=SIGKILL:when=${1 + Math.floor(random() * 12)}`
        const strace = ['strace', '-f', '-qq', '-o', '/dev/null', '-e', `trace=${call}`, '-e', kill]
        const { code } = await driftgateApart(scene, scanOf(scene, '--fix'), strace)
        if (code !== 0) killed++
        for (const name of ['a', 'b']) {
          expect(['old\n', LARGE], kill).toContain(readFileSync(join(root, 'etc', name), 'utf8'))
        }
        if (index % 2 === 0) {
          expect((await driftgateApart(scene, scanOf(scene, '--fix'))).code, kill).toBe(0)
          expect((await driftgateApart(scene, scanOf(scene))).code, kill).toBe(0)
        } else {
          const { stdout } = await driftgateApart(scene, ['fixes', '--json'])
          if (stdout.trim() === '[]') continue
          // A fix that was killed before its first change has left temporary files alone.
          const isChanged = stateWithoutTemporaries(scene) !== before
          expect((await driftgateApart(scene, ['undo', '--latest'])).code, kill).toBe(isChanged ? 0 : 5)
          expect(treeState(root), kill).toBe(before)
        }
        expect(temporariesIn(root), kill).toEqual([])
        expect(everythingBelow(outside)).toBe(beside)
      }
      expect(killed).toBeGreaterThan(KILLS / 3)
    },
    120_000,
  )

  test('is not taken back where another disk is by then', async () => {
    const scene = makeSystem()
    const { home, root } = scene
    expect((await driftgateApart(scene, scanOf(scene, '--fix'))).code).toBe(0)
    renameSync(root, join(home, 'away'))
    execFileSync('cp', ['-a', join(home, 'away'), root])
    const before = everythingBelow(root)
    const { code, stderr } = await driftgateApart(scene, ['undo', '--latest'])
    expect([code, stderr]).toEqual([1, expect.stringMatching(/is not undone: .*root is now another directory/)])
    expect(everythingBelow(root)).toBe(before)
  })

  test.each([
    ['read-only', 'ro', /mounted read-only; remount it writable/],
    ['full', 'size=400k', /free some space/],
  ])('on a file system that is %s says so, and leaves nothing half-written', async (_, options, message) => {
    const scene = makeSystem()
    const { home, root } = scene
    const disk = join(home, 'disk')
    mkdirSync(disk)
    execFileSync('mount', ['-t', 'tmpfs', '-o', options === 'ro' ? 'size=9m' : options, 'tmpfs', disk])
    onTestFinished(() => void spawnSync('umount', ['-l', disk]))
    execFileSync('sh', ['-c', `cp -a ${root}/. ${disk}`])
    if (options === 'ro') execFileSync('mount', ['-o', 'remount,ro', disk])
    const scan = scanOf({ ...scene, root: disk }, '--fix', '--report', 'json')
    const { code, stdout } = await driftgateApart(scene, scan)
    expect([code, stdout]).toEqual([4, expect.stringMatching(message)])
    for (const name of ['etc/a', 'etc/b', 'opt/c']) {
      const text = spawnSync('cat', [join(disk, name)], { encoding: 'utf8' }).stdout
      expect(['old\n', LARGE, '']).toContain(text)
    }
    expect(temporariesIn(disk)).toEqual([])
  })
})
