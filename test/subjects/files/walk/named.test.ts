import { chmodSync, chownSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { known } from '../../../../src/model/observation.ts'
import { decideFiles, type FilesDesired } from '../../../../src/subjects/files/walk/decide.ts'
import { observeFiles } from '../../../../src/subjects/files/walk/observe.ts'
import { put } from '../../../support/contract.ts'
import { machineIn } from '../../../support/setting-machine.ts'
import { needsRoot, temporaryDirectory } from '../../../support/temporary.ts'
import { runAsNobody } from '../../../support/unprivileged.ts'

async function judged(directory: string, wanted: Partial<FilesDesired>): Promise<unknown> {
  const machine = machineIn(directory)
  const inside = {
    ...machine,
    access: {
      ...machine.access,
      beyondMode: (paths: readonly string[]) => machine.access.beyondMode(paths),
      wayTo: (path: string, how?: { readonly followed: boolean }) => machine.access.wayTo(join(directory, path), how),
    },
    files: {
      ...machine.files,
      realPath: (path: string) => {
        const real = machine.files.realPath(path)
        return real.kind === 'known' && real.value !== null ? known(real.value.slice(directory.length)) : real
      },
    },
  }
  const whole = { name: '/', file_systems: 'own', timeout: 1000, if_absent: 'compliant', ...wanted } as const
  const seen = await observeFiles(inside, whole, { signal: new AbortController().signal })
  if (seen.kind === 'unknown') return seen.detail
  const { drift, unknown, messages } = decideFiles(whole, seen)
  const found = drift.map(({ property, path, observed }) => [property, path ?? '-', observed])
  return [...found, ...unknown.map(({ detail }) => detail), ...(messages ?? [])]
}

test('a named path is observed through links, once, and a missing path is reported', async () => {
  const directory = temporaryDirectory()
  const lines = ['/var/log/a', '/var/log/link', '/var/log/none', '/var/log/dangling', '/var/log'].map(
    (path) => `*.* ${path}`,
  )
  put(directory, { 'etc/rsyslog.conf': lines.join('\n'), 'var/log/a': '', 'var/log/unnamed': '' })
  chmodSync(join(directory, 'var/log/a'), 0o644)
  chmodSync(join(directory, 'var/log/unnamed'), 0o666)
  symlinkSync('a', join(directory, 'var/log/link'))
  symlinkSync('nowhere', join(directory, 'var/log/dangling'))
  const wanted = { named_by: 'rsyslog', kinds: ['file'], mode: { at_most: '0640' } } as const
  const found = [['mode', 'var/log/a', '0644'], '1 of 1 entry that the configuration of rsyslog names']
  expect(await judged(directory, wanted)).toEqual([...found, 'missing: /var/log/none, /var/log/dangling'])
  chmodSync(join(directory, 'var/log/a'), 0o600)
  expect(await judged(directory, wanted)).toEqual(['missing: /var/log/none, /var/log/dangling'])
  put(directory, { 'etc/rsyslog.conf': '*.* /var/log/a\n*.* ?made' })
  expect(await judged(directory, wanted)).toEqual(['/etc/rsyslog.conf: the template made generates the file names'])
})

test.skipIf(needsRoot)(
  'a writable directory in the PATH of root, a path that is no directory, and empty elements',
  async () => {
    const directory = temporaryDirectory()
    put(directory, { 'bin/sh': 'dash', 'bin/bash': '', 'etc/profile': 'PATH=/open:/file::/fine\n', file: '' })
    for (const [name, mode] of [
      ['open', 0o777],
      ['fine', 0o755],
    ] as const) {
      mkdirSync(join(directory, name))
      chmodSync(join(directory, name), mode)
    }
    chmodSync(join(directory, 'file'), 0o755)
    const wanted = { named_by: 'root_path', kind: 'directory', mode: { at_most: '0755' }, owner: 'root' } as const
    expect(await judged(directory, wanted)).toEqual([
      ['named', '-', 'an empty one'],
      ['mode', 'open', '0777'],
      ['kind', 'file', 'file'],
      '2 of 3 entries that the PATH of root names',
    ])
    chownSync(join(directory, 'fine'), 1, 0)
    expect(await judged(directory, wanted)).toContainEqual(['owner', 'fine', 'daemon'])
  },
)

test('a log that a link leads to', async () => {
  const directory = temporaryDirectory()
  put(directory, { 'srv/a.log': '', 'srv/other.log': '', 'var/log/b.log': '' })
  for (const path of ['srv/a.log', 'srv/other.log', 'var/log/b.log']) chmodSync(join(directory, path), 0o666)
  symlinkSync('../../srv/a.log', join(directory, 'var/log/a.log'))
  symlinkSync('b.log', join(directory, 'var/log/c.log'))
  expect(await judged(directory, { named_by: 'log_links', kinds: ['file'], mode: { at_most: '0640' } })).toEqual([
    ['mode', 'srv/a.log', '0666'],
    '1 of 1 entry that a link in /var/log names',
  ])
})

test('the TLS key of dockerd, with any name', async () => {
  const directory = temporaryDirectory()
  put(directory, { 'etc/docker/daemon.json': '{"tlskey": "\\u002fsrv/d.pem"}', 'srv/d.pem': '', 'srv/other.pem': '' })
  for (const name of ['d.pem', 'other.pem']) chmodSync(join(directory, 'srv', name), 0o644)
  const wanted = { named_by: 'docker_key', kinds: ['file'], mode: { at_most: '0600' } } as const
  expect(await judged(directory, wanted)).toEqual([
    ['mode', 'srv/d.pem', '0644'],
    '1 of 1 entry that the configuration of dockerd names',
  ])
  put(directory, { 'etc/docker/daemon.json': '{"tlskey": ' })
  expect(await judged(directory, wanted)).toBe('/etc/docker/daemon.json: invalid JSON')
})

test.skipIf(needsRoot)('without permission to read the PATH of root the reason is reported', async () => {
  const directory = temporaryDirectory()
  put(directory, { 'bin/sh': 'dash', 'bin/bash': '', 'etc/profile': 'PATH=/fine\n', 'fine/a': '' })
  chmodSync(join(directory, 'etc/profile'), 0o600)
  const seen = await runAsNobody(
    `
    import { observeFiles } from './src/subjects/files/walk/observe.ts'
    import { machineIn } from './test/support/setting-machine.ts'
    const [directory] = process.argv.slice(2)
    const wanted = { name: '/', named_by: 'root_path', kind: 'directory', file_systems: 'own', timeout: 1000 }
    const { signal } = new AbortController()
    console.log(JSON.stringify(await observeFiles(machineIn(directory), wanted, { signal })))`,
    [directory],
  )
  const detail = expect.stringContaining('etc/profile: permission denied')
  expect(seen).toHaveProperty('state.unread', expect.arrayContaining([expect.objectContaining({ detail })]))
})

test('without the program no path is named', async () => {
  expect(await judged(temporaryDirectory(), { named_by: 'auditd', mode: '0640' })).toEqual([
    'the configuration of auditd does not exist, so it names no files',
  ])
})

test.skipIf(needsRoot)('a named path counts with every directory above it', async () => {
  const directory = temporaryDirectory()
  put(directory, { 'etc/docker/daemon.json': '{"tlskey": "/srv/keys/d.pem"}', 'srv/keys/d.pem': '' })
  chmodSync(join(directory, 'srv/keys/d.pem'), 0o600)
  const wanted = { named_by: 'docker_key', kinds: ['file'], mode: { at_most: '0600' }, owner: 'root' } as const
  const ways = async (): Promise<unknown> => judged(directory, wanted)
  expect(await ways()).toEqual([])
  chmodSync(join(directory, 'srv/keys'), 0o777)
  const open = `${join(directory, 'srv/keys')} is world-writable`
  expect(await ways()).toEqual([
    ['access', 'srv/keys/d.pem', open],
    '1 of 1 entry that the configuration of dockerd names',
  ])
  chmodSync(join(directory, 'srv/keys'), 0o1777)
  expect(await ways()).toEqual([])
  chownSync(join(directory, 'srv'), 1, 0)
  expect(await ways()).toContainEqual(['access', 'srv/keys/d.pem', `${join(directory, 'srv')} is owned by daemon`])
  expect(await judged(directory, { ...wanted, access: 'any' })).toEqual([])
})
