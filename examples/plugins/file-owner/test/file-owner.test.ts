import assert from 'node:assert/strict'
import { chownSync, lstatSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { auditResource, type ContractScene, contractTests, fixResource } from 'driftgate/testing'
import { decide } from '../src/decide.ts'
import { fileOwner } from '../src/index.ts'

const uid = process.geteuid?.() ?? 0
const gid = process.getegid?.() ?? 0
const skip = uid === 0 ? false : 'only root can give things away'

const base = mkdtempSync(join(tmpdir(), 'file-owner-'))
after(() => rmSync(base, { recursive: true, force: true }))

/** A directory with six files and a link to a file outside. */
function plantTree(directory = mkdtempSync(join(base, 'case-'))) {
  const [tree, outside] = [join(directory, 'tree'), join(directory, 'outside')]
  mkdirSync(tree)
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) writeFileSync(join(tree, name), '')
  writeFileSync(outside, '')
  symlinkSync('../outside', join(tree, 'link'))
  return { tree, outside }
}

function idsOf(path: string) {
  const stat = lstatSync(path)
  return [stat.uid, stat.gid]
}

test('what belongs to the right accounts is compliant', async () => {
  const { tree } = plantTree()
  const { verdict } = await auditResource(fileOwner, { destination: tree, uid, gid, recursive: true })
  assert.equal(verdict, 'compliant')
})

test('a tree is compared whole and reported in part', async () => {
  const { tree } = plantTree()
  const result = await auditResource(fileOwner, { destination: tree, uid: uid + 1, recursive: true })
  assert.equal(result.verdict, 'drifted')
  assert.equal(result.change, 'will')
  assert.deepEqual(
    result.drift?.map(({ path }) => path),
    [undefined, 'a', 'b', 'c', 'd'],
  )
  assert.deepEqual(result.actions, ['Would have set the owner of 8 of 8 entries'])
  assert.match(result.message ?? '', /the first 5 of 8 entries that differ are shown/)
})

test('the group is compared with the group', () => {
  const desired = { name: 'x', destination: '/x', group: 'root', recursive: false }
  const { drift } = decide(desired, {
    kind: 'present',
    state: [{ path: '', uid: 501, gid: 502, user: undefined, group: 'staff' }],
    context: { user: undefined, group: { id: 0, name: 'root' } },
  })
  assert.deepEqual(drift, [{ property: 'group', desired: 'root', observed: 'staff' }])
})

test('a missing path is drift that a fix cannot change', async () => {
  const { drift, change } = await auditResource(fileOwner, { destination: join(base, 'none'), uid })
  assert.deepEqual(drift, [{ property: 'ensure', desired: 'present', observed: 'absent' }])
  assert.equal(change, 'cannot')
})

test('an unknown user is drift that a fix cannot change', async () => {
  const { verdict, change } = await auditResource(fileOwner, { destination: base, user: 'no-such-user' })
  assert.equal(verdict, 'drifted')
  assert.equal(change, 'cannot')
})

test('every property that is wrong is told at once', async () => {
  const { reason, errors = [] } = await auditResource(fileOwner, { destination: 'here', user: 'root', uid: 0, gid: -1 })
  assert.equal(reason, 'invalid')
  for (const words of [/absolute path/, /only one of "user" or "uid" can be set/, /gid must be at least 0/]) {
    assert.match(errors.join('\n'), words)
  }
  const nothing = await auditResource(fileOwner, { destination: base })
  assert.match(nothing.message ?? '', /one of "user", "uid", "group" or "gid" must be set/)
})

test('a fix gives away the tree and nothing that a link leads to', { skip }, async () => {
  const { tree, outside } = plantTree()
  const { verdict } = await fixResource(fileOwner, { destination: tree, uid: 501, gid: 502, recursive: true })
  assert.equal(verdict, 'fixed')
  for (const path of [tree, join(tree, 'f'), join(tree, 'link')]) assert.deepEqual(idsOf(path), [501, 502])
  assert.deepEqual(idsOf(outside), [uid, gid])
})

test('a fix of the group alone leaves the owner', { skip }, async () => {
  const { tree } = plantTree()
  chownSync(tree, 501, 502)
  assert.equal((await fixResource(fileOwner, { destination: tree, gid: 503 })).verdict, 'fixed')
  assert.deepEqual(idsOf(tree), [501, 503])
  assert.deepEqual(idsOf(join(tree, 'a')), [uid, gid])
})

const scenes: readonly ContractScene[] = [
  {
    title: 'a tree of the right owner',
    state: 'compliant',
    arrange: (directory) => ({ destination: plantTree(directory).tree, uid, gid, recursive: true }),
  },
  {
    title: 'a tree of another user',
    state: 'fixable',
    auditOnly: uid !== 0,
    arrange: (directory) => ({ destination: plantTree(directory).tree, uid: uid + 1, gid: gid + 1, recursive: true }),
  },
  {
    title: 'an owner that does not exist',
    state: 'unfixable',
    arrange: (directory) => ({ destination: directory, user: 'no-such-user' }),
  },
  {
    title: 'nothing there',
    state: 'unfixable',
    arrange: (directory) => ({ destination: join(directory, 'none'), uid }),
  },
]

for (const { name, run } of contractTests(fileOwner, { scenes })) test(name, run)
