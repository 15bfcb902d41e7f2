import { execFileSync } from 'node:child_process'
import { chownSync, existsSync, linkSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { isTemporaryName } from '../../src/host/live/temporary-name.ts'
import { driftgate, DRIFTGATE, type Outcome, type Running, start } from '../support/driftgate.ts'
import { numbersFrom } from '../support/numbers.ts'
import { needsStrace } from '../support/programs.ts'
import { cases } from '../support/soak.ts'
import { needsRoot, temporaryDirectory } from '../support/temporary.ts'
import { treeState } from '../support/tree-state.ts'

const NOBODY = 65534

const KILLS = cases({ usual: 10, soak: 600 })

/** What the main thread changes the machine and the journal with. */
const CALLS = ['rename', 'link', 'unlink', 'mkdir', 'write', 'fsync', 'fchmod', 'fchown', 'ftruncate', 'rmdir']

const PLANT = `
  for i in 1 2 3 4; do head -c 200000 /dev/zero > f$i; done; chmod 0640 f2; touch -d 2001-02-03T04:05:06.789 f2
  setfattr -n user.note -v kept f1; setfacl -m u:daemon:r f3; echo same > closed; chmod 0666 closed
  echo twin > one; ln one two; ln one three; echo gone > gone; ln -s f1 link
  mkdir -p dir/sub; for i in 1 2 3; do echo $i > dir/sub/$i; done; ln dir/sub/1 dir/sub/again; ln -s 1 dir/sub/link
  mkdir open; for i in 1 2 3; do echo $i > open/$i; chmod 0666 open/$i; done
  mkdir rendered; echo old > rendered/a.conf; echo stray > rendered/stray
  mkdir -p unpacked/pack; echo old > unpacked/pack/a; touch -d 1999-12-31 unpacked/pack/a`

const FEATURES = `
  mkdir -p pack; echo new > pack/a; echo new > pack/b; tar -czf pack.tar.gz pack; rm -r pack
  mkdir templates; echo 'value = 1' > templates/a.conf; echo 'value = 2' > templates/b.conf`

interface Place {
  readonly home: string
  readonly tree: string
  readonly policy: string
}

async function makePlace(): Promise<Place> {
  const home = temporaryDirectory()
  const tree = join(home, 'tree')
  mkdirSync(tree)
  for (const path of [home, tree]) chownSync(path, NOBODY, NOBODY)
  const nobody = { uid: NOBODY, gid: NOBODY }
  execFileSync('sh', ['-c', PLANT], { cwd: tree, ...nobody })
  execFileSync('sh', ['-c', FEATURES], { cwd: home, ...nobody })
  const url = await serve(readFileSync(join(home, 'pack.tar.gz')))
  const policy = join(home, 'policy.yaml')
  writeFileSync(policy, policyFor(tree, url))
  return { home, tree, policy }
}

async function serve(bytes: Buffer): Promise<string> {
  const server = createServer((_, response) => response.end(bytes)).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await new Promise((resolve) => server.once('listening', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/pack.tar.gz`
}

function policyFor(tree: string, url: string): string {
  const owned = 'owner: nobody, group: nogroup'
  const large = `${'x'.repeat(99)}\\n`.repeat(500)
  const written = ['f1', 'f2', 'f3', 'f4', 'new'].map(
    (name) => `        - ${tree}/${name}: { ensure: present, content: "${large}", ${owned}, mode: "0644" }\n`,
  )
  return `policy: { id: killed }
ccm:
  resources:
    - file:
${written.join('')}        - ${tree}/closed: { ensure: present, ${owned}, mode: "0600" }
        - ${tree}/two: { ensure: absent }
        - ${tree}/gone: { ensure: absent }
        - ${tree}/link: { ensure: absent }
        - ${tree}/dir: { ensure: absent, force: true }
        - ${tree}/far/away: { ensure: directory, ${owned}, mode: "0750" }
    - files:
        - ${tree}/open: { kinds: [file], mode: { at_most: "0644" } }
    - archive:
        - ${tree}/pack.tar.gz: { ensure: present, url: "${url}", ${owned}, extract_parent: ${tree}/unpacked, creates: ${tree}/unpacked/pack/b }
    - scaffold:
        - ${tree}/rendered: { ensure: present, source: templates, purge: true }
    - exec:
        - touch ${tree}/made: { creates: ${tree}/made, undo: rm -f ${tree}/made }
`
}

const options = ({ home }: Place): { cwd: string; uid: number; env: Record<string, string> } => ({
  cwd: home,
  uid: NOBODY,
  env: { TMPDIR: home },
})

const run = (place: Place, ...args: readonly string[]): Promise<Outcome> => driftgate(args, options(place))

/** What each path is, without times and the number of its names, which a fix in the middle may have changed. */
function pathsOf(tree: string): ReadonlyMap<string, string> {
  const list = (command: string): readonly string[] =>
    execFileSync('sh', ['-c', command], { cwd: tree, encoding: 'utf8' }).split('\n')
  const found = new Map<string, string>()
  const add = (path: string, fact: string): void => {
    if (!path.split('/').some(isTemporaryName)) found.set(path, `${found.get(path) ?? ''}${fact}\n`)
  }
  for (const line of list("find . -mindepth 1 -printf '%P\\t%y %m %U:%G %l\\n'")) {
    const [path, fact] = line.split('\t')
    if (path !== undefined && fact !== undefined) add(path, fact)
  }
  for (const line of list('find . -type f -exec sha256sum {} +')) add(line.slice(68), line.slice(0, 64))
  let path = ''
  for (const line of list("getfattr -h -R -P -d -m '^(user|system)' -e hex . 2>/dev/null")) {
    if (line.startsWith('# file: ')) path = line.slice('# file: '.length)
    else if (line !== '') add(path, line)
  }
  return found
}

/** The paths that are neither as before nor as wanted. */
function strays(now: ReadonlyMap<string, string>, allowed: readonly ReadonlyMap<string, string>[]): readonly string[] {
  const all = new Set([...now.keys(), ...allowed.flatMap((each) => [...each.keys()])])
  return [...all].filter((path) => allowed.every((each) => each.get(path) !== now.get(path)))
}

/** A command of the policy that goes on alone for a moment must not be looked at half-way. */
async function expectNoStrays(
  tree: string,
  allowed: readonly ReadonlyMap<string, string>[],
  kills: readonly Kill[],
): Promise<void> {
  await vi.waitFor(() => expect(strays(pathsOf(tree), allowed), JSON.stringify(kills)).toEqual([]))
}

function journalsOf({ home }: Place): readonly string[] {
  const directory = join(home, '.local/state/driftgate/undo')
  return existsSync(directory) ? readdirSync(directory).map((name) => join(directory, name, 'journal')) : []
}

/** How a command is killed; each is drawn anew. */
interface Kill {
  readonly way: 'after a time' | 'at a call' | 'at a line of the journal'
  /** From 0 to 1. */
  readonly when: number
  readonly call: string
}

interface Measure {
  readonly ms: number
  readonly calls: ReadonlyMap<string, number>
  readonly lines: number
}

/** Starts a command that is killed; resolves once it has ended, one way or the other. */
async function killed(
  place: Place,
  args: readonly string[],
  { way, when, call }: Kill,
  whole: Measure,
): Promise<Outcome> {
  if (way === 'at a call') {
    const count = 1 + Math.floor(when * (whole.calls.get(call) ?? 1))
    const inject = [
      '-qq',
      '-o',
      '/dev/null',
      '-e',
      `trace=${call}`,
      '-e',
      `inject=${call}:signal=SIGKILL:when=${count}`,
    ]
    return start('strace', [...inject, process.execPath, DRIFTGATE, ...args], options(place)).outcome
  }
  const known = new Set(journalsOf(place))
  const fix = start(process.execPath, [DRIFTGATE, ...args], options(place))
  if (way === 'at a line of the journal')
    void killAtLine(fix, place, { known, line: 1 + Math.floor(when * whole.lines) })
  const timer = setTimeout(
    () => fix.child.kill('SIGKILL'),
    way === 'after a time' ? whole.ms * (0.2 + 0.8 * when) : 60_000,
  )
  const outcome = await fix.outcome
  clearTimeout(timer)
  return outcome
}

async function killAtLine(
  { child }: Running,
  place: Place,
  { known, line }: { readonly known: ReadonlySet<string>; readonly line: number },
): Promise<void> {
  while (child.exitCode === null && child.signalCode === null) {
    const own = journalsOf(place).find((path) => !known.has(path))
    if (own !== undefined && linesOf(own) >= line) child.kill('SIGKILL')
    await new Promise((resolve) => setImmediate(resolve))
  }
}

function linesOf(journal: string): number {
  return existsSync(journal) ? readFileSync(journal, 'utf8').split('\n').filter(Boolean).length : 0
}

/** Whether the newest journal is that of a way back that came to its end. */
function isWhole(place: Place): boolean {
  const sequence = (path: string): number => Number(/"sequence":(\d+)/.exec(readFileSync(path, 'utf8'))?.[1])
  const newest = journalsOf(place)
    .filter(existsSync)
    .toSorted((left, right) => sequence(right) - sequence(left))[0]
  const text = newest === undefined ? '' : readFileSync(newest, 'utf8')
  return text.includes('"undoes":') && text.endsWith('{"isWhole":true}\n')
}

/** One fix that is let alone, and how it was taken back. */
async function measure(place: Place, args: readonly string[]): Promise<Measure> {
  const out = join(place.home, 'calls')
  const begin = performance.now()
  const strace = ['-qq', '-c', '-U', 'calls,name', '-o', out, process.execPath, DRIFTGATE, ...args]
  const plain = [DRIFTGATE, ...args]
  const { code } = await start(
    needsStrace === undefined ? 'strace' : process.execPath,
    needsStrace === undefined ? strace : plain,
    options(place),
  ).outcome
  expect(code).toBe(0)
  const ms = performance.now() - begin
  const rows = needsStrace === undefined ? readFileSync(out, 'utf8').split('\n') : []
  const calls = new Map(rows.map((row) => row.trim().split(/\s+/)).map(([count, name = '']) => [name, Number(count)]))
  return { ms, calls, lines: Math.max(...journalsOf(place).map(linesOf)) }
}

describe.skipIf(needsRoot)('a fix that is killed', () => {
  it(
    `leaves each path as it was or as wanted, and undo restores the whole, ${KILLS} times`,
    { timeout: 3_600_000 },
    async () => {
      const place = await makePlace()
      const { tree, policy } = place
      const before = treeState(tree)
      const pathsBefore = pathsOf(tree)
      const fix = ['scan', policy, '--fix']
      const whole = await measure(place, fix)
      const wanted = pathsOf(tree)
      const ways = (['after a time', 'at a line of the journal', 'at a call'] as const).slice(
        0,
        needsStrace === undefined ? 3 : 2,
      )
      const undoing = await measure(place, ['undo', '--latest'])
      expect(treeState(tree)).toBe(before)

      const calls = CALLS.filter((name) => whole.calls.has(name))
      const random = numbersFrom(Number(process.env['DRIFTGATE_TEST_SEED'] ?? 1))
      const met = { unchanged: 0, partly: 0, whole: 0, undoKilled: 0, fixedAgain: 0 }
      for (let index = 0; index < KILLS; index++) {
        const draw = (): Kill => ({
          way: ways[Math.floor(random() * ways.length)] ?? 'after a time',
          when: random(),
          call: calls[Math.floor(random() * calls.length)] ?? 'write',
        })
        const kill = draw()
        const known = new Set(journalsOf(place))
        const { code } = await killed(place, fix, kill, whole)
        await expectNoStrays(tree, [pathsBefore, wanted], [kill])
        const now = pathsOf(tree)
        if (code === 0) met.whole++
        else if (strays(now, [pathsBefore]).length > 0) met.partly++
        else met.unchanged++

        const own = journalsOf(place).find((path) => !known.has(path))
        const hasSteps = own !== undefined && linesOf(own) > 1
        // A second fix completes it from any state; then both are taken back.
        const isFixedAgain = index % 5 === 4
        if (isFixedAgain) {
          met.fixedAgain++
          expect(await run(place, ...fix), JSON.stringify(kill)).toMatchObject({ code: 0 })
          await expectNoStrays(tree, [wanted], [kill])
          if (code !== 0) await run(place, 'undo', '--latest')
        }
        if (!hasSteps) continue
        const ownRun = own.split('/').at(-2) ?? ''
        if (index % 3 === 0 && !isFixedAgain) {
          const stopped = draw()
          await killed(place, ['undo', ownRun], stopped, undoing)
          await expectNoStrays(tree, [pathsBefore, wanted], [kill, stopped])
          // One that was killed before its end is gone on with; had it come to its end, this would take it back.
          if (!isWhole(place)) {
            met.undoKilled++
            const { code: second, stdout } = await run(place, 'undo', '--latest')
            expect({ second, stdout: second === 0 ? '' : stdout }, JSON.stringify([kill, stopped])).toEqual({
              second: 0,
              stdout: '',
            })
          }
        } else {
          const { code: undone, stdout } = await run(place, 'undo', ownRun)
          expect({ undone, stdout: undone === 0 ? '' : stdout }, JSON.stringify(kill)).toEqual({
            undone: 0,
            stdout: '',
          })
        }
        expect(treeState(tree), JSON.stringify(kill)).toBe(before)
      }
      if (KILLS > 100) process.stderr.write(`${JSON.stringify(met)}\n`)
      expect(met.partly).toBeGreaterThan(0)
      expect(treeState(tree)).toBe(before)
    },
  )
})

describe.skipIf(needsRoot ?? needsStrace)('a fix that is killed while it writes a file in place', () => {
  it.each([1, 2, 3])('is taken back in place, at change %i of the mode', { timeout: 120_000 }, async (when) => {
    const home = temporaryDirectory()
    const [path, policy] = [join(home, 'file'), join(home, 'policy.yaml')]
    writeFileSync(path, 'old and longer', { mode: 0o644 })
    linkSync(path, `${path}.other`)
    const wanted = `{ ensure: present, owner: "0", group: "0", mode: "0600", content: new }`
    writeFileSync(policy, `ccm: { resources: [ { file: [ { ${path}: ${wanted} } ] } ] }`)
    const { ino } = statSync(path)
    const env = { HOME: home }
    const state = join(home, 'state')
    const kill = ['-qq', '-o', '/dev/null', '-e', 'trace=fchmod', '-e', `inject=fchmod:signal=SIGKILL:when=${when}`]
    const fix = [DRIFTGATE, 'scan', policy, '--fix', '--keep-links', '--state-dir', state]
    await start('strace', [...kill, process.execPath, ...fix], { cwd: home, env }).outcome
    const undo = await driftgate(['undo', '--latest', '--state-dir', state], { cwd: home, env })
    expect(undo.code, undo.stdout + undo.stderr).toBe(0)
    expect(readFileSync(`${path}.other`, 'utf8')).toBe('old and longer')
    expect(statSync(path)).toMatchObject({ ino, nlink: 2, mode: 0o100644 })
  })
})
