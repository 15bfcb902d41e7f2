import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, chownSync, lstatSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { accounts } from '../../../../src/subjects/accounts/all/index.ts'
import { auditResource, type ContractScene, contractTests, fixResource } from '../../../../src/testing/index.ts'
import { ACCOUNT_FILES, accountHands, accountMachine, whyNoAccountTools } from '../../../support/account-root.ts'
import { put } from '../../../support/contract.ts'
import { hasProgram } from '../../../support/programs.ts'
import { temporaryDirectory } from '../../../support/temporary.ts'

function scene(title: string, state: ContractScene['state'], properties: object, files: object = {}): ContractScene {
  return {
    title,
    state,
    arrange(directory) {
      put(directory, { ...ACCOUNT_FILES, ...files })
      return { name: 'a rule', ...properties }
    },
    target: accountMachine,
    remediator: accountHands,
  }
}

const PASSWD = ACCOUNT_FILES['etc/passwd'] ?? ''

const scenes: readonly ContractScene[] = [
  scene('everything as wanted', 'compliant', {
    unique: ['name'],
    primary_group_exists: true,
    shadowed: true,
    password: { not: 'empty' },
    password_hash: { one_of: ['sha512', 'yescrypt'] },
    warn_days: { at_most: 7 },
  }),
  scene('groups', 'compliant', { of: 'groups', unique: ['name', 'gid'], only: ['root'], where_gid: 0 }),
  scene('one more with uid 0, in a record', 'unfixable', { where_uid: 0, only: ['root'] }),
  scene(
    'one more with uid 0, written otherwise',
    'unfixable',
    { only: ['root', 'eve'], where_uid: 0 },
    {
      'etc/passwd': `${PASSWD}toor:x:00:0\n`,
    },
  ),
  scene(
    'an empty password in passwd',
    'unfixable',
    { password: { not: 'empty' } },
    {
      'etc/passwd': `${PASSWD}toor::1001:0\n`,
    },
  ),
  scene('ages', 'fixable', { min_days: { at_least: 1 }, where_uid: { at_least: 1 }, warn_days: 14 }),
  scene('a group twice', 'unfixable', { of: 'groups', unique: ['gid'] }, { 'etc/group': 'a:x:5:\nb:x:05:\n' }),
  scene(
    'no home',
    'unfixable',
    { who: 'people', home_exists: true, except: ['eve'] },
    {
      'etc/passwd': `${PASSWD}bob:x:1001:100::/nonexistent/bob:/bin/sh\n`,
    },
  ),
]

for (const { name, run } of contractTests(accounts, { scenes })) test.skipIf(whyNoAccountTools)(name, run)

/** Ann alone, with the home that `make` makes. */
function machineWithHome(make: (directory: string) => string): { readonly directory: string; readonly home: string } {
  const directory = temporaryDirectory()
  const home = make(directory)
  put(directory, { ...ACCOUNT_FILES, 'etc/passwd': `ann:x:1000:100::${home}:/bin/sh\n` })
  chmodSync(home, 0o755)
  chownSync(home, 1000, 100)
  return { directory, home }
}

function homeIn(directory: string): string {
  mkdirSync(join(directory, 'ann'))
  return join(directory, 'ann')
}

/** A fix changes homes below /home alone, so this one is made there for the time of a test. */
function realHome(): string {
  const home = mkdtempSync('/home/driftgate-test-')
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  return home
}

test.skipIf(whyNoAccountTools)('homes and what lies in them', async () => {
  const { directory, home } = machineWithHome(homeIn)
  put(home, { '.rhosts': '', '.profile': '', visible: '' })
  chownSync(join(home, '.profile'), 1000, 100)
  chmodSync(join(home, '.profile'), 0o666)
  symlinkSync('/etc/passwd', join(home, '.link'))
  const look = async (properties: object): Promise<unknown> => {
    const options = { workingDirectory: directory, target: accountMachine(directory) }
    const { verdict, drift } = await auditResource(accounts, { name: 'x', who: 'people', ...properties }, options)
    return [verdict, drift.map(({ property, path, observed }) => [property, path, observed])]
  }
  expect(await look({ home_exists: true, home_owner: 'self', home_group: 'primary' })).toEqual(['compliant', []])
  expect(await look({ home_mode: { at_most: '0750' } })).toEqual(['drifted', [['home_mode', 'ann', '0755']]])
  expect(await look({ home_excludes: ['.rhosts', '.netrc'] })).toEqual([
    'drifted',
    [['home_excludes', 'ann', '.rhosts']],
  ])
  expect(await look({ dot_files_owner: 'self' })).toEqual([
    'drifted',
    [
      ['dot_files_owner', 'ann ~/.link', 0],
      ['dot_files_owner', 'ann ~/.rhosts', 0],
    ],
  ])
  expect(await look({ dot_files_mode: { at_most: '0744' } })).toEqual([
    'drifted',
    [['dot_files_mode', 'ann ~/.profile', '0666']],
  ])
  expect(await look({ dot_files: ['visible'], dot_files_mode: { at_most: '0600' } })).toEqual([
    'drifted',
    [['dot_files_mode', 'ann ~/visible', '0644']],
  ])
})

test.skipIf(whyNoAccountTools)('a home that is not below /home is left to a person', async () => {
  const { directory, home } = machineWithHome(homeIn)
  const options = {
    workingDirectory: directory,
    target: accountMachine(directory),
    remediator: accountHands(directory),
  }
  const result = await fixResource(accounts, { name: 'x', home_mode: { at_most: '0750' } }, options)
  expect(result).toMatchObject({ verdict: 'fix-failed' })
  expect(JSON.stringify(result)).toContain('is not below /home')
  expect(lstatSync(home).mode & 0o7777).toBe(0o755)
})

test.skipIf(whyNoAccountTools)('a fix takes rights away, and gives a home to its account', async () => {
  const { directory, home } = machineWithHome(realHome)
  chownSync(home, 0, 0)
  put(home, { '.profile': '', '.foreign': '' })
  chownSync(join(home, '.profile'), 1000, 100)
  const options = {
    workingDirectory: directory,
    target: accountMachine(directory),
    remediator: accountHands(directory),
  }
  const wanted = { name: 'x', who: 'people', home_owner: 'self', home_mode: { at_most: '0750' } }
  expect(await fixResource(accounts, { ...wanted, dot_files_mode: { at_most: '0600' } }, options)).toMatchObject({
    verdict: 'fixed',
  })
  expect(lstatSync(home)).toMatchObject({ uid: 1000, gid: 0, mode: 0o40750 })
  expect(lstatSync(join(home, '.profile')).mode & 0o7777).toBe(0o600)
  expect(await fixResource(accounts, { ...wanted, dot_files_owner: 'self' }, options)).toMatchObject({
    verdict: 'fix-failed',
  })
})

test.skipIf(whyNoAccountTools ?? (hasProgram('setfacl') ? undefined : 'needs the tools of acl'))(
  'lists that let others into a home and read what lies in it are taken away',
  async () => {
    const { directory, home } = machineWithHome(realHome)
    put(home, { '.profile': 'x' })
    chownSync(join(home, '.profile'), 1000, 100)
    execFileSync('setfacl', ['-m', 'u:nobody:rx,g:100:rx', home])
    execFileSync('setfacl', ['-m', 'u:nobody:r', join(home, '.profile')])
    chmodSync(home, 0o750)
    chmodSync(join(home, '.profile'), 0o640)
    const options = {
      workingDirectory: directory,
      target: accountMachine(directory),
      remediator: accountHands(directory),
    }
    const wanted = { name: 'x', who: 'people', home_mode: { at_most: '0750' }, dot_files_mode: { at_most: '0640' } }
    const seen = await auditResource(accounts, wanted, options)
    expect(seen.drift.map(({ property, path, observed }) => [property, path, observed])).toEqual([
      ['access', 'ann', 'user nobody may read, enter (ACL)'],
      ['access', 'ann ~/.profile', 'user nobody may read (ACL)'],
    ])
    expect(await fixResource(accounts, wanted, options)).toMatchObject({ verdict: 'fixed' })
    const cat = spawnSync('cat', [join(home, '.profile')], { uid: 65_534, gid: 65_534 })
    expect(cat.status).not.toBe(0)
    expect(lstatSync(home).mode & 0o7777).toBe(0o750)
  },
)
