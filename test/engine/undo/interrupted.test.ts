import { existsSync, lstatSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { openRoot } from '../../../src/host/live/place.ts'
import { settleInterrupted } from '../../../src/engine/undo/interrupted.ts'
import { openFix } from '../../support/undo.ts'
import { temporaryDirectory } from '../../support/temporary.ts'

const attributes = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0, mode: 0o644 }
const content = { kind: 'bytes', bytes: Buffer.from('new\n') } as const

/** A file with its two names: where it is, and where a fix keeps it. */
function plant(): { readonly path: string; readonly directory: string } {
  const path = join(temporaryDirectory(), 'file')
  writeFileSync(path, 'old\n')
  return { path, directory: temporaryDirectory() }
}

const links = (path: string): number => lstatSync(path).nlink

describe('a file that is kept by one more name', () => {
  it('is the very file that was replaced', async () => {
    const { path, directory } = plant()
    const { ino } = lstatSync(path)
    const fix = openFix(directory)
    expect(await fix.remediatorFor('a').writeFile(path, content, attributes)).toEqual({ kind: 'done' })
    expect(lstatSync(join(fix.path, 'kept/1'))).toMatchObject({ ino, nlink: 1 })
    expect(await fix.remediatorFor('b').remove(path, { recursive: false })).toEqual({ kind: 'done' })
    expect(readFileSync(join(fix.path, 'kept/2'), 'utf8')).toBe('new\n')
    fix.close()
  })

  it('has one name again where the fix failed to replace it', async () => {
    const { path, directory } = plant()
    const fix = openFix(directory)
    const nothing = { kind: 'copy', source: join(directory, 'nothing') } as const
    expect(await fix.remediatorFor('a').writeFile(path, nothing, attributes)).toMatchObject({ kind: 'failed' })
    expect([links(path), existsSync(join(fix.path, 'kept/1'))]).toEqual([1, false])
    fix.close()
  })

  it('has one name again after a fix that was killed, so the next one can replace it', async () => {
    const { path, directory } = plant()
    const killed = openFix(directory, (inner) => ({ ...inner, writeFile: () => new Promise(() => undefined) }))
    void killed.remediatorFor('a').writeFile(path, content, attributes)
    await vi.waitFor(() => expect(readFileSync(join(killed.path, 'journal'), 'utf8')).toContain('"kept":1'))
    expect(links(path)).toBe(2)

    settleInterrupted(directory, openRoot)
    expect([links(path), existsSync(join(killed.path, 'kept/1'))]).toEqual([1, false])
    const fix = openFix(directory)
    expect(await fix.remediatorFor('a').writeFile(path, content, attributes)).toEqual({ kind: 'done' })
    fix.close()
  })

  it('stays kept after a fix that was killed when it had replaced it', async () => {
    const { path, directory } = plant()
    const killed = openFix(directory)
    await killed.remediatorFor('a').writeFile(path, content, attributes)
    // Something that was kept for a step that no line announces.
    writeFileSync(join(killed.path, 'kept/2'), '')
    settleInterrupted(directory, openRoot)
    expect(readFileSync(join(killed.path, 'kept/1'), 'utf8')).toBe('old\n')
    expect(existsSync(join(killed.path, 'kept/2'))).toBe(false)
    // From then on it is as one that has ended.
    writeFileSync(join(killed.path, 'kept/2'), '')
    settleInterrupted(directory, openRoot)
    expect(existsSync(join(killed.path, 'kept/2'))).toBe(true)
    killed.close()
  })
})
