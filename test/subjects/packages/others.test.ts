import { describe, expect, test } from 'vitest'
import { runPolicies } from '../../../src/engine/run.ts'
import type { ResourceResult } from '../../../src/index.ts'
import { packageType } from '../../../src/subjects/packages/index.ts'
import { type AptRoot, createAptRoot, needsApt } from '../../support/apt-root.ts'
import { createDnfRoot, type DnfRoot, needsDnf } from '../../support/dnf-root.ts'
import { declare, policyOf } from '../../support/policy.ts'
import { needsRoot, temporaryDirectory } from '../../support/temporary.ts'
import { type Machine, packageHands, packageMachine } from './scene.ts'

const skipped = needsApt ?? needsRoot

type Resources = Readonly<Record<string, Readonly<Record<string, unknown>>>>

function scan(
  root: AptRoot,
  resources: Resources,
  how: { readonly fix?: boolean; readonly allowRemovals?: boolean } = {},
): Promise<Readonly<Record<string, ResourceResult>>> {
  return scanMachine({ apt: root.options, dnf: { databaseDirectories: [] } }, 'apt', resources, how)
}

async function scanMachine(
  machine: Machine,
  provider: 'apt' | 'dnf',
  resources: Resources,
  { fix = false, allowRemovals = false } = {},
): Promise<Readonly<Record<string, ResourceResult>>> {
  const policy = policyOf(
    Object.entries(resources).map(([name, properties]) =>
      declare(`package#${name}`, { properties: { name, ...properties }, provider }),
    ),
  )
  const run = await runPolicies([policy], {
    target: packageMachine(machine),
    types: [packageType],
    allowRemovals,
    ...(fix && { remediator: packageHands(machine) }),
  })
  return Object.fromEntries(run.policies.flatMap((each) => each.resources).map((result) => [result.name, result]))
}

/** As Debian has it: one mail server, one time service, and what these need. */
function machine(): AptRoot {
  const root = createAptRoot()
  root.publish(
    { name: 'old-time', version: '1.0-1', fields: 'Provides: time-daemon\nConflicts: time-daemon\n' },
    {
      name: 'new-time',
      version: '2.0-1',
      fields: 'Provides: time-daemon\nConflicts: time-daemon\nDepends: lib, mail\n',
    },
    { name: 'lib', version: '1.0-1' },
    { name: 'lib', version: '1.5-1' },
    { name: 'mail', version: '4.0-1' },
    { name: 'reader', version: '1.0-1', fields: 'Depends: mail\n' },
  )
  root.run('apt-get', 'install', '-y', 'old-time', 'lib=1.0-1')
  return root
}

const NEW = { 'new-time': { ensure: 'present' } }
const REFUSED =
  "it would remove old-time, which no resource names: allow it with --allow-removals, or with 'allow_removals: true' in the policy"

describe.skipIf(skipped)(`packages changed together with another one (${skipped ?? 'as root'})`, () => {
  test('an audit lists all packages to install and remove, and a fix refuses unnamed removals', async () => {
    const root = machine()
    const { 'new-time': result } = await scan(root, NEW)
    expect(result).toMatchObject({ verdict: 'drifted', change: 'cannot', changeReason: REFUSED })
    expect(result?.effect).toEqual([
      { kind: 'install', object: 'the package' },
      { kind: 'remove', object: 'old-time', alongside: true },
      { kind: 'install', object: 'mail 4.0-1', alongside: true },
    ])
  })

  test('a fix that would remove a package does not start', async () => {
    const root = machine()
    const { 'new-time': result } = await scan(root, NEW, { fix: true })
    expect(result).toMatchObject({ verdict: 'fix-failed', message: REFUSED })
    expect([root.query('old-time'), root.query('new-time'), root.query('mail')]).toEqual(['1.0-1 installed', '', ''])
  })

  const consents: readonly (readonly [string, Resources, boolean])[] = [
    ['the operator', NEW, true],
    ['the policy', { 'new-time': { ensure: 'present', allow_removals: true } }, false],
    ['a resource that names it', { ...NEW, 'old-time': { ensure: 'absent' } }, false],
  ]
  test.each(consents)('%s may allow it', async (_who, resources, allowRemovals) => {
    const root = machine()
    const { 'new-time': result } = await scan(root, resources, { allowRemovals, fix: true })
    expect(result?.verdict, result?.message).toBe('fixed')
    expect([root.query('new-time'), root.query('old-time')]).toEqual(['2.0-1 installed', ''])
  })

  test('a dependent package that would be removed is reported, and stays without consent', async () => {
    const root = machine()
    root.run('apt-get', 'install', '-y', 'reader')
    const { mail } = await scan(root, { mail: { ensure: 'absent' } }, { fix: true })
    expect(mail).toMatchObject({ verdict: 'fix-failed', message: REFUSED.replace('old-time', 'reader') })
    const { mail: allowed } = await scan(root, { mail: { ensure: 'absent' } }, { fix: true, allowRemovals: true })
    expect(allowed?.verdict).toBe('fixed')
    expect([root.query('mail'), root.query('reader')]).toEqual(['', ''])
  })

  test('upgrades and downgrades of others are said', async () => {
    const root = machine()
    root.publish(
      { name: 'wants-new', version: '1.0-1', fields: 'Depends: lib (>= 1.5)\n' },
      { name: 'old-reader', version: '1.0-1', fields: 'Depends: lib (<< 1.5)\n' },
    )
    const { 'wants-new': upgrading } = await scan(root, { 'wants-new': { ensure: 'present' } }, { fix: true })
    expect(upgrading).toMatchObject({
      verdict: 'fixed',
      effect: [
        { kind: 'install', object: 'the package' },
        { kind: 'upgrade', object: 'lib 1.5-1', alongside: true },
      ],
    })
  })

  test('a package that a later one of the policy removes is undone by it', async () => {
    const root = machine()
    const resources = { 'old-time': { ensure: 'present' }, ...NEW }
    const { 'old-time': old, 'new-time': other } = await scan(root, resources, { fix: true })
    expect(other?.verdict).toBe('fixed')
    expect(old).toMatchObject({ verdict: 'fix-failed', message: 'undone by package#new-time: ensure drifted again' })
  })
})

const withoutDnf = needsDnf ?? needsRoot

/** A time service that another one obsoletes, what that needs, and a reader that needs the mail server. */
function dnfMachine(): DnfRoot {
  const root = createDnfRoot()
  root.build({ name: 'old-time', version: '1.0' }, { name: 'lib', version: '1.0' }, { name: 'mail', version: '3.0' })
  root.build({ name: 'reader', version: '1.0', fields: ['Requires: mail'] })
  root.install()
  root.build(
    { name: 'new-time', version: '2.0', fields: ['Requires: lib >= 1.5', 'Requires: data', 'Obsoletes: old-time'] },
    { name: 'lib', version: '1.5' },
    { name: 'data', version: '4.0' },
  )
  root.publish()
  return root
}

describe.skipIf(withoutDnf)(`packages changed together with one of dnf (${withoutDnf ?? 'as root'})`, () => {
  const scanDnf = (
    root: DnfRoot,
    resources: Resources,
    how: { readonly fix?: boolean; readonly allowRemovals?: boolean } = {},
  ): ReturnType<typeof scanMachine> =>
    scanMachine({ apt: { databaseDirectory: temporaryDirectory() }, dnf: root.options }, 'dnf', resources, how)

  test('is said before, and nothing is removed that no resource names', async () => {
    const root = dnfMachine()
    const { 'new-time': audited } = await scanDnf(root, NEW)
    expect(audited).toMatchObject({ verdict: 'drifted', change: 'cannot', changeReason: REFUSED })
    expect(new Set(audited?.effect)).toEqual(
      new Set([
        { kind: 'install', object: 'the package' },
        { kind: 'remove', object: 'old-time', alongside: true },
        { kind: 'install', object: 'data 4.0-1', alongside: true },
        { kind: 'upgrade', object: 'lib 1.5-1', alongside: true },
      ]),
    )
    const { 'new-time': refused } = await scanDnf(root, NEW, { fix: true })
    expect(refused).toMatchObject({ verdict: 'fix-failed', message: REFUSED })
    expect(root.rpm('-q', 'old-time')).toContain('old-time-1.0')
    const { 'new-time': fixed } = await scanDnf(root, NEW, { fix: true, allowRemovals: true })
    expect(fixed).toMatchObject({ verdict: 'fixed' })
    expect(root.rpm('-qa').split('\n').filter(Boolean).toSorted()).toEqual([
      'data-4.0-1.noarch',
      'lib-1.5-1.noarch',
      'mail-3.0-1.noarch',
      'new-time-2.0-1.noarch',
      'reader-1.0-1.noarch',
    ])
  })

  test('goes with one that it needs', async () => {
    const root = dnfMachine()
    const { mail } = await scanDnf(root, { mail: { ensure: 'absent' } }, { fix: true })
    expect(mail).toMatchObject({ verdict: 'fix-failed', message: expect.stringContaining('it would remove reader') })
    expect(root.rpm('-q', 'reader')).toContain('reader-1.0')
  })
})
