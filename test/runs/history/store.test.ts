import { cannotMount } from '../../support/mount.ts'
import { modeOf } from '../../support/tree.ts'
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { parseKeep } from '../../../src/runs/history/keep-spec.ts'
import { INDEX_NAME } from '../../../src/runs/history/file-name.ts'
import { temporaryName } from '../../../src/host/live/temporary-name.ts'
import { readHistory } from '../../../src/runs/history/read-history.ts'
import { storeScan } from '../../../src/runs/history/store-scan.ts'
import { pruneRuns, storeRun } from '../../../src/runs/history/store.ts'
import { renderReport } from '../../../src/report/index.ts'
import { needsRoot, temporaryDirectory } from '../../support/temporary.ts'
import { runAsNobody } from '../../support/unprivileged.ts'
import { filesOf, storedRun } from './support.ts'

const run = storedRun({ id: 'aaaa0001', drifted: 2 })

test('a run is stored as its JSON report, for its owner alone, and known to the index', async () => {
  const directory = join(temporaryDirectory(), 'new/history')
  const { file } = await storeRun(directory, run)
  expect(file).toBe('20261120T120000.000Z-aaaa0001.json.gz')
  expect(gunzipSync(readFileSync(join(directory, file))).toString()).toBe(await renderReport(run, 'json'))
  expect([directory, join(directory, '..'), join(directory, file), join(directory, INDEX_NAME)].map(modeOf)).toEqual([
    0o700, 0o700, 0o600, 0o600,
  ])
  expect(readdirSync(directory).toSorted()).toEqual([file, INDEX_NAME])
  let unknown = 0
  const { runs, unusable } = await readHistory(directory, (count) => (unknown = count))
  expect({ unknown, unusable }).toEqual({ unknown: 0, unusable: [] })
  expect(runs).toMatchObject([{ runId: run.run.id, host: 'web01', exitCode: 2, summary: { drifted: 2 } }])
})

test('a scan says that it is stored, and not that a few runs are not in the index', async () => {
  const directory = temporaryDirectory()
  await storeRun(directory, storedRun({ id: 'aaaa0002', startedAt: '2026-11-19T12:00:00.000Z' }))
  rmSync(join(directory, INDEX_NAME))
  const said: string[] = []
  const tell = (message: string): void => void said.push(message)
  const { isStored, trend } = await storeScan(run, { directory, keep: undefined, warn: tell, inform: tell })
  expect([isStored, trend.map(({ runId }) => runId.slice(0, 8))]).toEqual([true, ['aaaa0002']])
  expect(said).toEqual([`stored run aaaa0001 in ${directory}`])
})

test('a directory that is there keeps its mode', async () => {
  const directory = temporaryDirectory()
  await storeRun(directory, run)
  expect(modeOf(directory)).toBe(0o755)
})

test.skipIf(needsRoot)('root stores nothing where other users can write to (needs root)', async () => {
  const open = join(temporaryDirectory(), 'open')
  mkdirSync(open)
  chmodSync(open, 0o1777)
  await expect(storeRun(open, run)).rejects.toThrow(
    /other users can write to .*open \(mode 1777\); root saves runs only/,
  )
  const foreign = join(temporaryDirectory(), 'foreign')
  mkdirSync(foreign)
  chownSync(foreign, 65_534, 65_534)
  await expect(storeRun(foreign, run)).rejects.toThrow(/belongs to another user \(65534\)/)
  expect([readdirSync(open), readdirSync(foreign)]).toEqual([[], []])
})

test.skipIf(needsRoot)('root stores nothing below what others can swap (needs root)', async () => {
  const home = join(temporaryDirectory(), 'home')
  mkdirSync(join(home, 'mine'), { recursive: true })
  chownSync(home, 65_534, 65_534)
  await expect(storeRun(join(home, 'mine'), run)).rejects.toThrow(/home belongs to another user \(65534\); root saves/)
  await expect(storeRun(join(home, 'new/history'), run)).rejects.toThrow(/home belongs to another user \(65534\)/)
  expect([readdirSync(home), readdirSync(join(home, 'mine'))]).toEqual([['mine'], []])
  const elsewhere = temporaryDirectory()
  mkdirSync(join(elsewhere, 'history'))
  symlinkSync(join(home, 'mine'), join(elsewhere, 'direct'))
  symlinkSync(join(elsewhere, 'history'), join(home, 'link'))
  symlinkSync(join(home, 'link'), join(elsewhere, 'through'))
  for (const name of ['direct', 'through']) {
    await expect(storeRun(join(elsewhere, name), run)).rejects.toThrow(/belongs to another user \(65534\)/)
  }
  symlinkSync(join(elsewhere, 'history'), join(elsewhere, 'own'))
  expect((await storeRun(join(elsewhere, 'own'), run)).file).toMatch(/json\.gz$/)
})

test.skipIf(needsRoot)('root lists what lies there and writes nothing (needs root)', async () => {
  const directory = temporaryDirectory()
  const { file } = await storeRun(directory, run)
  writeFileSync(join(directory, INDEX_NAME), 'garbage\n')
  chmodSync(directory, 0o777)
  const { runs, indexTrouble } = await readHistory(directory)
  expect(runs.map((each) => each.file)).toEqual([file])
  expect(indexTrouble).toMatch(/other users can write to/)
  expect(readFileSync(join(directory, INDEX_NAME), 'utf8')).toBe('garbage\n')
})

test.skipIf(needsRoot)('a directory that must not be written is one reason (needs root)', async () => {
  const directory = temporaryDirectory()
  const said = await runAsNobody(
    `import { storeRun } from './src/runs/history/store.ts'
     const { run, directory } = JSON.parse(process.argv[2])
     const said = await storeRun(directory, run).catch((error) => error.message)
     console.log(JSON.stringify(said))`,
    [JSON.stringify({ run, directory })],
  )
  expect(said).toBe(`cannot store the run in ${directory}: permission denied`)
  expect(readdirSync(directory)).toEqual([])
})

/** A file system of its own with so much room. */
function smallDisk(size: string): string {
  const directory = join(temporaryDirectory(), 'mounted')
  mkdirSync(directory)
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=0700`, 'tmpfs', directory])
  onTestFinished(() => void execFileSync('umount', [directory]))
  return directory
}

test.skipIf(cannotMount)('a full disk keeps what was stored before, and no half file (needs to mount)', async () => {
  const directory = smallDisk('64k')
  const first = await storeRun(directory, run)
  writeFileSync(join(directory, 'filler'), Buffer.alloc(64 * 1024 - 2 * 4096))
  // Hard to compress, so that it does not fit.
  const notes = [Array.from({ length: 40_000 }, (_, at) => ((at * 2_654_435_761) >>> 0).toString(36)).join('')]
  const large = { ...storedRun({ id: 'aaaa0002', startedAt: '2026-11-21T12:00:00.000Z' }), notes }
  await expect(storeRun(directory, large)).rejects.toThrow(/cannot store the run in .*: no space left on the device/)
  expect(readdirSync(directory).toSorted()).toEqual([first.file, 'filler', INDEX_NAME])
  expect((await readHistory(directory)).runs.map(({ file }) => file)).toEqual([first.file])
})

test.skipIf(cannotMount)('a file system that is read-only is one reason (needs to mount)', async () => {
  const directory = smallDisk('1m')
  await storeRun(directory, run)
  writeFileSync(join(directory, INDEX_NAME), '')
  execFileSync('mount', ['-o', 'remount,ro', directory])
  await expect(storeRun(directory, run)).rejects.toThrow(/the file system is read-only/)
  const { runs, indexTrouble } = await readHistory(directory)
  expect({ count: runs.length, indexTrouble }).toEqual({ count: 1, indexTrouble: 'the file system is read-only' })
})

test.each([
  ['a link to elsewhere', (path: string, elsewhere: string) => symlinkSync(elsewhere, path)],
  ['a directory', (path: string) => mkdirSync(path)],
  ['a pipe', (path: string) => execFileSync('mkfifo', [path])],
])('an index that is %s hinders nothing and is not followed', async (_what, lay) => {
  const directory = join(temporaryDirectory(), 'history')
  mkdirSync(directory, { mode: 0o700 })
  const elsewhere = join(directory, '../elsewhere')
  writeFileSync(elsewhere, 'theirs')
  lay(join(directory, INDEX_NAME), elsewhere)
  const { file } = await storeRun(directory, run)
  expect((await readHistory(directory)).runs.map((each) => each.file)).toEqual([file])
  expect(readFileSync(elsewhere, 'utf8')).toBe('theirs')
})

test('runs stored at the same time are all there', async () => {
  const directory = temporaryDirectory()
  const ids = Array.from({ length: 20 }, (_, index) => `bbbb00${String(index).padStart(2, '0')}`)
  await Promise.all(ids.map((id) => storeRun(directory, storedRun({ id }))))
  let unknown = 0
  const { runs } = await readHistory(directory, (count) => (unknown = count))
  expect(runs.map(({ runId }) => runId.slice(0, 8)).toSorted()).toEqual(ids)
  expect(unknown).toBe(0)
})

test('files left by killed runs are removed after an hour, and no other files', async () => {
  const directory = temporaryDirectory()
  const name = '20261120T120000.000Z-dead0001.json.gz'
  const [old, future, fresh] = [temporaryName(name), temporaryName(INDEX_NAME), temporaryName(name)]
  for (const each of [old, future, fresh, '.mine.tmp', 'notes.txt']) writeFileSync(join(directory, each), 'half')
  const now = Date.now() / 1000
  for (const each of [old, '.mine.tmp', 'notes.txt']) utimesSync(join(directory, each), now - 7200, now - 7200)
  utimesSync(join(directory, future), now + 7200, now + 7200)
  const { file } = await storeRun(directory, run)
  expect(readdirSync(directory).toSorted()).toEqual([fresh, '.mine.tmp', file, INDEX_NAME, 'notes.txt'].toSorted())
})

test('pruning removes old runs from the directory and the index, and nothing that is not ours', async () => {
  const directory = temporaryDirectory()
  for (const day of [1, 2, 3]) {
    await storeRun(directory, storedRun({ id: `cccc000${day}`, startedAt: `2026-11-0${day}T00:00:00.000Z` }))
  }
  writeFileSync(join(directory, 'drift.json.gz'), 'not ours')
  mkdirSync(join(directory, '20200101T000000.000Z-dddd.json.gz'))
  writeFileSync(join(directory, '20200101T000000.000Z-eeee.json.gz'), 'damaged')
  const stored = await storeRun(directory, storedRun({ id: 'cccc0004', startedAt: '2026-11-04T00:00:00.000Z' }))
  const keep = parseKeep('2') ?? expect.unreachable()
  expect(await pruneRuns(await readHistory(directory), keep, stored)).toEqual({ removed: 3 })
  expect(readdirSync(directory).toSorted()).toEqual([
    '20200101T000000.000Z-dddd.json.gz',
    '20261103T000000.000Z-cccc0003.json.gz',
    '20261104T000000.000Z-cccc0004.json.gz',
    'drift.json.gz',
    INDEX_NAME,
  ])
  expect(readFileSync(join(directory, INDEX_NAME), 'utf8').trim().split('\n')).toHaveLength(3)
})

test('pruning twice at the same time is no trouble', async () => {
  const directory = temporaryDirectory()
  for (const day of [1, 2, 3]) {
    await storeRun(directory, storedRun({ id: `cccc000${day}`, startedAt: `2026-11-0${day}T00:00:00.000Z` }))
  }
  const history = await readHistory(directory)
  const [stored = expect.unreachable()] = history.runs
  const both = await Promise.all([1, 2].map(() => pruneRuns(history, { kind: 'newest', count: 1 }, stored)))
  expect(both.map(({ trouble }) => trouble)).toEqual([undefined, undefined])
  expect(filesOf(directory)).toEqual([stored.file])
})

test('a hard link in the place of the index is not something root writes through', async () => {
  const directory = temporaryDirectory()
  const theirs = join(directory, 'theirs')
  writeFileSync(theirs, 'theirs')
  linkSync(theirs, join(directory, INDEX_NAME))
  await storeRun(directory, run)
  await readHistory(directory)
  expect(readFileSync(theirs, 'utf8')).toBe('theirs')
  expect(existsSync(join(directory, INDEX_NAME))).toBe(true)
})

test('a file that was cut off is named with its reason, once it is known without opening it again', async () => {
  const directory = temporaryDirectory()
  const { file } = await storeRun(directory, run)
  truncateSync(join(directory, file), 100)
  for (const unknown of [1, 0]) {
    let opened = 0
    const { runs, unusable } = await readHistory(directory, (count) => (opened = count))
    expect({ opened, runs }).toEqual({ opened: unknown, runs: [] })
    expect(unusable).toEqual([{ file, reason: 'its compressed data is damaged' }])
  }
})
