import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { driftgate, DRIFTGATE, start } from '../support/driftgate.ts'
import { cannotMount } from '../support/mount.ts'
import { numbersFrom } from '../support/numbers.ts'
import { needsPrograms } from '../support/programs.ts'
import { cases } from '../support/soak.ts'
import { temporaryDirectory } from '../support/temporary.ts'

const CUTS = cases({ usual: 4, soak: 200 })

const COUNT = 20

const NEW = 'new '.repeat(300)

/** Ends an ext4 at once, with nothing more written of what is in memory or in its journal: EXT4_IOC_SHUTDOWN, NOLOGFLUSH. */
const CUT = `
import fcntl, os, struct, sys
fcntl.ioctl(os.open(sys.argv[1], os.O_RDONLY), 0x8004587D, struct.pack('I', 2))`

const cannotCut = cannotMount ?? needsPrograms('mkfs.ext4', 'python3')

interface Disk {
  readonly path: string
  readonly tree: string
  /** The power fails, and the machine starts again. */
  readonly restart: () => void
}

function makeDisk(): Disk {
  const home = temporaryDirectory()
  const [image, path] = [join(home, 'image'), join(home, 'disk')]
  execFileSync('truncate', ['-s', '48M', image])
  execFileSync('mkfs.ext4', ['-q', '-F', image])
  mkdirSync(path)
  const mount = (disk: string): Buffer => execFileSync('mount', ['-o', 'loop', disk, path])
  mount(image)
  onTestFinished(() => void execFileSync('umount', [path]))
  const tree = join(path, 'tree')
  mkdirSync(tree)
  for (let at = 0; at < COUNT; at++) writeFileSync(join(tree, `f${at}`), `old ${at}\n`.repeat(1 + at * 50))
  execFileSync('sync')
  return {
    path,
    tree,
    restart() {
      execFileSync('umount', [path])
      // A namespace of another test may still hold the file system that was ended, so what is on its disk is mounted anew.
      copyFileSync(image, `${image}.after`)
      mount(`${image}.after`)
    },
  }
}

function policyFor(tree: string, inPlace: boolean): string {
  const wanted = { ensure: 'present', owner: 'root', group: 'root', mode: '0640', content: NEW, in_place: inPlace }
  const files = Array.from({ length: COUNT - 1 }, (_, at) => ({ [join(tree, `f${at}`)]: wanted }))
  const gone = { [join(tree, `f${COUNT - 1}`)]: { ensure: 'absent' } }
  return JSON.stringify({ ccm: { resources: [{ file: [...files, gone] }] } })
}

function filesIn(tree: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    readdirSync(tree)
      .toSorted()
      .map((name) => [name, `${lstatSync(join(tree, name)).mode} ${readFileSync(join(tree, name), 'utf8')}`]),
  )
}

function linesIn(state: string): number {
  const undo = join(state, 'undo')
  if (!existsSync(undo)) return 0
  const journals = readdirSync(undo).map((run) => join(undo, run, 'journal'))
  return journals.reduce((sum, each) => sum + (existsSync(each) ? readFileSync(each, 'utf8').split('\n').length : 0), 0)
}

describe.skipIf(cannotCut)(`a power cut in the middle of a fix (${cannotCut ?? 'of an ext4'})`, () => {
  it.each([
    { how: 'that replaces files', inPlace: false },
    { how: 'that writes them in place', inPlace: true },
  ])(`loses nothing ${CUTS} times: one $how is taken back whole`, { timeout: 1_800_000 }, async ({ inPlace }) => {
    const draw = numbersFrom(7)
    for (let cut = 0; cut < CUTS; cut++) {
      const { path, tree, restart } = makeDisk()
      const cwd = temporaryDirectory()
      const [state, policy] = [join(path, 'state'), join(cwd, 'policy.yaml')]
      writeFileSync(policy, policyFor(tree, inPlace))
      const before = filesIn(tree)
      const line = 2 + Math.floor(draw() * COUNT * 2)
      const fix = start(process.execPath, [DRIFTGATE, 'scan', policy, '--fix', '--state-dir', state], { cwd })
      while (fix.child.exitCode === null && linesIn(state) < line) await new Promise((resolve) => setImmediate(resolve))
      execFileSync('python3', ['-c', CUT, path])
      await fix.outcome
      restart()
      const after = filesIn(tree)
      if (!inPlace) {
        const torn = Object.keys(before).filter(
          (name) => after[name] !== undefined && after[name] !== before[name] && !after[name].endsWith(` ${NEW}`),
        )
        expect(torn, `cut at line ${line}`).toEqual([])
      }
      const undo = await driftgate(['undo', '--latest', '--state-dir', state], { cwd })
      expect(filesIn(tree), `cut at line ${line}: ${undo.stdout}${undo.stderr}`).toEqual(before)
    }
  })
})
