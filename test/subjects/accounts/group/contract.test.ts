import { test } from 'vitest'
import { group } from '../../../../src/subjects/accounts/group/index.ts'
import { type ContractScene, contractTests } from '../../../../src/testing/index.ts'
import { ACCOUNT_FILES, accountHands, accountMachine, whyNoAccountTools } from '../../../support/account-root.ts'
import { put } from '../../../support/contract.ts'

function scene(title: string, state: ContractScene['state'], properties: object): ContractScene {
  return {
    title,
    state,
    arrange(directory) {
      put(directory, ACCOUNT_FILES)
      return { name: 'staff', ...properties }
    },
    target: accountMachine,
    remediator: accountHands,
  }
}

const scenes: readonly ContractScene[] = [
  scene('everything as wanted', 'compliant', { gid: 50, members: ['ann'], primary_of: [] }),
  scene('a group that must be absent', 'compliant', { name: 'bin', ensure: 'absent' }),
  scene('a group that may be missing', 'compliant', { name: 'bin', if_absent: 'compliant' }),
  scene('a missing group that must exist', 'unfixable', { name: 'bin', if_absent: 'drift' }),
  scene('an existing group that must be absent', 'unfixable', { ensure: 'absent' }),
  scene('a new group', 'fixable', { name: 'new', gid: 500, members: ['ann'] }),
  scene('no members', 'fixable', { members: [] }),
  scene('others in it', 'fixable', { members: { includes: ['daemon'], excludes: ['ann'] } }),
  scene('another number', 'unfixable', { gid: { at_least: 100 } }),
  scene('a primary group', 'unfixable', { name: 'people', primary_of: [] }),
]

for (const { name, run } of contractTests(group, { scenes })) test.skipIf(whyNoAccountTools)(name, run)
