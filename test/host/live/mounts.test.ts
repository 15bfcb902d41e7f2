import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { known } from '../../../src/model/observation.ts'
import { NO_JOURNAL } from '../../../src/host/live/journal.ts'
import { createLocalRemediator } from '../../../src/host/live/local-remediator.ts'
import { mountsWithin, parseMountPoints } from '../../../src/host/live/mounts.ts'
import { audit as auditFile, fix as fixFile } from '../../subjects/files/file/scene.ts'
import { createScene, driftWords, obstacles } from '../../subjects/scaffolds/scene.ts'
import { bindMount, cannotMount, mount } from '../../support/mount.ts'
import { temporaryDirectory } from '../../support/temporary.ts'
import { captured, everyVersion } from '../../support/captured.ts'

const remediator = createLocalRemediator(NO_JOURNAL)

interface Trap {
  readonly tree: string
  readonly precious: string
}

/** A tree with a directory mounted in it a second time, which has the device number of everything around it. */
function trap(name = 'data'): Trap {
  const root = temporaryDirectory()
  const [tree, precious] = [join(root, 'tree'), join(root, 'precious')]
  mkdirSync(tree)
  mkdirSync(precious)
  writeFileSync(join(precious, 'file'), 'precious')
  writeFileSync(join(tree, 'a-file'), '')
  bindMount(precious, join(tree, name))
  expect(statSync(join(tree, name)).dev).toBe(statSync(tree).dev)
  return { tree, precious }
}

test('mount points are read with their escapes', () => {
  const text = [
    '36 35 98:0 / / rw,noatime master:1 - ext3 /dev/root rw',
    '37 36 98:0 /mnt /a\\040b\\011c\\012d\\134e\\043f rw shared:2 - ext3 /dev/root rw',
    '',
  ].join('\n')
  expect(parseMountPoints(text)).toEqual(['/', '/a b\tc\nd\\e#f'])
})

describe.skipIf(cannotMount)(`a mounted file system (${cannotMount ?? 'for the test'})`, () => {
  test.each(['data', 'with space', 'back\\slash', 'a#b', 'tab\tand\nline'])(
    '%j is not emptied with its tree',
    async (name) => {
      const { tree, precious } = trap(name)
      expect(await remediator.remove(tree, { recursive: true })).toEqual({
        kind: 'failed',
        message: `cannot remove ${tree}: a file system is mounted at ${join(tree, name)}; unmount it first`,
      })
      expect(readFileSync(join(precious, 'file'), 'utf8')).toBe('precious')
      expect(existsSync(join(tree, 'a-file'))).toBe(true)
    },
  )

  test('nor a file system of its own, a mount point by itself, or a tree reached through a link', async () => {
    const { tree, precious } = trap()
    mount(['-t', 'tmpfs', 'tmpfs'], join(tree, 'other', 'deep'))
    writeFileSync(join(tree, 'other', 'deep', 'kept'), '')
    const link = join(tree, '..', 'link')
    symlinkSync('tree', link)
    for (const path of [join(tree, 'data'), join(tree, 'other'), join(link, 'other'), join(link, 'data')]) {
      expect(await remediator.remove(path, { recursive: true })).toMatchObject({ kind: 'failed' })
    }
    expect(readdirSync(join(tree, 'other', 'deep'))).toEqual(['kept'])
    expect(readdirSync(precious)).toEqual(['file'])
  })

  test('a file that is mounted is not replaced or removed, as the audit says; a link to it is', async () => {
    const root = temporaryDirectory()
    const [hosts, mounted, link] = [join(root, 'hosts'), join(root, 'mounted'), join(root, 'link')]
    writeFileSync(hosts, 'precious')
    bindMount(hosts, mounted)
    symlinkSync('mounted', link)
    const plans = async (values: object): Promise<unknown> => (await auditFile({ name: mounted, ...values })).plan
    const replaced =
      "it is a mount point, which cannot be replaced; write it in place with --in-place, or 'in_place: true' in the policy"
    expect(await plans({ content: 'other' })).toMatchObject({ obstacles: [{ reason: replaced }] })
    expect(await plans({ content: { includes: ['other'] } })).toMatchObject({ obstacles: [{ reason: replaced }] })
    expect(await plans({ ensure: 'absent' })).toMatchObject({
      obstacles: [{ reason: `cannot remove ${mounted}: a file system is mounted at ${mounted}; unmount it first` }],
    })
    expect((await fixFile({ name: mounted, content: 'other' })).outcome).toMatchObject({ kind: 'failed' })
    expect(readFileSync(mounted, 'utf8')).toBe('precious')
    expect((await fixFile({ name: link, content: 'other' })).outcome).toEqual({ kind: 'done' })
    expect([readFileSync(link, 'utf8'), readFileSync(hosts, 'utf8')]).toEqual(['other', 'precious'])
    symlinkSync('mounted', `${link}2`)
    expect((await fixFile({ name: `${link}2`, ensure: 'absent' })).outcome).toEqual({ kind: 'done' })
  })

  test('a file that is mounted is written where it lies, if that is wanted', async () => {
    const root = temporaryDirectory()
    const [hosts, mounted] = [join(root, 'hosts'), join(root, 'mounted')]
    writeFileSync(hosts, 'precious')
    bindMount(hosts, mounted)
    const before = statSync(mounted).ino
    const { outcome, after } = await fixFile({ name: mounted, content: 'other', in_place: true })
    expect([outcome, after.drift]).toEqual([{ kind: 'done' }, []])
    expect(statSync(mounted).ino).toBe(before)
    expect(readFileSync(hosts, 'utf8')).toBe('other')
  })

  test('nor a single file that is mounted over another', async () => {
    const { tree, precious } = trap()
    const inside = join(tree, 'sub')
    mkdirSync(inside)
    bindMount(join(precious, 'file'), join(inside, 'file'))
    writeFileSync(join(inside, 'a'), '')
    expect(await remediator.remove(inside, { recursive: true })).toMatchObject({ kind: 'failed' })
    expect(readdirSync(inside)).toEqual(['a', 'file'])
  })

  test('a tree beside a mount point with the same beginning is removed', async () => {
    const { tree } = trap('data')
    mkdirSync(join(tree, 'dat'))
    expect(mountsWithin(join(tree, 'dat'))).toEqual(known([]))
    expect(mountsWithin(tree)).toEqual(known(['data']))
    expect(await remediator.remove(join(tree, 'dat'), { recursive: true })).toEqual({ kind: 'done' })
  })

  test('an audit says that a directory with a mount in it cannot be removed, and a fix leaves it whole', async () => {
    const { tree, precious } = trap()
    const reason = `cannot remove ${tree}: a file system is mounted at ${join(tree, 'data')}; unmount it first`
    const wanted = { name: tree, ensure: 'absent', force: true }
    expect((await auditFile(wanted)).plan).toEqual({ kind: 'refuse', obstacles: [{ reason }] })
    const { after } = await fixFile(wanted)
    expect(after.drift).toHaveLength(1)
    expect(readdirSync(precious)).toEqual(['file'])
    expect(readdirSync(tree)).toEqual(['a-file', 'data'])
  })

  test('a purge removes nothing that is mounted in the target', async () => {
    const scene = createScene({ a: 'a' }, { a: 'a', x: '' })
    const precious = temporaryDirectory()
    writeFileSync(join(precious, 'file'), 'precious')
    bindMount(precious, join(scene.target, 'data'))
    const decision = await scene.audit({ purge: true })
    expect(driftWords(decision)).toEqual(['unexpected data/file', 'unexpected x'])
    expect(obstacles(decision)).toEqual([`a file system is mounted at ${join(scene.target, 'data')}; unmount it first`])
  })
})

test.each(everyVersion('findmnt', 'kernel'))(
  'mount points are those that findmnt lists: findmnt %s',
  (version, { stdout }) => {
    const listed = captured('findmnt', version, 'list').stdout.trimEnd().split('\n')
    const targets = listed.map((line) => line.split(' ')[0] ?? '')
    expect(parseMountPoints(stdout).toSorted()).toEqual(targets.toSorted())
  },
)
