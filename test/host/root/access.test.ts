import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { formatCapabilities } from '../../../src/host/capabilities.ts'
import { openAccessReader } from '../../../src/host/live/access/reader.ts'
import { rootedAccess } from '../../../src/host/root/access.ts'
import { openRootedTarget } from '../../../src/host/root/open-root.ts'
import { openRootPlace } from '../../../src/host/root/root-place.ts'
import type { AccessReader } from '../../../src/host/access.ts'
import { hasProgram } from '../../support/programs.ts'
import { needsRoot, temporaryDirectory } from '../../support/temporary.ts'

const TOOLS = ['setfacl', 'setcap', 'chattr']
const skipped = needsRoot ?? (TOOLS.every(hasProgram) ? undefined : `needs ${TOOLS.join(', ')}`)

let outside: string
let root: string

beforeEach(() => {
  outside = temporaryDirectory()
  root = join(outside, 'root')
  for (const at of [outside, root]) {
    mkdirSync(join(at, 'etc/deep'), { recursive: true })
    mkdirSync(join(at, 'usr/bin'), { recursive: true })
    for (const name of ['etc/file', 'usr/bin/ping']) writeFileSync(join(at, name), '', { mode: 0o755 })
  }
})

function open(): AccessReader {
  const opened = openRootedTarget(root)
  if (opened.kind === 'refused') throw new Error(opened.message)
  return opened.target.access
}

const run = (program: string, ...args: readonly string[]): string => execFileSync(program, args, { encoding: 'utf8' })

describe.skipIf(skipped)(`the access to files below a root (${skipped ?? 'as root'})`, () => {
  test('is what their own lists and capabilities say, whichever links lead to them', async () => {
    run('setfacl', '-m', 'u:4711:rwx', join(root, 'etc/file'))
    run('setfacl', '-d', '-m', 'u:4712:rx', join(root, 'etc/deep'))
    run('setcap', 'cap_net_raw=ep', join(root, 'usr/bin/ping'))
    run('setfacl', '-m', 'u:1:rwx', join(outside, 'etc/file'))
    run('setcap', 'cap_sys_admin=ep', join(outside, 'usr/bin/ping'))
    symlinkSync('/usr', join(root, 'absolute'))
    symlinkSync('../../../../../etc', join(root, 'usr/relative'))
    writeFileSync(join(root, 'etc/a\nb'), '')
    run('setfacl', '-m', 'u:4713:x', join(root, 'etc/a\nb'))
    const paths = ['/etc/file', '/usr/relative/file', '/etc/deep', '/absolute/bin/ping', '/usr/bin', '/etc/a\nb', '/']
    const [file, again, deep, ping, bin, strange, top] = (await open().beyondMode(paths)).map((read) => {
      if (read.kind === 'unknown') throw new Error(read.detail)
      return read.value
    })
    expect(file).toMatchObject({ acl: { named: [{ kind: 'user', id: 4711, bits: 7 }] }, capabilities: undefined })
    expect(again).toEqual(file)
    expect(deep).toMatchObject({ acl: undefined, defaultAcl: { named: [{ kind: 'user', id: 4712, bits: 5 }] } })
    expect(ping?.capabilities && formatCapabilities(ping.capabilities)).toBe('cap_net_raw=ep')
    expect(strange).toMatchObject({ acl: { named: [{ id: 4713 }] } })
    for (const none of [bin, top])
      expect(none).toEqual({ acl: undefined, defaultAcl: undefined, capabilities: undefined })
  })

  test('of a link is its own, and of what is not there or only a running system has, unknown', async () => {
    run('setfacl', '-m', 'u:4711:rwx', join(outside, 'etc/file'))
    symlinkSync(join(outside, 'etc/file'), join(root, 'etc/out'))
    mkdirSync(join(root, 'proc'))
    writeFileSync(join(root, 'proc/file'), '')
    const [out, gone, volatile] = await open().beyondMode(['/etc/out', '/etc/gone', '/proc/file'])
    expect(out).toMatchObject({ value: { acl: undefined } })
    expect([gone?.kind, volatile]).toEqual(['unknown', expect.objectContaining({ needs: 'running-system' })])
  })

  test('is asked for thousands of paths without holding them all', async () => {
    const paths = Array.from({ length: 1500 }, (_, index) => `/srv/${index}/file`)
    for (const path of paths) {
      mkdirSync(join(root, path, '..'), { recursive: true })
      writeFileSync(join(root, path), '')
    }
    run('setfacl', '-m', 'u:4711:rwx', join(root, '/srv/1499/file'))
    const before = readdirSync('/proc/self/fd').length
    const read = await open().beyondMode(paths)
    expect(
      read.flatMap((each, index) => (each.kind === 'known' && each.value.acl !== undefined ? [index] : [])),
    ).toEqual([1499])
    // The program that answers has two pipes.
    expect(readdirSync('/proc/self/fd').length).toBeLessThan(before + 10)
  })

  test('has the flags of inodes where their file system has any', async () => {
    const file = join(root, 'etc/file')
    try {
      run('chattr', '+i', file)
    } catch {
      return
    }
    onTestFinished(() => void run('chattr', '-i', file))
    const [kept, free] = await open().flags(['/etc/file', '/usr/bin/ping'])
    expect(kept).toEqual({ kind: 'known', value: { immutable: true, appendOnly: false } })
    expect(free).toEqual({ kind: 'known', value: { immutable: false, appendOnly: false } })
  })
})

describe.skipIf(needsRoot)('the way to a file below a root', () => {
  test('consists of the directories that others can change, inside the root', () => {
    mkdirSync(join(root, 'srv/theirs/deep'), { recursive: true })
    mkdirSync(join(root, 'srv/shared'))
    chownSync(join(root, 'srv/theirs'), 4711, 0)
    chmodSync(join(root, 'srv/shared'), 0o777)
    // What is around the root leads to nothing in it.
    chmodSync(outside, 0o777)
    symlinkSync('/srv/shared', join(root, 'srv/theirs/link'))
    const ways = (path: string, followed = false): unknown => {
      const way = open().wayTo(path, { followed })
      return way.kind === 'known' ? way.value.map((step) => [step.path, step.uid, step.mode]) : way
    }
    expect(ways('/etc/file')).toEqual([])
    expect(ways('/srv/theirs/deep/file')).toEqual([['/srv/theirs', 4711, 0o755]])
    expect(ways('/srv/theirs/link/file')).toEqual([
      ['/srv/theirs', 4711, 0o755],
      ['/srv/shared', 0, 0o777],
    ])
    expect(ways('/srv/theirs/link', true)).toEqual([['/srv/theirs', 4711, 0o755]])
    expect(ways('/run/x/y')).toMatchObject({ kind: 'unknown', needs: 'running-system' })
  })

  test('is that of this machine where the root is its own', () => {
    const ours = rootedAccess({ root: () => openRootPlace('/') })
    const theirs = openAccessReader()
    mkdirSync(join(outside, 'open'), { mode: 0o777 })
    chmodSync(join(outside, 'open'), 0o777)
    symlinkSync(join(outside, 'open'), join(outside, 'link'))
    const paths = [
      '/',
      '/etc/passwd',
      '/usr/bin/perl',
      '/bin/sh',
      '/tmp/x',
      '/var/tmp',
      '/etc/alternatives/awk',
      '/nowhere/x',
      join(outside, 'link/x'),
      join(outside, 'link'),
    ]
    for (const path of paths) {
      for (const followed of [false, true])
        expect(ours.wayTo(path, { followed }), path).toEqual(theirs.wayTo(path, { followed }))
    }
  })
})
