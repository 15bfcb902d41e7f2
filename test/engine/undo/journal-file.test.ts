import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { describe, expect, it } from 'vitest'
import { openJournal } from '../../../src/host/live/file-journal.ts'
import { readHead, readJournal } from '../../../src/engine/undo/read-journal.ts'
import { hasChanged, JOURNAL_SCHEMA } from '../../../src/engine/undo/step.ts'
import { cannotMount, mount } from '../../support/mount.ts'
import { temporaryDirectory } from '../../support/temporary.ts'
import { openFix } from '../../support/undo.ts'

const attributes = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0, mode: 0o644 }

/** Takes the space of a file system but for so many bytes. */
function fill(directory: string, left: number): void {
  const { bavail, bsize } = statfsSync(directory)
  writeFileSync(join(directory, 'fill'), Buffer.alloc(Math.max(0, bavail * bsize - left)))
}

function journalOf(path: string): Exclude<ReturnType<typeof readJournal>, string> {
  const journal = readJournal(path)
  if (typeof journal === 'string') throw new Error(journal)
  return journal
}

describe.skipIf(cannotMount)('on a file system that is almost full', () => {
  it.each([0, 4, 8, 16, 24, 32, 48, 64].map((kib) => [kib]))(
    'with %i KiB left nothing is removed of which the journal does not say all',
    async (kib) => {
      const state = mount(['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs'], join(temporaryDirectory(), 'state'))
      const tree = temporaryDirectory()
      const paths = Array.from({ length: 40 }, (_, index) => join(tree, `file-${index}`))
      for (const path of paths) writeFileSync(path, `content of ${path}\n`)
      fill(state, kib * 1024)
      const fix = openFix(state)
      for (const path of paths) await fix.remediatorFor(path).remove(path, { recursive: false })
      fix.close()
      const removed = paths.filter((path) => !existsSync(path))
      const steps = existsSync(fix.path) ? journalOf(fix.path).steps : []
      const kept = steps.filter(({ isOver }) => isOver).flatMap(({ things }) => things)
      for (const path of removed) {
        const number = kept.find(({ name }) => name === path)?.kept
        expect(readFileSync(join(fix.path, 'kept', String(number)), 'utf8')).toBe(`content of ${path}\n`)
      }
      expect(removed.length).toBeLessThan(paths.length)
    },
  )

  it('a file interrupted by a full disk is recorded whole or not at all', () => {
    const state = mount(['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs'], join(temporaryDirectory(), 'state'))
    const descriptor = openSync(join(state, 'lock'), 'w+')
    writeFileSync(join(state, 'filler'), Buffer.alloc(60 * 1024))
    const journal = openJournal(descriptor, 0)
    const recorded: string[] = []
    expect(() => {
      for (let index = 0; index < 200; index++) {
        const path = `/srv/${'x'.repeat(40)}-${index}`
        journal.record(path)
        recorded.push(path)
      }
    }).toThrow('ENOSPC')
    const lines = readFileSync(join(state, 'lock'), 'utf8').split('\n').slice(0, -1)
    expect(lines.map((line) => JSON.parse(line) as string)).toEqual(recorded)
    closeSync(descriptor)
  })
})

describe('the journal of a fix', () => {
  it('has room behind its last line as long as the fix goes on, and none after it', async () => {
    const directory = temporaryDirectory()
    const path = join(temporaryDirectory(), 'file')
    const fix = openFix(directory)
    const content = { kind: 'bytes', bytes: Buffer.from('new\n') } as const
    await fix.remediatorFor('a').writeFile(path, content, attributes)
    expect(readFileSync(join(fix.path, 'journal'), 'utf8')).toMatch(/\n{4096,}$/)
    expect(journalOf(fix.path)).toMatchObject({ isWhole: false, steps: [{ isOver: true }] })
    fix.close()
    expect(readFileSync(join(fix.path, 'journal'), 'utf8')).toMatch(/[^\n]\n$/)
    expect(journalOf(fix.path)).toMatchObject({ isWhole: true, steps: [{ isOver: true }] })
  })

  const HEAD = { schema: JOURNAL_SCHEMA, run: 'a', startedAt: '2026-01-01T00:00:00Z', sequence: 1, policies: [] }
  const BEGIN = { number: 1, owner: {}, things: [{ kind: 'path', name: '/a', before: null }] }
  const write = (...lines: readonly string[]): string => {
    const directory = join(temporaryDirectory(), 'a')
    mkdirSync(directory)
    writeFileSync(join(directory, 'journal'), lines.map((line) => `${line}\n`).join(''))
    return directory
  }

  it('that a power failure has cut behind its last step counts up to there', () => {
    const journal = journalOf(write(JSON.stringify(HEAD), JSON.stringify(BEGIN), '{"number":1,"aft', '', '', ''))
    expect(journal).toMatchObject({ isWhole: false, steps: [{ number: 1, isOver: false }] })
    expect(hasChanged(journal.steps)).toBe(true)
  })

  it('says of each step what it found, what it left and whether it failed', () => {
    const names = ['/a', '/b', '/c'].map((name) => ({ kind: 'path', name, before: null }))
    const steps = [1, 2, 3].map((number) => ({ number, owner: {}, things: names }))
    const ends = [
      { number: 1, after: ['new', null] },
      { number: 2, after: [], hasFailed: true },
      { number: 9, after: [] },
    ]
    const lines = [HEAD, ...steps, ...ends, { isWhole: true }].map((each) => JSON.stringify(each))
    const directory = write(...lines)
    const [first, second, third] = steps
    const [a, ...others] = names
    const expected = [
      { ...first, things: [{ ...a, after: 'new' }, ...others], isOver: true },
      { ...second, isOver: true, hasFailed: true },
      { ...third, isOver: false },
    ]
    expect(readJournal(directory)).toEqual({ directory, head: HEAD, steps: expected, isWhole: true })
    // A line counts once its end is written.
    writeFileSync(join(directory, 'journal'), lines.join('\n'))
    expect(readJournal(directory)).toMatchObject({ isWhole: false })
  })

  it.each(['', 'x', 'null', '"driftgate.undo/v1"', '{}', '{"schema":"driftgate.undo/v2","run":"a"}'])(
    'that begins with %j is of another version',
    (line) => {
      const directory = write(line, JSON.stringify(BEGIN))
      const reason = `${join(directory, 'journal')} is not a fix journal that this version supports`
      expect(readJournal(directory)).toBe(reason)
      expect(readHead(directory)).toBeUndefined()
    },
  )

  it('of an older version has no number, and one that was not begun has no head', () => {
    const { sequence, ...older } = HEAD
    const directory = write(JSON.stringify(older))
    expect([readHead(directory), journalOf(directory).head]).toEqual([
      { ...older, sequence: sequence - 1 },
      { ...older, sequence: 0 },
    ])
    expect(readHead(temporaryDirectory())).toBeUndefined()
  })

  it('that is damaged before a step is not read', () => {
    const directory = write(JSON.stringify(HEAD), 'x', JSON.stringify(BEGIN))
    expect(readJournal(directory)).toBe(`${join(directory, 'journal')}:2 is not a journal entry`)
  })

  it('keeps a tree whose names are not UTF-8', async () => {
    const tree = join(temporaryDirectory(), 'tree')
    mkdirSync(tree)
    const name = Buffer.concat([Buffer.from(`${tree}/caf`), Buffer.from([0xe9])])
    writeFileSync(name, 'x')
    const fix = openFix(temporaryDirectory())
    expect(await fix.remediatorFor('a').remove(tree, { recursive: true })).toEqual({ kind: 'done' })
    fix.close()
    expect(Number(readFileSync(join(fix.path, 'size'), 'utf8'))).toBeGreaterThan(0)
    expect(readdirSync(join(fix.path, 'kept/1'), { encoding: 'buffer' })[0]?.at(-1)).toBe(0xe9)
    rmSync(join(fix.path, 'kept'), { recursive: true })
  })
})
