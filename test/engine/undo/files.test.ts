import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { textFromBytes } from '../../../src/host/byte-text.ts'
import type { FileAttributes, Remediator } from '../../../src/host/remediator.ts'
import { fixAndUndo } from '../../support/undo.ts'
import '../../support/seed.ts'
import { cases } from '../../support/soak.ts'
import { needsRoot, temporaryDirectory } from '../../support/temporary.ts'
import { isLeft } from '../../../src/engine/undo/put-back.ts'
import { treeState } from '../../support/tree-state.ts'
import { needsPrograms } from '../../support/programs.ts'

/** A tree with everything that a copy may lose. */
function plant(root: string): void {
  mkdirSync(root)
  const script = `
    echo a > a; chmod 0640 a; chown 1:2 a; setfacl -m u:daemon:rw a; touch -d 2001-02-03T04:05:06.789 a
    echo b > b; chmod 4755 b; setfattr -n user.note -v kept b; ln -s a link
    cp /bin/true c; setcap cap_net_raw+ep c 2>/dev/null || true
    mkdir -p d/g; chmod 2750 d; setfacl -d -m g:daemon:rx d/g
    echo e > d/e; ln d/e d/f; head -c 70000 /dev/zero > d/g/h; touch -d 1999-12-31 d/g/h; mkfifo d/g/fifo`
  execFileSync('sh', ['-c', script], { cwd: root })
}

/** What a fix does to a path, as data, so that a counterexample can be read. */
interface Deed {
  readonly what:
    | 'write'
    | 'edit'
    | 'write in place'
    | 'attributes'
    | 'adjust'
    | 'directory'
    | 'remove'
    | 'owner'
    | 'owner below'
    | 'access'
  readonly name: string
  readonly attributes: FileAttributes
}

const deed: fc.Arbitrary<Deed> = fc.record({
  what: fc.constantFrom(
    'write',
    'edit',
    'write in place',
    'attributes',
    'adjust',
    'directory',
    'remove',
    'owner',
    'owner below',
    'access',
  ),
  name: fc.constantFrom(
    'a',
    'b',
    'c',
    'd',
    'd/e',
    'd/f',
    'd/g',
    'd/g/h',
    'link',
    'new',
    'd/new',
    'far/away',
    'far/away/new',
  ),
  attributes: fc.record({
    uid: fc.constantFrom(0, 1, 65534),
    gid: fc.constantFrom(0, 2, 65534),
    mode: fc.constantFrom(0o600, 0o644, 0o755, 0o4755),
  }),
})

/** Some of it cannot be done, which has to be no hindrance either. */
function perform({ what, name, attributes }: Deed, remediator: Remediator, root: string): Promise<unknown> {
  const path = join(root, name)
  switch (what) {
    case 'write':
      return remediator.writeFile(path, { kind: 'bytes', bytes: Buffer.from(`new ${name}`) }, attributes)
    case 'edit':
      return remediator.editText(path, (text) => `${text}edited\n`)
    case 'write in place':
      return remediator.writeFile(path, { kind: 'bytes', bytes: Buffer.from(`new ${name}`) }, attributes, {
        inPlace: true,
      })
    case 'attributes':
      return remediator.setAttributes(path, attributes)
    case 'adjust':
      return remediator.adjustAttributes(path, () => attributes)
    case 'directory':
      return remediator.createDirectory(path, attributes)
    case 'remove':
      return remediator.remove(path, { recursive: true })
    case 'owner':
      return remediator.setOwner(path, { uid: attributes.uid })
    case 'owner below':
      return remediator.setOwner(path, { uid: attributes.uid }, { recursive: true })
    case 'access':
      return remediator.setAccess(path, { acl: null, capabilities: null })
  }
}

describe.skipIf(needsRoot ?? needsPrograms('setfacl', 'setfattr'))('a fix that changed files', () => {
  it('is undone down to the last attribute, for any actions in any order', { timeout: 120_000 }, async () => {
    const deeds = fc.array(fc.tuple(fc.constantFrom('x', 'y', 'z'), deed), { minLength: 1, maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(deeds, async (all) => {
        const root = join(temporaryDirectory(), 'tree')
        plant(root)
        const before = treeState(root)
        const { taken } = await fixAndUndo(async (remediatorFor) => {
          for (const [owner, each] of all) await perform(each, remediatorFor(owner), root)
        })
        expect(taken.flatMap(({ things }) => things).filter(isLeft)).toEqual([])
        expect(treeState(root)).toBe(before)
      }),
      { numRuns: cases({ usual: 15, soak: 400 }) },
    )
  })

  it.each(['file', 'link'])('is taken back where a text was edited, by its %s', async (name) => {
    const root = temporaryDirectory()
    writeFileSync(join(root, 'file'), 'before\n', { mode: 0o640 })
    symlinkSync('file', join(root, 'link'))
    const before = treeState(root)
    const { taken } = await fixAndUndo(
      async (remediatorFor) => {
        const edit = (text: string): string => `${text}after\n`
        expect(await remediatorFor('x').editText(join(root, name), edit)).toEqual({ kind: 'done' })
      },
      () => expect(readFileSync(join(root, 'file'), 'utf8')).toBe('before\nafter\n'),
    )
    expect(taken.flatMap(({ things }) => things).filter(isLeft)).toEqual([])
    expect(treeState(root)).toBe(before)
  })

  it.each([
    ['a directory', (path: string) => writeFileSync(path, 'before\n')],
    ['a file', (path: string) => plant(path)],
  ])('is taken back where %s is in the place of something else', async (made, arrange) => {
    const root = temporaryDirectory()
    const path = join(root, 'it')
    arrange(path)
    const before = treeState(root)
    const { taken } = await fixAndUndo(async (remediatorFor) => {
      const remediator = remediatorFor('x')
      expect(await remediator.remove(path, { recursive: true })).toEqual({ kind: 'done' })
      const attributes = { uid: 0, gid: 0, mode: 0o755 }
      const content = { kind: 'bytes', bytes: Buffer.from('after\n') } as const
      const replacing =
        made === 'a file'
          ? remediator.writeFile(path, content, attributes)
          : remediator.createDirectory(path, attributes)
      expect(await replacing).toEqual({ kind: 'done' })
    })
    expect(taken.flatMap(({ things }) => things).filter(isLeft)).toEqual([])
    expect(treeState(root)).toBe(before)
  })

  it.each<[string, (remediator: Remediator, path: string) => Promise<unknown>]>([
    ['remove', (remediator, path) => remediator.remove(path, { recursive: false })],
    [
      'replace',
      (remediator, path) =>
        remediator.writeFile(path, { kind: 'bytes', bytes: Buffer.from('new') }, { uid: 0, gid: 0, mode: 0o644 }),
    ],
  ])('does not %s what cannot be kept, a link whose name is no UTF-8', async (_what, change) => {
    const root = temporaryDirectory()
    const name = Buffer.from(join(root, '\xff'), 'latin1')
    symlinkSync('nowhere', name)
    await fixAndUndo(async (remediatorFor) => {
      expect(await change(remediatorFor('x'), textFromBytes(name))).toEqual({
        kind: 'failed',
        message: expect.stringMatching(/: cp does not support a name that is not UTF-8; .*--keep-undo 0 /),
      })
    })
    expect(readlinkSync(name)).toBe('nowhere')
  })

  it('is not undone where a file has changed since', async () => {
    const root = temporaryDirectory()
    const [changed, other, link] = [join(root, 'changed'), join(root, 'other'), join(root, 'link')]
    writeFileSync(changed, 'before\n')
    symlinkSync('changed', link)
    writeFileSync(other, 'before\n')
    const attributes = { uid: 0, gid: 0, mode: 0o644 }
    const after = { kind: 'bytes', bytes: Buffer.from('after\n') } as const
    const { taken } = await fixAndUndo(
      async (remediatorFor) => {
        await remediatorFor('changed').writeFile(changed, after, attributes)
        await remediatorFor('other').writeFile(other, after, attributes)
        await remediatorFor('link').remove(link, { recursive: false })
      },
      () => {
        writeFileSync(changed, 'by hand\n')
        symlinkSync('other', link)
      },
    )
    const byId = Object.fromEntries(taken.map(({ owner, things }) => [owner.id, things]))
    expect(byId['other']).toMatchObject([{ name: other, outcome: 'restored' }])
    expect(byId['changed']).toMatchObject([
      {
        name: changed,
        outcome: 'conflict',
        message: 'changed since the fix',
        before: expect.stringMatching(/^file, 7 bytes/),
        after: expect.stringMatching(/^file, 6 bytes/),
        found: expect.stringMatching(/^file, 8 bytes/),
      },
    ])
    expect(byId['link']).toMatchObject([
      {
        outcome: 'conflict',
        before: expect.stringMatching(/^symlink to changed,/),
        after: 'absent',
        found: expect.stringMatching(/^symlink to other,/),
      },
    ])
  })
})
