import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { user } from '../../../../src/subjects/accounts/user/index.ts'
import { type ContractScene, contractTests } from '../../../../src/testing/index.ts'
import { ACCOUNT_FILES, accountHands, accountMachine, whyNoAccountTools } from '../../../support/account-root.ts'
import { put } from '../../../support/contract.ts'
import { needsRoot, temporaryDirectory } from '../../../support/temporary.ts'
import { runAsNobody } from '../../../support/unprivileged.ts'

function scene(title: string, state: ContractScene['state'], properties: object, files: object = {}): ContractScene {
  return {
    title,
    state,
    arrange(directory) {
      put(directory, { ...ACCOUNT_FILES, ...files })
      return { name: 'ann', ...properties }
    },
    target: accountMachine,
    remediator: accountHands,
  }
}

const scenes: readonly ContractScene[] = [
  scene('everything as wanted', 'compliant', {
    uid: { at_least: 1000 },
    group: 'people',
    groups: { includes: ['staff'], excludes: ['sudo'] },
    home: '/home/ann',
    shell: { one_of: ['/bin/sh', '/bin/bash'] },
    password: 'set',
    password_hash: { one_of: ['yescrypt', 'sha512'] },
    min_days: 0,
    max_days: { at_most: 365 },
    warn_days: { at_least: 7 },
    age_days: { at_least: 0 },
    expires: 'never',
  }),
  scene('an account that must be absent', 'compliant', { name: 'bob', ensure: 'absent' }),
  scene('an account that may be missing', 'compliant', { name: 'bob', if_absent: 'compliant', max_days: 1 }),
  scene('a missing account that must exist', 'unfixable', { name: 'bob', if_absent: 'drift' }),
  scene('an existing account that must be absent', 'unfixable', { ensure: 'absent' }),
  scene('a new account', 'fixable', { name: 'bob', uid: 1234, shell: '/bin/sh', groups: ['staff'], max_days: 90 }),
  scene('fields of passwd', 'fixable', { shell: '/usr/sbin/nologin', comment: 'Ann B', home: '/srv/ann', group: '50' }),
  scene('groups', 'fixable', { groups: ['sudo'] }),
  scene('ages', 'fixable', { min_days: { at_least: 1 }, warn_days: { at_least: 14 }, expires: '2099-01-31' }),
  scene('ages that would lock the account', 'unfixable', { inactive_days: { at_most: 30 } }),
  scene('an open password', 'fixable', { password: 'locked' }),
  scene('a uid', 'unfixable', { uid: 1234 }),
  scene('a hash', 'unfixable', { password_hash: 'yescrypt' }),
  scene('an account of systemd', 'unfixable', { name: 'eve', uid: { not: 0 } }),
]

for (const { name, run } of contractTests(user, { scenes })) test.skipIf(whyNoAccountTools)(name, run)

test.skipIf(needsRoot)('values of shadow are unknown without permission to read it', async () => {
  const directory = temporaryDirectory()
  put(directory, ACCOUNT_FILES)
  chmodSync(join(directory, 'etc/shadow'), 0o600)
  const seen = await runAsNobody(
    `import { observeUser } from './src/subjects/accounts/user/observe.ts'
     import { openLocalAccounts } from './src/subjects/accounts/live/open-accounts.ts'
     import { createLocalProbe } from './src/host/live/probe.ts'
     const accounts = openLocalAccounts({ probe: createLocalProbe(), root: process.argv[2] })
     console.log(JSON.stringify(observeUser({ open: () => accounts, files: {} }, { name: 'ann' })))`,
    [directory],
  )
  expect(seen).toMatchObject({
    kind: 'present',
    state: { account: { shell: '/bin/sh', secret: { kind: 'unknown', reason: 'permission-denied' } } },
  })
})
