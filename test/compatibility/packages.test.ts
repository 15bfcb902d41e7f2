import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ResourceResult } from '../../src/index.ts'
import type { PackagePlaces } from '../../src/subjects/packages/subject.ts'
import { packageMachine } from '../subjects/packages/scene.ts'
import { createAptRoot, needsApt } from '../support/apt-root.ts'
import { createDnfRoot, needsRpm } from '../support/dnf-root.ts'
import { needsRoot, temporaryDirectory } from '../support/temporary.ts'
import { oneResource, problemsOf, resultOf, scanWith } from './support.ts'

async function audit(packages: PackagePlaces, name: string, ensure: string): Promise<ResourceResult> {
  const text = oneResource('package', name, { ensure })
  return resultOf(await scanWith(temporaryDirectory(), text, { target: packageMachine(packages) }))
}

/** A machine whose dpkg database has these packages beside dpkg itself, and whose apt knows no others. */
function debianWith(...packages: readonly (readonly [name: string, fields: string])[]): PackagePlaces {
  const databaseDirectory = temporaryDirectory()
  mkdirSync(join(databaseDirectory, 'updates'))
  const all = [['dpkg', 'Status: install ok installed\nArchitecture: amd64\nVersion: 1.21'] as const, ...packages]
  writeFileSync(
    join(databaseDirectory, 'status'),
    all.map(([name, fields]) => `Package: ${name}\n${fields}\n\n`).join(''),
  )
  const configuration = join(databaseDirectory, 'apt.conf')
  writeFileSync(configuration, `Dir "${databaseDirectory}";\nDir::State::status "${databaseDirectory}/status";\n`)
  return { apt: { databaseDirectory, environment: { APT_CONFIG: configuration } }, dnf: { databaseDirectories: [] } }
}

function installed(version: string, architecture = 'amd64'): string {
  return `Status: install ok installed\nArchitecture: ${architecture}\nVersion: ${version}`
}

test.skipIf(needsApt ?? needsRoot)('latest is drift only if the index has a newer version', async () => {
  const root = createAptRoot()
  root.publish({ name: 'tool', version: '1.0-1' })
  root.run('apt-get', 'install', '-y', 'tool')
  const machine = { apt: root.options }
  expect((await audit(machine, 'tool', 'latest')).verdict).toBe('compliant')
  root.publish({ name: 'tool', version: '1.0-2' })
  expect(await audit(machine, 'tool', 'latest')).toMatchObject({
    verdict: 'drifted',
    drift: [{ property: 'ensure', desired: '1.0-2', observed: '1.0-1' }],
    actions: ['Would have upgraded to latest'],
  })
})

test('an installation is announced without a version if none is named', async () => {
  expect((await audit(debianWith(), 'nginx', 'present')).actions).toEqual(['Would have installed'])
})

// Pairs in which CCM's order is another one.
test.each([
  ['1.0', '1.00', undefined],
  ['1.0', '1.0-0', undefined],
  ['1.09', '1.9', undefined],
  ['1.0-1ubuntu1', '1.0-1+deb12u1', 'Would have upgraded to 1.0-1+deb12u1'],
  ['1.0a', '1.0+', 'Would have upgraded to 1.0+'],
])('Debian versions are ordered like dpkg orders them: %s installed, %s wanted', async (version, wanted, action) => {
  const { verdict, actions } = await audit(debianWith(['tool', installed(version)]), 'tool', wanted)
  expect(actions).toEqual(action === undefined ? [] : [action])
  expect(verdict).toBe(action === undefined ? 'compliant' : 'drifted')
})

test.skipIf(needsRpm ?? needsRoot)('an rpm version may have epoch and release', async () => {
  const root = createDnfRoot()
  root.build({ name: 'tool', epoch: '1', version: '1.2', release: '3.el9' })
  root.install()
  const machine = { apt: { databaseDirectory: temporaryDirectory() }, dnf: root.options }
  for (const version of ['1.2', '1.2-3.el9', '1:1.2', '1:1.2-3.el9']) {
    expect((await audit(machine, 'tool', version)).verdict, version).toBe('compliant')
  }
  for (const version of ['1.2-2.el9', '2:1.2']) {
    expect((await audit(machine, 'tool', version)).verdict, version).toBe('drifted')
  }
})

test('no name or version of a package can be an option', async () => {
  const directory = temporaryDirectory()
  const names = oneResource('package', '-y', { ensure: 'present' })
  expect(await problemsOf(directory, names)).toEqual([
    expect.stringContaining('package name must begin with a letter or digit: "-y"'),
  ])
  const versions = oneResource('package', 'nginx', { ensure: '-1.0' })
  expect(await problemsOf(directory, versions)).toEqual([
    expect.stringContaining('package version must begin with a letter or digit: "-1.0"'),
  ])
})

test.each(['half-installed', 'unpacked', 'half-configured', 'triggers-pending'])(
  'a partly installed package is neither present nor absent: %s',
  async (state) => {
    const machine = debianWith(['telnetd', `Status: install ok ${state}\nArchitecture: amd64\nVersion: 1`])
    for (const ensure of ['present', 'absent']) {
      expect(await audit(machine, 'telnetd', ensure)).toMatchObject({
        verdict: 'drifted',
        drift: [{ desired: ensure, observed: state }],
      })
    }
  },
)

test('a damaged package database is an error', async () => {
  const machine = debianWith(['telnetd', 'Status: install ok'])
  expect(await audit(machine, 'telnetd', 'absent')).toMatchObject({ verdict: 'error', reason: 'not-observable' })
})

test('a package may be installed several times', async () => {
  const machine = debianWith(['libc6', installed('2.36-9')], ['libc6', installed('2.36-8', 'i386')])
  expect((await audit(machine, 'libc6', '2.36-9')).verdict).toBe('compliant')
  expect((await audit(machine, 'libc6:i386', '2.36-8')).verdict).toBe('compliant')
  expect((await audit(machine, 'libc6', 'absent')).drift).toMatchObject([{ observed: '2.36-9, 2.36-8' }])
})

test('the name of a package is case-sensitive', async () => {
  const machine = debianWith(['bash', installed('5.2')])
  expect((await audit(machine, 'bash', 'present')).verdict).toBe('compliant')
  expect(await audit(machine, 'Bash', 'present')).toMatchObject({ verdict: 'error', reason: 'invalid' })
})
