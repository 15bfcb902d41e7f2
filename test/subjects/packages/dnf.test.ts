import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createDnfRoot, type DnfRoot, needsDnf, needsRpm } from '../../support/dnf-root.ts'
import { needsRoot, temporaryDirectory } from '../../support/temporary.ts'
import { audit, brief, fix, type Machine } from './scene.ts'

/** A machine without dpkg. */
function machineOf(root: DnfRoot): Machine {
  return { apt: { databaseDirectory: temporaryDirectory() }, dnf: root.options }
}

const withoutRpm = needsRpm ?? needsRoot
const withoutDnf = needsDnf ?? needsRoot

describe.skipIf(withoutRpm)(`rpm in a directory of its own (${withoutRpm ?? 'as root'})`, () => {
  test('compares names, versions and architectures with one read of the database', async () => {
    const root = createDnfRoot()
    root.build(
      { name: 'tool', version: '1.2', release: '3.el9', epoch: '2' },
      { name: 'kernel', version: '5', release: '1' },
      { name: 'kernel', version: '6', release: '1' },
      { name: 'python3.11', version: '3.11.2' },
      { name: 'glibc', version: '2.34', architecture: 'i686' },
      { name: 'glibc', version: '2.34', architecture: 'x86_64' },
    )
    root.install()
    const results = await audit(machineOf(root), {
      tool: '1.2',
      kernel: '5-1',
      'python3.11': 'present',
      'glibc.i686': '2.34-1',
      'glibc:i686': 'present',
      'glibc.ppc64le': 'absent',
      nothing: 'absent',
      Tool: 'absent',
    })
    expect(results.map(brief)).toEqual(Array(8).fill('compliant'))
    expect(results.every(({ provider }) => provider === 'dnf')).toBe(true)
    const drifts = await audit(machineOf(root), {
      tool: '1:1.2-3.el9',
      kernel: '7-1',
      glibc: 'absent',
      'python3.11': '3.11.10',
      nothing: 'present',
    })
    expect(drifts.map(brief)).toEqual([
      'drifted 2:1.2-3.el9 -> 1:1.2-3.el9',
      expect.stringMatching(/^drifted (5-1, 6-1|6-1, 5-1) -> 7-1$/),
      'drifted 2.34-1 -> absent',
      'drifted 3.11.2-1 -> 3.11.10',
      'drifted absent -> present',
    ])
  })

  test('a damaged database is an error, never absent', async () => {
    const root = createDnfRoot()
    root.build({ name: 'tool', version: '1' })
    root.install()
    for (const directory of root.options.databaseDirectories ?? []) {
      mkdirSync(directory, { recursive: true })
      for (const file of ['rpmdb.sqlite', 'Packages', 'Packages.db']) writeFileSync(join(directory, file), 'garbage')
    }
    const [result] = await audit(machineOf(root), { tool: 'absent' })
    expect(result).toMatchObject({ verdict: 'error', reason: 'not-observable' })
  })

  test('an empty database is an error, never absent', async () => {
    const root = createDnfRoot()
    root.rpm('--initdb')
    const [result] = await audit(machineOf(root), { tool: 'absent' })
    expect(result).toMatchObject({ verdict: 'error', reason: 'not-observable' })
    expect(result?.message).toBe('rpm: its database contains no packages')
  })
})

describe.skipIf(withoutDnf)(`dnf in a directory of its own (${withoutDnf ?? 'as root'})`, () => {
  test('installs, upgrades, downgrades and removes, and sees it', async () => {
    const root = createDnfRoot()
    root.build(
      { name: 'base', version: '1' },
      { name: 'tool', version: '1.0', epoch: '1' },
      { name: 'tool', version: '1.2', release: '3', epoch: '1' },
    )
    root.publish()
    // Nothing works on a machine that has no package at all.
    root.rpm('-i', join(root.directory, '../repository/base-1-1.noarch.rpm'))
    const machine = machineOf(root)
    const steps = [
      ['1.0', 'fixed absent -> 1.0'],
      ['present', 'compliant'],
      ['latest', 'fixed 1:1.0-1 -> 1:1.2-3'],
      ['latest', 'compliant'],
      ['1:1.0-1', 'fixed 1:1.2-3 -> 1:1.0-1'],
      ['1.2-3', 'fixed 1:1.0-1 -> 1.2-3'],
      ['absent', 'fixed 1:1.2-3 -> absent'],
      ['latest', 'fixed absent -> latest'],
    ] as const
    for (const [ensure, expected] of steps) {
      const [fixed] = await fix(machine, { tool: ensure })
      expect(fixed && brief(fixed), fixed?.message).toBe(expected)
    }
    expect(root.rpm('-q', '--queryformat', '%{EPOCH}:%{VERSION}-%{RELEASE}', 'tool')).toBe('1:1.2-3')
  })

  test('one version more of a package that is installed side by side', async () => {
    const root = createDnfRoot()
    root.build({ name: 'kernel', version: '5' }, { name: 'kernel', version: '6' }, { name: 'kernel', version: '4' })
    root.publish()
    for (const version of ['5', '6'])
      root.rpm('-i', join(root.directory, `../repository/kernel-${version}-1.noarch.rpm`))
    const machine = machineOf(root)
    expect((await audit(machine, { kernel: 'latest' })).map(brief)).toEqual(['compliant'])
    const [fixed] = await fix(machine, { kernel: '4-1' })
    expect(fixed?.verdict, fixed?.message).toBe('fixed')
    expect(root.rpm('-qa').trim().split('\n')).toHaveLength(3)
    const [removed] = await fix(machine, { kernel: 'absent' })
    // The last package is gone, and an empty database proves nothing.
    expect(removed?.message).toContain('could not be verified')
  })

  test('waits for another dnf, and gives up at its limit', async () => {
    const root = createDnfRoot()
    root.build({ name: 'tool', version: '1' })
    root.install()
    root.publish()
    // dnf takes the process with this id for another dnf that is at work.
    const lock = join(root.directory, 'var/cache/dnf/metadata_lock.pid')
    writeFileSync(lock, String(process.pid))
    const waits: string[] = []
    const patience = { pauseMs: 50, limitMs: 2000, onWait: (message: string) => waits.push(message) }
    const [refused] = await fix({ ...machineOf(root), ...patience }, { tool: 'absent' })
    expect(refused?.message).toMatch(
      new RegExp(`held the lock of the package database for 2 seconds: [^]*locked by ${process.pid}`),
    )
    expect(waits).toHaveLength(1)
    const release = { onWait: () => rmSync(lock), limitMs: 60_000 }
    const [removed] = await fix({ ...machineOf(root), ...patience, ...release }, { tool: 'absent' })
    // The only package is gone, and an empty database proves nothing.
    expect(removed?.message).toContain('could not be verified: rpm: its database contains no packages')
  })

  test('latest reports the offered version and the age of the metadata', async () => {
    const root = createDnfRoot()
    root.build({ name: 'tool', version: '1' })
    root.install()
    root.build({ name: 'tool', version: '2' })
    root.publish()
    const [tool, nothing] = await audit(machineOf(root), { tool: 'latest', nothing: 'latest' })
    expect(tool && brief(tool)).toBe('drifted 1-1 -> 2-1')
    expect(tool?.drift[0]?.note).toMatch(/^the package index, last updated \d{4}-\d\d-\d\dT[\d:]{8}Z, offers 2-1$/)
    expect(nothing).toMatchObject({ verdict: 'drifted', change: 'cannot' })
  })

  test('without repositories that were fetched latest is an error', async () => {
    const root = createDnfRoot()
    root.build({ name: 'tool', version: '1' })
    root.install()
    const [result] = await audit(machineOf(root), { tool: 'latest' })
    expect(result).toMatchObject({ verdict: 'error', reason: 'not-observable' })
  })

  test('a package missing from all repositories fails with the message of dnf', async () => {
    const root = createDnfRoot()
    root.build({ name: 'tool', version: '1' })
    root.install()
    root.publish()
    const [result] = await fix(machineOf(root), { nothing: '9' })
    expect(result?.verdict).toBe('fix-failed')
    expect(result?.message).toMatch(/^dnf exited with code 1: [^]*nothing-9/)
  })
})
