import { put } from '../../support/contract.ts'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ResourceResult, Run } from '../../../src/model/run.ts'
import { ACCOUNT_FILES } from '../../support/account-root.ts'
import { runInProcess } from '../../support/command-line.ts'
import { temporaryDirectory } from '../../support/temporary.ts'

/** The directories belong to the user of the tests, which is no matter here. */
const FILE = { ensure: 'present', content: 'x', owner: 'root', group: 'root', mode: '0640', access: 'any' }

/** A system below a directory, and a policy about it. */
function site(resources: readonly object[]): { readonly root: string; readonly policy: string } {
  const root = temporaryDirectory()
  const files = { 'etc/os-release': 'ID=debian\nVERSION_ID="12"\n', 'usr/bin/true': '', ...ACCOUNT_FILES }
  put(root, files)
  const policy = join(temporaryDirectory(), 'site.json')
  writeFileSync(policy, JSON.stringify({ policy: { id: 'site' }, ccm: { resources } }))
  return { root, policy }
}

async function changesOf(resources: readonly object[]): Promise<Readonly<Record<string, ResourceResult>>> {
  const { root, policy } = site(resources)
  const { stdout } = await runInProcess('scan', policy, '--target', `root:${root}`, '--report', 'json')
  const run = JSON.parse(stdout) as Run
  return Object.fromEntries(run.policies.flatMap(({ resources: all }) => all).map((result) => [result.id, result]))
}

test('an owner, group or entry of a list that an earlier resource makes is no obstacle', async () => {
  const found = await changesOf([
    { user: { name: 'webx', create_home: false } },
    { group: { name: 'web2' } },
    { file: { name: '/etc/owned', ...FILE, owner: 'webx' } },
    { file: { name: '/etc/grouped', ...FILE, group: 'web2' } },
    { file: { name: '/etc/private', ...FILE, group: 'webx' } },
    { file: { name: '/etc/either', ...FILE, owner: { one_of: ['nobody-such', 'webx'] } } },
    { file: { name: '/etc/listed', ...FILE, acl: ['user:webx:r--'] } },
    { user: { name: 'ann', group: 'web2' } },
    {
      archive: { name: '/etc/a.tar', ensure: 'present', url: 'http://127.0.0.1:1/a.tar', owner: 'webx', group: 'web2' },
    },
  ])
  expect(found['file#/etc/owned']).toMatchObject({
    change: 'may',
    changeReason: 'user "webx" does not exist, which an earlier fix provides',
  })
  const others = ['file#/etc/grouped', 'file#/etc/private', 'file#/etc/either', 'file#/etc/listed', 'user#ann']
  expect(others.map((id) => `${id} ${found[id]?.change}`)).toEqual(others.map((id) => `${id} may`))
  expect(found['archive#/etc/a.tar']?.changeReason).toBe(
    'user "webx" does not exist; group "web2" does not exist, which an earlier fix provides',
  )
})

test('an account or group that no earlier resource creates stays an obstacle', async () => {
  const found = await changesOf([
    { user: { name: 'webx', group: 'people', if_absent: 'drift' } },
    { group: { name: 'old', ensure: 'absent' } },
    { file: { name: '/etc/owned', ...FILE, owner: 'webx' } },
    { file: { name: '/etc/grouped', ...FILE, group: 'old' } },
    { file: { name: '/etc/later', ...FILE, group: 'web2' } },
    { group: { name: 'web2' } },
  ])
  for (const id of ['file#/etc/owned', 'file#/etc/grouped', 'file#/etc/later']) {
    expect(found[id]).toMatchObject({ change: 'cannot', changeReason: expect.stringContaining('does not exist') })
  }
})

test('--max-changes counts changes that depend on an earlier one', async () => {
  const { root, policy } = site([
    { user: { name: 'webx', create_home: false } },
    { file: { name: '/etc/owned', ...FILE, owner: 'webx' } },
  ])
  const scan = ['scan', policy, '--target', `root:${root}`, '--fix', '--max-changes', '1', '--report', 'json']
  const { code, stdout } = await runInProcess(...scan)
  expect(code).toBe(4)
  expect((JSON.parse(stdout) as Run).exit.reasons[0]).toBe(
    '2 resources would be changed, more than --max-changes 1: nothing was changed',
  )
})
