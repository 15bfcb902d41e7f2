import { expect, test } from 'vitest'
import { known, unknown } from '../../../src/model/observation.ts'
import { exportsOfPackage } from '../../../src/subjects/packages/index.ts'
import type { PackageContext, PackageStateObserved } from '../../../src/subjects/packages/model.ts'
import type { PackageInstance } from '../../../src/subjects/packages/packages.ts'

const desired = { name: 'libc6', ensure: 'present' }
const native: PackageInstance = {
  id: 'libc6:amd64',
  state: 'installed',
  version: '2.36-9',
  architecture: 'amd64',
  native: true,
  held: true,
}
const foreign: PackageInstance = { ...native, id: 'libc6:i386', version: '2.36-8', architecture: 'i386', native: false }
const context = { manager: 'apt', canChange: true } as const

type Observed = Parameters<typeof exportsOfPackage>[1]

function seen(state: PackageStateObserved): Observed {
  return { kind: 'present', state, context }
}

function gone(more: Partial<PackageContext> = {}): Observed {
  return { kind: 'absent', context: { ...context, ...more } }
}

test('the installation that counts is the one of the own architecture', () => {
  expect(exportsOfPackage(desired, seen({ instances: [foreign, native] }))).toEqual({
    installed: true,
    version: '2.36-9',
    versions: ['2.36-9'],
    architecture: 'amd64',
    held: true,
    candidate: undefined,
    manager: 'apt',
  })
})

test.each([
  { what: 'nothing', observed: gone() },
  { what: 'configuration alone', observed: seen({ instances: [{ ...native, state: 'config-files' }] }) },
  { what: 'half an installation', observed: seen({ instances: [{ ...native, state: 'unpacked' }] }) },
])('$what is not installed and has no version', ({ observed }) => {
  const { installed, version, versions } = exportsOfPackage(desired, observed)
  expect({ installed, version, versions }).toEqual({ installed: false, version: undefined, versions: [] })
})

test.each([
  { candidate: known({ version: '2.37-1', indexUpdated: undefined }), exported: '2.37-1' },
  { candidate: known({ version: null, indexUpdated: undefined }), exported: undefined },
  { candidate: unknown('command', 'apt-cache failed'), exported: undefined },
])('the candidate is the version of the index: $exported', ({ candidate, exported }) => {
  expect(exportsOfPackage(desired, gone({ candidate })).candidate).toBe(exported)
})
