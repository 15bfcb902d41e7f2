import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { latestJournal } from '../../../src/engine/undo/find-journal.ts'
import { pruneJournals, readAllJournals, type StoredJournal } from '../../../src/engine/undo/journals.ts'
import type { LastFix } from '../../../src/engine/undo/last-fix.ts'
import { JOURNAL_SCHEMA, type Step } from '../../../src/engine/undo/step.ts'
import { temporaryDirectory } from '../../support/temporary.ts'

interface Written {
  readonly run: string
  readonly undoes?: string
  readonly isWhole?: boolean
  readonly steps?: readonly Step[]
}

const source = { file: 'policy.yaml', line: 1, column: 1 }
const owner = { policy: 'policy', id: 'file#a', type: 'file', name: 'a', severity: 'medium', source } as const
const thing = { kind: 'path', name: '/a', before: { kind: 'absent' }, after: { kind: 'directory' } } as const
const CHANGE: Step = { number: 1, owner, things: [thing], isOver: true }

/** Journals from the newest on; the clock went back between them. */
function journals(written: readonly Written[]): readonly StoredJournal[] {
  return written.map(({ run, undoes, isWhole = true, steps = [CHANGE] }, index) => {
    const startedAt = `2026-11-${10 + index}T03:00:00Z`
    const head = { schema: JOURNAL_SCHEMA, run, startedAt, sequence: written.length - index, policies: [] } as const
    return { directory: run, head: undoes === undefined ? head : { ...head, undoes }, steps, isWhole, bytes: 0 }
  })
}

/** The run that is undone by default. */
function latest(written: readonly Written[], last?: LastFix): string {
  const found = latestJournal(journals(written), last)
  return typeof found === 'string' ? found : found.head.run
}

describe('the latest fix', () => {
  it('is the newest, killed or not', () => {
    expect(latest([{ run: 'b' }, { run: 'a' }])).toBe('b')
    expect(latest([{ run: 'b', isWhole: false }, { run: 'a' }])).toBe('b')
    expect(latest([])).toBe('no fix can be undone')
  })

  it('is the newest undo, unless that was interrupted: then it goes on', () => {
    expect(latest([{ run: 'c', undoes: 'a' }, { run: 'b' }, { run: 'a' }])).toBe('c')
    expect(latest([{ run: 'c', undoes: 'a', isWhole: false }, { run: 'b' }, { run: 'a' }])).toBe('a')
    expect(latest([{ run: 'c', undoes: 'a', isWhole: false }, { run: 'b' }])).toBe('c')
  })

  it('is no older one where it has changed nothing, or has kept nothing', () => {
    const older = 'the fix before it, of 2026-11-10T03:00:00Z, is undone with "driftgate undo a"'
    expect(latest([{ run: 'a' }], { run: 'b', sequence: 2, left: 'no-change' })).toBe(
      `the latest fix, b, changed nothing: there is nothing to undo; ${older}`,
    )
    expect(latest([{ run: 'a' }], { run: 'b', sequence: 2, left: 'not-kept' })).toContain('stored no undo data')
    expect(latest([{ run: 'a' }], { run: 'a', sequence: 1, left: 'journal' })).toBe('a')
  })

  it('has changed nothing where all that it tried has failed', () => {
    const failed: Step = { number: 1, owner, things: [], lost: 'a command', isOver: true, hasFailed: true }
    const vain: Step = { number: 2, owner, things: [{ ...thing, after: thing.before }], isOver: true }
    expect(latest([{ run: 'b', steps: [failed, vain] }, { run: 'a' }])).toContain('b, changed nothing')
    expect(latest([{ run: 'b', steps: [{ ...failed, hasFailed: false }] }])).toBe('b')
    expect(latest([{ run: 'b', steps: [{ ...vain, isOver: false }] }])).toBe('b')
  })
})

/** Writes journals as fixes leave them. */
function store(
  heads: readonly { readonly run: string; readonly startedAt: string; readonly sequence: number }[],
): string {
  const directory = join(temporaryDirectory(), 'undo')
  for (const head of heads) {
    mkdirSync(join(directory, head.run, 'kept'), { recursive: true })
    const text = `${JSON.stringify({ schema: JOURNAL_SCHEMA, policies: [], ...head })}\n{"isWhole":true}\n`
    writeFileSync(join(directory, head.run, 'journal'), text)
  }
  return directory
}

describe('stored journals', () => {
  it('are in the order in which the fixes ran, independent of the clock', () => {
    const directory = store([
      { run: 'first', startedAt: '2030-01-01T00:00:00Z', sequence: 1 },
      { run: 'second', startedAt: '2026-01-01T00:00:00Z', sequence: 2 },
    ])
    const { journals: read } = readAllJournals([join(directory, '..')])
    expect(read.map(({ head }) => head.run)).toEqual(['second', 'first'])
  })

  it('are as old as those after them where their date lies in the future', () => {
    const directory = store([
      { run: 'future', startedAt: '2099-01-01T00:00:00Z', sequence: 1 },
      { run: 'old', startedAt: '2026-01-01T00:00:00Z', sequence: 2 },
      { run: 'new', startedAt: '2026-03-01T00:00:00Z', sequence: 3 },
    ])
    const keep = { count: 10, milliseconds: 30 * 86_400_000, bytes: 1e9 }
    pruneJournals(directory, { keep, except: new Set(), now: Date.parse('2026-03-02T00:00:00Z') })
    expect(readdirSync(directory)).toEqual(['new'])
  })
})
