import { describe, expect, it } from 'vitest'
import { findJournal, type StoredJournal } from '../../src/undo/journals.ts'
import { JOURNAL_SCHEMA, type JournalHead } from '../../src/undo/step.ts'

interface Written {
  readonly run: string
  readonly undoes?: string
  readonly isWhole?: boolean
}

function journal({ run, undoes, isWhole = true }: Written): StoredJournal {
  const head: JournalHead = { schema: JOURNAL_SCHEMA, run, startedAt: '2026-11-22T03:00:00Z', policies: [] }
  return { directory: run, head: undoes === undefined ? head : { ...head, undoes }, steps: [], isWhole, bytes: 0 }
}

/** What is taken back where nobody says which; the newest is the first. */
function next(...written: readonly Written[]): string {
  const found = findJournal(written.map(journal), undefined)
  return typeof found === 'string' ? found : found.head.run
}

describe('the fix that is taken back', () => {
  it('is the newest, killed or not', () => {
    expect(next({ run: 'b' }, { run: 'a' })).toBe('b')
    expect(next({ run: 'b', isWhole: false }, { run: 'a' })).toBe('b')
    expect(next()).toBe('no fix is kept that could be taken back')
  })

  it('is the newest way back, unless that was broken off: then it goes on', () => {
    expect(next({ run: 'c', undoes: 'a' }, { run: 'b' }, { run: 'a' })).toBe('c')
    expect(next({ run: 'c', undoes: 'a', isWhole: false }, { run: 'b' }, { run: 'a' })).toBe('a')
    expect(next({ run: 'c', undoes: 'a', isWhole: false }, { run: 'b' })).toBe('c')
  })
})
