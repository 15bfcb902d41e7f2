import { execFileSync } from 'node:child_process'
import { lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openFix, openUndo } from '../../support/undo.ts'
import { readJournal } from '../../../src/engine/undo/read-journal.ts'
import type { TakenBack } from '../../../src/engine/undo/taken-back.ts'
import type { Remediator } from '../../../src/host/remediator.ts'
import { needsPrograms } from '../../support/programs.ts'
import { needsRoot, temporaryDirectory } from '../../support/temporary.ts'
import { treeState } from '../../support/tree-state.ts'

const NEW = { kind: 'bytes', bytes: Buffer.from('new\n') } as const
const PLAIN = { uid: 0, gid: 0, mode: 0o644 } as const

/** What a fix keeps of a tree, and what its undo brings back. */
interface Scene {
  readonly tree: string
  /** Changes something, and returns the paths of what was kept. */
  readonly fix: (change: (remediator: Remediator) => Promise<unknown>) => Promise<readonly string[]>
  readonly undo: () => Promise<readonly TakenBack[]>
}

function sceneOf(script: string): Scene {
  const directory = temporaryDirectory()
  const tree = join(temporaryDirectory(), 'tree')
  mkdirSync(tree)
  execFileSync('sh', ['-ec', script], { cwd: tree })
  const fixing = openFix(directory)
  return {
    tree,
    async fix(change) {
      expect(await change(fixing.remediatorFor('x'))).toEqual({ kind: 'done' })
      fixing.close()
      const kept = join(fixing.path, 'kept')
      return readdirSync(kept).map((name) => join(kept, name))
    },
    async undo() {
      const journal = readJournal(fixing.path)
      if (typeof journal === 'string') throw new Error(journal)
      return openUndo(directory, journal, {}).takeBack()
    },
  }
}

function restored(taken: readonly TakenBack[]): readonly string[] {
  return taken.flatMap(({ things }) => things.map(({ outcome }) => outcome))
}

describe.skipIf(needsRoot ?? needsPrograms('setfacl', 'setfattr'))('what a fix keeps', () => {
  it('is the replaced file itself, and the undo gives it back and keeps it no more', async () => {
    const { tree, fix, undo } = sceneOf('echo old > f; chmod 0600 f')
    const [before, { ino }] = [treeState(tree), lstatSync(join(tree, 'f'))]
    const [kept = ''] = await fix((remediator) => remediator.writeFile(join(tree, 'f'), NEW, PLAIN))
    expect([lstatSync(kept).ino, lstatSync(kept).nlink]).toEqual([ino, 1])
    expect(restored(await undo())).toEqual(['restored'])
    expect([lstatSync(join(tree, 'f')).ino, treeState(tree)]).toEqual([ino, before])
    expect(() => lstatSync(kept)).toThrow('ENOENT')
  })

  it('is a copy of a file with other names, and the undo makes it one of them again', async () => {
    const { tree, fix, undo } = sceneOf('echo old > f; setfattr -n user.note -v kept f; ln f g')
    const [before, { ino }] = [treeState(tree), lstatSync(join(tree, 'f'))]
    const [kept = ''] = await fix((remediator) => remediator.remove(join(tree, 'f'), { recursive: false }))
    expect(lstatSync(kept).ino).not.toBe(ino)
    expect([readFileSync(kept, 'utf8'), lstatSync(join(tree, 'g')).nlink]).toEqual(['old\n', 1])
    expect(restored(await undo())).toEqual(['restored'])
    expect([lstatSync(join(tree, 'f')).ino, treeState(tree)]).toEqual([ino, before])
  })

  it('comes back by itself where the other name was changed since', async () => {
    const { tree, fix, undo } = sceneOf('echo old > f; chown 1:2 f; ln f g')
    await fix((remediator) => remediator.remove(join(tree, 'f'), { recursive: false }))
    writeFileSync(join(tree, 'g'), 'by hand\n')
    await undo()
    expect([readFileSync(join(tree, 'f'), 'utf8'), readFileSync(join(tree, 'g'), 'utf8')]).toEqual([
      'old\n',
      'by hand\n',
    ])
    expect(lstatSync(join(tree, 'f')).ino).not.toBe(lstatSync(join(tree, 'g')).ino)
    expect(lstatSync(join(tree, 'f'))).toMatchObject({ uid: 1, gid: 2 })
  })

  it('of a file that could not be replaced is let go: it has no second name', async () => {
    const { tree, fix } = sceneOf('echo old > f; mkdir d; echo in > d/x')
    const path = join(tree, 'f')
    const refusing = fix(async (remediator) => {
      const outcome = await remediator.writeFile(path, { kind: 'copy', source: join(tree, 'gone') }, PLAIN)
      expect(outcome).toMatchObject({ kind: 'failed', message: expect.stringContaining('gone') as string })
      return { kind: 'done' }
    })
    expect(await refusing).toEqual([])
    expect([readFileSync(path, 'utf8'), lstatSync(path).nlink]).toEqual(['old\n', 1])
  })

  it('of a file that is written in place is a copy, which is written back in place with its attributes', async () => {
    const { tree, fix, undo } = sceneOf(
      'echo old > f; chmod 4750 f; setfacl -m u:daemon:r f; setfattr -n user.note -v kept f; touch -d 2001-02-03 f; ln f g',
    )
    const [before, { ino }] = [treeState(tree), lstatSync(join(tree, 'f'))]
    const [kept = ''] = await fix((remediator) => remediator.writeFile(join(tree, 'f'), NEW, PLAIN, { inPlace: true }))
    expect([readFileSync(join(tree, 'g'), 'utf8'), readFileSync(kept, 'utf8')]).toEqual(['new\n', 'old\n'])
    expect(restored(await undo())).toEqual(['restored'])
    expect([lstatSync(join(tree, 'f')).ino, treeState(tree)]).toEqual([ino, before])
  })

  it('comes back into a directory that gives its group and a list to what is made in it', async () => {
    const { tree, fix, undo } = sceneOf(
      'chown :daemon .; chmod 2775 .; setfacl -d -m u:nobody:rwx .; mkdir -m 0700 d; setfacl -b -k d; chgrp 0 d; chmod 0700 d; echo in > d/x; ln d/x d/y',
    )
    const before = treeState(tree)
    await fix((remediator) => remediator.remove(join(tree, 'd'), { recursive: true }))
    expect(restored(await undo())).toEqual(['restored'])
    expect(treeState(tree)).toBe(before)
  })

  it('of a directory is a copy in which files with several names still have them', async () => {
    const { tree, fix } = sceneOf('mkdir d; echo old > d/x; ln d/x d/y')
    const [kept = ''] = await fix((remediator) => remediator.remove(join(tree, 'd'), { recursive: true }))
    expect([readFileSync(join(kept, 'x'), 'utf8'), lstatSync(join(kept, 'y')).nlink]).toEqual(['old\n', 2])
  })
})
