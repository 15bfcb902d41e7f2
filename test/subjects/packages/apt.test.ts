import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createAptRoot, needsApt } from '../../support/apt-root.ts'
import { endWithTest } from '../../support/end-with-test.ts'
import { needsRoot, temporaryDirectory } from '../../support/temporary.ts'
import { audit, brief, fix, type Machine } from './scene.ts'
import { createPackageManagers } from '../../../src/subjects/packages/subject.ts'

const skipped = needsApt ?? needsRoot

/** No rpm anywhere. */
const NO_RPM = { databaseDirectories: [] } as const

describe.skipIf(skipped)(`apt in a directory of its own (${skipped ?? 'as root'})`, () => {
  test('installs, upgrades, downgrades and removes, and sees it', async () => {
    const root = createAptRoot()
    root.publish({ name: 'tool', version: '1.0-1' }, { name: 'tool', version: '1.2-1' })
    const machine: Machine = { apt: root.options, dnf: NO_RPM }
    const steps = [
      ['1.0-1', 'fixed absent -> 1.0-1', '1.0-1 installed'],
      ['present', 'compliant', '1.0-1 installed'],
      ['latest', 'fixed 1.0-1 -> 1.2-1', '1.2-1 installed'],
      ['1.0-1', 'fixed 1.2-1 -> 1.0-1', '1.0-1 installed'],
      ['1.2-1', 'fixed 1.0-1 -> 1.2-1', '1.2-1 installed'],
      ['latest', 'compliant', '1.2-1 installed'],
      ['absent', 'fixed 1.2-1 -> absent', ''],
      ['latest', 'fixed absent -> latest', '1.2-1 installed'],
    ] as const
    for (const [ensure, result, state] of steps) {
      const [fixed] = await fix(machine, { tool: ensure })
      expect(fixed && brief(fixed), fixed?.message).toBe(result)
      expect(root.query('tool')).toBe(state)
    }
    expect(readFileSync(join(root.directory, 'usr/share/tool/version-all'), 'utf8')).toBe('1.2-1')
  })

  test('brings a package to a version that is accepted, leaves it there, and asks the index only where it has to', async () => {
    const root = createAptRoot()
    root.publish({ name: 'tool', version: '1.0-1' }, { name: 'tool', version: '1.2-1' })
    const machine: Machine = { apt: root.options, dnf: NO_RPM }
    const steps = [
      [{ one_of: ['1.0-1', '1.2-1'] }, 'fixed absent -> one of 1.0-1 or 1.2-1', '1.0-1'],
      [{ at_least: '1.0' }, 'compliant', '1.0-1'],
      [{ at_least: '1.1' }, 'fixed 1.0-1 -> at least 1.1', '1.2-1'],
      [{ not: '1.0-1' }, 'compliant', '1.2-1'],
      [{ at_most: '1.1' }, 'fix-failed 1.2-1 -> at most 1.1', '1.2-1'],
      [{ at_most: '1.1', fix: '1.0-1' }, 'fixed 1.2-1 -> at most 1.1', '1.0-1'],
    ] as const
    for (const [ensure, result, version] of steps) {
      const [fixed] = await fix(machine, { tool: ensure })
      expect(fixed && brief(fixed), fixed?.message).toBe(result)
      expect(root.query('tool')).toBe(`${version} installed`)
    }
    const blind: Machine = { apt: { ...root.options, searchPath: temporaryDirectory() }, dnf: NO_RPM }
    const [accepted, refused] = await audit(blind, { tool: { at_most: '1.1' }, 'tool:amd64': { at_least: '1.1' } })
    expect(accepted?.verdict).toBe('compliant')
    expect(refused).toMatchObject({ verdict: 'drifted', change: 'cannot', changeReason: 'apt-cache is not installed' })
  })

  test('an audit changes nothing and asks the index once for all packages', async () => {
    const root = createAptRoot()
    root.publish(
      { name: 'tool', version: '1' },
      { name: 'other', version: '2:3' },
      { name: 'wine', version: '4', architecture: 'i386' },
    )
    root.run('apt-get', 'install', '-y', 'tool')
    root.publish({ name: 'tool', version: '2' })
    const calls = join(temporaryDirectory(), 'calls')
    const programs = temporaryDirectory()
    writeFileSync(join(programs, 'apt-cache'), `#!/bin/sh\necho "$*" >> ${calls}\nexec /usr/bin/apt-cache "$@"\n`, {
      mode: 0o755,
    })
    const before = root.run('find', root.directory, '-printf', '%p %s %T@ %C@\n')
    const options = { ...root.options, searchPath: `${programs}:/usr/sbin:/usr/bin:/sbin:/bin` }
    const results = await audit(
      { apt: options, dnf: NO_RPM },
      {
        tool: 'latest',
        other: 'latest',
        'wine:i386': 'latest',
        'tool:amd64': 'latest',
        'nothing.here': 'latest',
        dpkg: 'latest',
      },
    )
    expect(results.map(brief)).toEqual([
      'drifted 1 -> 2',
      'drifted absent -> latest',
      'drifted absent -> latest',
      'drifted 1 -> 2',
      'drifted absent -> latest',
      'compliant',
    ])
    expect(results.map(({ change }) => change)).toEqual(['will', 'will', 'will', 'will', 'cannot', undefined])
    expect(readFileSync(calls, 'utf8').trim().split('\n')).toHaveLength(1)
    expect(root.run('find', root.directory, '-printf', '%p %s %T@ %C@\n')).toBe(before)
  })

  test('says when the index was updated', async () => {
    const root = createAptRoot()
    root.publish({ name: 'tool', version: '1' })
    const lists = root.options.listsDirectory ?? ''
    const time = new Date('2026-03-01T12:30:00Z')
    utimesSync(join(lists, 'partial'), time, time)
    utimesSync(lists, new Date(0), new Date(0))
    const [result] = await audit({ apt: root.options, dnf: NO_RPM }, { tool: 'latest' })
    expect(result?.drift[0]?.note).toBe('the package index, last updated 2026-03-01T12:30:00Z, offers 1')
  })

  test('removes every architecture of an unwanted package', async () => {
    const root = createAptRoot()
    const fields = 'Multi-Arch: same\n'
    root.publish(
      { name: 'lib', version: '1', architecture: 'amd64', fields },
      { name: 'lib', version: '1', architecture: 'i386', fields },
    )
    const machine: Machine = { apt: root.options, dnf: NO_RPM }
    expect((await fix(machine, { lib: 'present', 'lib:i386': 'present' })).map(brief)).toEqual([
      'fixed absent -> present',
      'fixed absent -> present',
    ])
    expect((await audit(machine, { lib: '1', 'lib:i386': '1', 'lib:amd64': '1' })).map(brief)).toEqual(
      Array(3).fill('compliant'),
    )
    expect((await fix(machine, { lib: 'absent' })).map(brief)).toEqual(['fixed 1 -> absent'])
    expect((await audit(machine, { lib: 'absent', 'lib:i386': 'absent' })).map(brief)).toEqual([
      'compliant',
      'compliant',
    ])
  })

  test('a package that dpkg failed to configure is half-configured, and a fix that fails again has the reason', async () => {
    const root = createAptRoot()
    root.publish({ name: 'broken', version: '1', postinst: '#!/bin/sh\necho no luck today >&2\nexit 3\n' })
    const machine: Machine = { apt: root.options, dnf: NO_RPM }
    const [first] = await fix(machine, { broken: 'present' })
    expect(first).toMatchObject({ verdict: 'fix-failed', remaining: [{ observed: 'half-configured' }] })
    expect(first?.message).toMatch(/apt-get exited with code 100: [^]*no luck today/)
    expect(root.query('broken')).toBe('1 half-configured')
    expect((await audit(machine, { broken: 'present' })).map(brief)).toEqual(['drifted half-configured -> present'])
    expect((await fix(machine, { broken: 'absent' })).map(brief)).toEqual(['fixed half-configured -> absent'])
  })

  test('a removed package whose configuration is left counts as absent and is said so', async () => {
    const root = createAptRoot()
    root.publish({ name: 'daemon', version: '1', postinst: '#!/bin/sh\nexit 0\n' })
    root.run('apt-get', 'install', '-y', 'daemon')
    // What dpkg writes when configuration files stay behind.
    const status = join(root.directory, 'var/lib/dpkg/status')
    writeFileSync(
      status,
      readFileSync(status, 'utf8').replace(
        'Package: daemon\nStatus: install ok installed',
        'Package: daemon\nStatus: deinstall ok config-files',
      ),
    )
    const machine: Machine = { apt: root.options, dnf: NO_RPM }
    const [result] = await audit(machine, { daemon: 'absent' })
    expect(result).toMatchObject({ verdict: 'compliant', ensure: { desired: 'absent', observed: 'config-files' } })
    expect((await audit(machine, { daemon: 'present' })).map(brief)).toEqual(['drifted config-files -> present'])
  })

  test('a name that is not in the index is neither a pattern nor an order to remove', async () => {
    const root = createAptRoot()
    root.publish({ name: 'python3x1', version: '1' }, { name: 'tool', version: '1' })
    root.run('apt-get', 'install', '-y', 'tool')
    const machine: Machine = { apt: root.options, dnf: NO_RPM }
    const results = await fix(machine, { 'python3.1': 'present', 'tool-': 'present', 'tool+': 'present' })
    expect(results.map(({ verdict }) => verdict)).toEqual(Array(3).fill('fix-failed'))
    expect(results[0]?.message).toContain('the package index does not contain python3.1')
    expect(root.query('python3x1')).toBe('')
    expect(root.query('tool')).toBe('1 installed')
  })

  test('a version that is not offered fails with the message of apt', async () => {
    const root = createAptRoot()
    root.publish({ name: 'tool', version: '1' })
    const [result] = await fix({ apt: root.options, dnf: NO_RPM }, { tool: '9' })
    expect(result?.verdict).toBe('fix-failed')
    expect(result?.message).toContain("Version '9' for 'tool' was not found")
  })

  test('a package on hold cannot be changed', async () => {
    const root = createAptRoot()
    root.publish({ name: 'tool', version: '1' })
    root.run('apt-get', 'install', '-y', 'tool')
    root.run('apt-mark', 'hold', 'tool')
    const machine: Machine = { apt: root.options, dnf: NO_RPM }
    const [result] = await audit(machine, { tool: 'absent' })
    expect(result).toMatchObject({ verdict: 'drifted', change: 'cannot' })
    expect((await fix(machine, { tool: 'absent' })).map(brief)).toEqual(['fix-failed 1 -> absent'])
    expect(root.query('tool')).toBe('1 installed')
  })

  test('no configuration file that was changed is overwritten', async () => {
    const root = createAptRoot()
    const conffile = (version: string) => ({ name: 'daemon', version, conffile: `from ${version}\n` })
    root.publish(conffile('1'))
    const machine: Machine = { apt: root.options, dnf: NO_RPM }
    await fix(machine, { daemon: '1' })
    writeFileSync(join(root.directory, 'etc/daemon.conf'), 'mine\n')
    root.publish(conffile('2'))
    expect((await fix(machine, { daemon: 'latest' })).map(brief)).toEqual(['fixed 1 -> 2'])
    expect(readFileSync(join(root.directory, 'etc/daemon.conf'), 'utf8')).toBe('mine\n')
  })

  test('waits for another program that has the database locked, and gives up at its limit', async () => {
    const root = createAptRoot()
    root.publish({ name: 'tool', version: '1' })
    const lock = join(root.directory, 'var/lib/dpkg/lock-frontend')
    const holder = holdLock(lock)
    await holder.isLocked
    const waits: string[] = []
    const patience = { pauseMs: 50, onWait: (message: string) => waits.push(message) }
    const machine: Machine = { apt: root.options, dnf: NO_RPM }
    const [refused] = await fix({ ...machine, ...patience, limitMs: 300 }, { tool: 'present' })
    expect(refused?.verdict).toBe('fix-failed')
    expect(refused?.message).toMatch(/held the lock of the package database for 0.3 seconds: [^]*lock-frontend/)
    expect(waits).toHaveLength(1)
    const release = { onWait: () => holder.release() }
    const [fixed] = await fix({ ...machine, ...patience, ...release, limitMs: 60_000 }, { tool: 'present' })
    expect(fixed?.verdict).toBe('fixed')
  })

  test('without permission to change packages a fix fails at once', async () => {
    const root = createAptRoot()
    root.publish({ name: 'tool', version: '1' })
    process.seteuid?.(65_534)
    onTestFinished(() => process.seteuid?.(0))
    const [refused] = await fix({ apt: root.options, dnf: NO_RPM }, { tool: 'present' })
    expect(refused?.verdict).toBe('fix-failed')
    expect(refused?.message).toMatch(/^apt-get exited with code 100: [^]*are you root\?/)
  })

  test('nothing is begun once the run is interrupted', async () => {
    const root = createAptRoot()
    root.publish({ name: 'tool', version: '1' })
    const packages = createPackageManagers({ apt: root.options }, {})
    const outcome = await packages.apt.install({ name: 'tool', signal: AbortSignal.abort() })
    expect(outcome).toEqual({ kind: 'failed', message: 'apt-get was not run: the run was interrupted' })
    expect(root.query('tool')).toBe('')
  })
})

describe('unreadable packages', () => {
  function database(status: string): Machine {
    const databaseDirectory = temporaryDirectory()
    mkdirSync(join(databaseDirectory, 'updates'))
    writeFileSync(join(databaseDirectory, 'status'), status)
    return { apt: { databaseDirectory, searchPath: temporaryDirectory() }, dnf: NO_RPM }
  }

  const SOUND = 'Package: dpkg\nStatus: install ok installed\nArchitecture: amd64\nVersion: 1\n\n'

  test('a damaged database is an error for every desired state', async () => {
    const wanted = { aa: 'absent', bb: 'present', cc: 'latest', dd: '1.0' }
    const results = await audit(database(`${SOUND}Pack`), wanted)
    expect(results.map(({ verdict, reason }) => [verdict, reason])).toEqual(Array(4).fill(['error', 'not-observable']))
    expect(results[0]?.message).toMatch(/the package database is damaged/)
  })

  test('a database that was cut between two packages is an error, above all where a package must be absent', async () => {
    const machine = database(SOUND)
    const info = join(machine.apt?.databaseDirectory ?? '', 'info')
    mkdirSync(info)
    writeFileSync(join(info, 'dpkg.list'), '/.\n')
    expect(await audit(machine, { libc6: 'absent' })).toMatchObject([{ verdict: 'compliant' }])
    writeFileSync(join(info, 'libc6:amd64.list'), '/.\n')
    for (const ensure of ['absent', 'present', 'latest']) {
      expect(await audit(machine, { libc6: ensure })).toMatchObject([{ verdict: 'error', reason: 'not-observable' }])
    }
  })

  test('an invalid Debian name is an error, with any installed packages', async () => {
    const machine = database(`${SOUND}${SOUND.replace('dpkg', 'bash')}`)
    const results = await audit(machine, { bash: 'present', Bash: 'present', BASH: 'absent', ba_sh: 'absent' })
    expect(results.map(({ verdict, reason }) => reason ?? verdict)).toEqual([
      'compliant',
      'invalid',
      'invalid',
      'invalid',
    ])
    expect(results[1]?.message).toContain('did you mean "bash"?')
  })

  test('without an index an installed package is an error, a missing one is drift', async () => {
    const results = await audit(database(SOUND), { dpkg: 'latest', tool: 'latest' })
    expect(results[0]).toMatchObject({ verdict: 'error', reason: 'not-observable' })
    expect(results[0]?.message).toBe('ensure: apt-cache is not installed')
    expect(results[1]).toMatchObject({ verdict: 'drifted', change: 'cannot', changeReason: 'apt-get is not installed' })
  })

  test('an index that breaks is an error', async () => {
    const machine = database(SOUND)
    const program = join(machine.apt?.searchPath ?? '', 'apt-cache')
    writeFileSync(program, '#!/bin/sh\necho "E: The package cache file is corrupted" >&2\nexit 100\n')
    chmodSync(program, 0o755)
    const [failed] = await audit(machine, { dpkg: 'latest' })
    expect(failed?.message).toBe('ensure: apt-cache exited with code 100: E: The package cache file is corrupted')
    writeFileSync(program, '#!/bin/sh\necho "E: Some index files failed" >&2\n')
    const [complained] = await audit(machine, { dpkg: 'latest' })
    expect(complained?.message).toBe('ensure: apt-cache: E: Some index files failed')
  })

  test('no package manager means that no provider works', async () => {
    const nowhere: Machine = { apt: { databaseDirectory: temporaryDirectory() }, dnf: NO_RPM }
    const [any] = await audit(nowhere, { bash: 'absent' })
    expect(any).toMatchObject({ verdict: 'error', reason: 'no-provider' })
    expect(any?.message).toBe(
      'no usable provider of type package on this machine; apt needs the package database of dpkg; dnf needs rpm and its package database',
    )
    const [named] = await audit(database(SOUND), { bash: 'absent' }, 'dnf')
    expect(named?.message).toBe('provider dnf cannot be used on this machine; dnf needs rpm and its package database')
  })
})

/** Holds the kind of lock that apt takes, from a process of its own, because a process never stands in its own way. */
function holdLock(path: string): { readonly isLocked: Promise<unknown>; readonly release: () => void } {
  const program =
    'import fcntl, sys; f = open(sys.argv[1], "w"); fcntl.lockf(f, fcntl.LOCK_EX); print("locked", flush=True); sys.stdin.read()'
  const child = spawn('python3', ['-c', program, path], { stdio: ['pipe', 'pipe', 'inherit'] })
  endWithTest(child)
  return { isLocked: once(child.stdout, 'data'), release: () => child.stdin.end() }
}
