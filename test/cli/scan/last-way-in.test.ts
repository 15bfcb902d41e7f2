import { put } from '../../support/contract.ts'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ResourceResult, Run } from '../../../src/model/run.ts'
import { runInProcess } from '../../support/command-line.ts'
import { temporaryDirectory } from '../../support/temporary.ts'

const DAY = Math.floor(Date.now() / 86_400_000)
const HASH = '$6$abcdefgh$w0x9V0gA3n8vS1Q8xw3X3Zq1'

/** Administrators by name, with how many days ago each has changed the password; root has no password unless it is said. */
function machine(admins: Readonly<Record<string, number>>, root = '*'): string {
  const directory = temporaryDirectory()
  const names = Object.keys(admins)
  const files = {
    'etc/os-release': 'ID=debian\nVERSION_ID="12"\n',
    'etc/login.defs': 'UID_MIN 1000\n',
    'etc/shells': '/bin/bash\n',
    'usr/bin/true': '',
    'etc/passwd': [
      'root:x:0:0::/root:/bin/bash',
      ...names.map((name, index) => `${name}:x:${1000 + index}:100::/home/${name}:/bin/bash`),
      '',
    ].join('\n'),
    'etc/group': `root:x:0:\nsudo:x:27:${names.join(',')}\nusers:x:100:\n`,
    'etc/gshadow': `root:*::\nsudo:*::${names.join(',')}\nusers:*::\n`,
    'etc/shadow': [
      `root:${root}:${DAY}:0:99999:7:::`,
      ...Object.entries(admins).map(([name, age]) => `${name}:${HASH}:${DAY - age}:0:99999:7:::`),
      '',
    ].join('\n'),
  }
  put(directory, files)
  return directory
}

async function audit(root: string, ...resources: readonly object[]): Promise<readonly ResourceResult[]> {
  const policy = join(temporaryDirectory(), 'site.json')
  writeFileSync(policy, JSON.stringify({ policy: { id: 'site' }, ccm: { resources } }))
  const { stdout, stderr } = await runInProcess('scan', policy, '--target', `root:${root}`, '--report', 'json')
  expect(stderr).toBe('')
  return (JSON.parse(stdout) as Run).policies.flatMap((each) => each.resources)
}

const REFUSED = {
  change: 'cannot',
  changeReason: expect.stringContaining('could lock out root, an administrator or the current user') as string,
}
const EXPIRING = {
  change: 'cannot',
  changeReason: expect.stringContaining('would expire the password at once') as string,
}
const RISKY = { change: 'will', risk: 'an administrator can no longer log in or become root' }
const HARMLESS = { change: 'will' }

const AGES = { accounts: { name: 'ages', who: 'people', max_days: { at_most: 365 } } }
const AGES_OF_ADA = { user: { name: 'ada', max_days: 365 } }
const CHANGES = [
  { what: 'a nologin shell', resource: { user: { name: 'ada', shell: '/usr/sbin/nologin' } } },
  { what: 'a lock', resource: { user: { name: 'ada', password: 'locked' } } },
  { what: 'an end in the past', resource: { user: { name: 'ada', expires: '2020-01-01' } } },
  { what: 'groups without sudo', resource: { user: { name: 'ada', groups: [] } } },
  { what: 'a group without its members', resource: { group: { name: 'sudo', members: { excludes: ['ada'] } } } },
] as const

test.each(CHANGES)('the only administrator is not shut out by $what', async ({ resource }) => {
  const [result] = await audit(machine({ ada: 500 }), resource)
  expect(result).toMatchObject(REFUSED)
})

test.each(CHANGES)('one of two administrators is shut out by $what only at a risk', async ({ resource }) => {
  const [result] = await audit(machine({ ada: 500, bob: 1 }), resource)
  expect(result).toMatchObject(RISKY)
})

test.each([
  { what: 'one', admins: { ada: 500 } },
  { what: 'one of two', admins: { ada: 500, bob: 1 } },
])('the old password of $what is not expired by a fix of ages', async ({ admins }) => {
  const root = machine(admins, HASH)
  expect(await audit(root, AGES, AGES_OF_ADA)).toMatchObject([EXPIRING, EXPIRING])
  expect(readFileSync(join(root, 'etc/shadow'), 'utf8')).toContain(`ada:${HASH}:${DAY - 500}:0:99999:`)
})

test('a rule that expires no current password is no risk', async () => {
  const [result] = await audit(machine({ ada: 10 }), AGES)
  expect(result).toMatchObject(HARMLESS)
  expect(result).not.toHaveProperty('risk')
})

test('an account that has ended already is no way in', async () => {
  const root = machine({ ada: 500, bob: 1 })
  const shadow = readFileSync(join(root, 'etc/shadow'), 'utf8')
  writeFileSync(join(root, 'etc/shadow'), shadow.replace(/^(bob:.*):::$/m, '$1::1:'))
  const [result] = await audit(root, { user: { name: 'ada', password: 'locked' } })
  expect(result).toMatchObject(REFUSED)
})
