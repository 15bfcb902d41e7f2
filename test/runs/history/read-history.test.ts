import {
  appendFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { INDEX_NAME } from '../../../src/runs/history/file-name.ts'
import type { Keep } from '../../../src/runs/history/keep-spec.ts'
import { readHistory } from '../../../src/runs/history/read-history.ts'
import { pruneRuns, storeRun } from '../../../src/runs/history/store.ts'
import { temporaryDirectory } from '../../support/temporary.ts'
import { filesOf, storedRun } from './support.ts'
import { cases } from '../../support/soak.ts'

async function historyOfThree(): Promise<string> {
  const directory = temporaryDirectory()
  for (const day of [1, 2, 3]) {
    const startedAt = `2026-11-0${day}T00:00:00.000Z`
    await storeRun(directory, storedRun({ id: `cccc000${day}`, startedAt, drifted: day }))
  }
  return directory
}

async function driftedCounts(directory: string): Promise<readonly number[]> {
  return (await readHistory(directory)).runs.map(({ summary }) => summary.drifted)
}

test.each<[string, (index: string) => void]>([
  ['lost', (index) => rmSync(index)],
  ['empty', (index) => writeFileSync(index, '')],
  ['garbage', (index) => writeFileSync(index, Buffer.from([0xff, 0x00, 0x0a, 0x7b]))],
  ['cut off in a line', (index) => truncateSync(index, lstatSync(index).size - 40)],
  ['JSON of something else', (index) => writeFileSync(index, '[]\n{}\nnull\n7\n{"file":"x"}\n')],
  ['followed by the half of a line', (index) => appendFileSync(index, '{"file":"20261120T12')],
  ['a line twice', (index) => writeFileSync(index, readFileSync(index, 'utf8').repeat(2))],
  [
    'naming files that are not there',
    (index) => writeFileSync(index, readFileSync(index, 'utf8').replaceAll('-cccc0002', '-gone0002')),
  ],
  [
    'naming files elsewhere',
    (index) => writeFileSync(index, readFileSync(index, 'utf8').replaceAll('"file":"', '"file":"../')),
  ],
])('an index that is %s is made again from the files', async (_what, damage) => {
  const directory = await historyOfThree()
  const index = join(directory, INDEX_NAME)
  damage(index)
  expect(await driftedCounts(directory)).toEqual([3, 2, 1])
  const repaired = readFileSync(index, 'utf8')
  expect(repaired.trim().split('\n')).toHaveLength(3)
  let unknown = 0
  await readHistory(directory, (count) => (unknown = count))
  expect(unknown).toBe(0)
  expect(readFileSync(index, 'utf8')).toBe(repaired)
})

test('a run that is stored behind the half of a line is in the index', async () => {
  const directory = await historyOfThree()
  appendFileSync(join(directory, INDEX_NAME), '{"file":"20261120T12')
  await storeRun(directory, storedRun({ id: 'cccc0004', startedAt: '2026-11-04T00:00:00.000Z', drifted: 4 }))
  let unknown = 0
  const { runs } = await readHistory(directory, (count) => (unknown = count))
  expect({ count: runs.length, unknown }).toEqual({ count: 4, unknown: 0 })
})

test('a file that was replaced is read again', async () => {
  const directory = await historyOfThree()
  const [first = ''] = filesOf(directory)
  const path = join(directory, first)
  const report = gunzipSync(readFileSync(path)).toString()
  writeFileSync(path, gzipSync(report.replace('"hostname": "web01"', '"hostname": "web02"')))
  expect((await readHistory(directory)).runs.map(({ host }) => host)).toEqual(['web01', 'web01', 'web02'])
})

test.each<[string, (path: string) => void, RegExp]>([
  ['cut off', (path) => truncateSync(path, 60), /compressed data is damaged/],
  ['empty', (path) => truncateSync(path, 0), /it is empty/],
  ['text', (path) => writeFileSync(path, 'hello'), /not JSON/],
  ['other JSON', (path) => writeFileSync(path, gzipSync('{}')), /driftgate\.report\/v1/],
  ['a report with a hole', (path) => writeFileSync(path, gzipSync(withoutSummary(path))), /summary/],
  ['a link', replacedBy((path) => symlinkSync('/etc/passwd', path)), /not a regular file/],
  ['a directory', replacedBy((path) => mkdirSync(path)), /not a regular file/],
])('a file that is %s is named and the others are there', async (_what, damage, reason) => {
  const directory = await historyOfThree()
  const [, second = ''] = filesOf(directory)
  damage(join(directory, second))
  for (let times = 0; times < 2; times++) {
    const { runs, unusable } = await readHistory(directory)
    expect(runs.map(({ summary }) => summary.drifted)).toEqual([3, 1])
    expect(unusable).toEqual([{ file: second, reason: expect.stringMatching(reason) }])
  }
})

function withoutSummary(path: string): string {
  return gunzipSync(readFileSync(path)).toString().replace('"total"', '"all"')
}

function replacedBy(make: (path: string) => void): (path: string) => void {
  return (path) => {
    rmSync(path)
    make(path)
  }
}

test('a bomb is named and the others are there', async () => {
  const directory = await historyOfThree()
  // 700 MB of blanks in 700 KB, in members as gzip files may have them.
  const member = gzipSync(Buffer.alloc(70_000_000, 0x20))
  writeFileSync(join(directory, '20261101T000000.000Z-b0b0.json.gz'), Buffer.concat(new Array(10).fill(member)))
  const { runs, unusable } = await readHistory(directory)
  expect(runs).toHaveLength(3)
  expect(unusable).toEqual([
    { file: '20261101T000000.000Z-b0b0.json.gz', reason: expect.stringMatching(/larger than/) },
  ])
})

test('a file that no text can hold is named and the others are there', async () => {
  const directory = await historyOfThree()
  const [first = ''] = filesOf(directory)
  truncateSync(join(directory, first), 0)
  // Without blocks on the disk. A string of Node has at most 2^29 - 24 characters.
  truncateSync(join(directory, first), 2 ** 29)
  const { runs, unusable } = await readHistory(directory)
  expect(runs).toHaveLength(2)
  expect(unusable).toEqual([{ file: first, reason: expect.stringMatching(/larger than/) }])
})

test('a directory that is not there is told', async () => {
  const directory = join(temporaryDirectory(), 'none')
  await expect(readHistory(directory)).rejects.toThrow(
    `cannot read the history ${directory}: no such file or directory`,
  )
})

/** The content of the files, independent of the index. */
function saidByFiles(directory: string): readonly string[] {
  return filesOf(directory).flatMap((file) => {
    try {
      const report: unknown = JSON.parse(gunzipSync(readFileSync(join(directory, file))).toString())
      if (typeof report !== 'object' || report === null || !('run' in report) || !('summary' in report)) return []
      return [JSON.stringify([file, report.run, report.summary])]
    } catch {
      return []
    }
  })
}

type Step =
  | { readonly kind: 'store'; readonly hour: number; readonly drifted: number; readonly keep?: Keep }
  | { readonly kind: 'list' }
  | { readonly kind: 'cut' | 'swap' | 'spoil' | 'remove'; readonly at: number; readonly size: number }
  | { readonly kind: 'cut-index' | 'spoil-index' | 'forget-index'; readonly size: number }

const keep: fc.Arbitrary<Keep | undefined> = fc.option(
  fc.oneof(
    fc.record({ kind: fc.constant('newest' as const), count: fc.integer({ min: 1, max: 6 }) }),
    fc.record({ kind: fc.constant('span' as const), milliseconds: fc.integer({ min: 1, max: 100 * 3_600_000 }) }),
  ),
  { nil: undefined },
)

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .record(
        { kind: fc.constant('store' as const), hour: fc.nat(200), drifted: fc.nat(3), keep },
        { requiredKeys: ['kind', 'hour', 'drifted'] },
      )
      .map(({ keep: kept, ...rest }) => (kept === undefined ? rest : { ...rest, keep: kept })),
  },
  { weight: 2, arbitrary: fc.constant({ kind: 'list' as const }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom('cut' as const, 'swap' as const, 'spoil' as const, 'remove' as const),
      at: fc.nat(),
      size: fc.nat(2000),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom('cut-index' as const, 'spoil-index' as const, 'forget-index' as const),
      size: fc.nat(4000),
    }),
  },
)

/** A clock for what is done to files, so that no two changes have the same time. */
let tick = 1_700_000_000

function touch(path: string): void {
  tick += 1
  utimesSync(path, tick, tick)
}

async function take(directory: string, each: Step, number: number): Promise<void> {
  const files = filesOf(directory)
  const index = join(directory, INDEX_NAME)
  if (each.kind === 'store') {
    const startedAt = new Date(Date.UTC(2026, 0, 1) + each.hour * 3_600_000).toISOString()
    const run = storedRun({ id: number.toString(16).padStart(8, '0'), startedAt, drifted: each.drifted })
    const stored = await storeRun(directory, run)
    if (each.keep !== undefined) await pruneRuns(await readHistory(directory), each.keep, stored)
    expect(filesOf(directory)).toContain(stored.file)
  } else if (each.kind === 'list') {
    await readHistory(directory)
  } else if ('at' in each) {
    const file = files[each.at % Math.max(1, files.length)]
    if (file !== undefined) damageFile(join(directory, file), each)
  } else if (existsSync(index)) {
    if (each.kind === 'cut-index') truncateSync(index, Math.min(each.size, lstatSync(index).size))
    if (each.kind === 'spoil-index') writeFileSync(index, overwrite(readFileSync(index), each.size, '777'))
    if (each.kind === 'forget-index') rmSync(index)
  }
}

function damageFile(path: string, { kind, size }: { readonly kind: string; readonly size: number }): void {
  if (kind === 'remove') return rmSync(path)
  if (kind === 'cut') truncateSync(path, Math.min(size, lstatSync(path).size))
  if (kind === 'spoil') writeFileSync(path, overwrite(readFileSync(path), size, '\u0000#~'))
  if (kind === 'swap') writeFileSync(path, gzipSync(JSON.stringify({ schema: 'driftgate.report/v2' })))
  touch(path)
}

/** Other bytes in the middle, as a bad disk leaves them. */
function overwrite(bytes: Buffer, at: number, text: string): Buffer {
  const start = at % Math.max(1, bytes.length)
  return Buffer.concat([bytes.subarray(0, start), Buffer.from(text), bytes.subarray(start + 3)])
}

test('the list equals the files, after any storing, pruning and damage', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const directory = temporaryDirectory()
      for (const [number, each] of steps.entries()) await take(directory, each, number)
      const { runs, unusable } = await readHistory(directory)
      const said = saidByFiles(directory)
      const listed = runs.map(({ file, summary, ...run }) => ({ file, summary, id: run.runId }))
      expect(listed.map(({ file }) => file).toSorted()).toEqual(said.map((text) => String(JSON.parse(text)[0])))
      for (const text of said) {
        const [file, { id }, summary] = JSON.parse(text)
        expect(listed).toContainEqual({ file, summary, id })
      }
      expect([...listed, ...unusable].map(({ file }) => file).toSorted()).toEqual(filesOf(directory))
    }),
    { numRuns: cases({ usual: 15, soak: 600 }) },
  )
})
