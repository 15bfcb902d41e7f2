import { chmodSync, chownSync, cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { DRIFTGATE, ownFile, start, temporaryDirectory, UNPRIVILEGED, writePolicy } from '../support/driftgate.ts'
import { dockerFiles, savedTar } from '../support/image.ts'
import { needsStrace } from '../support/programs.ts'

// Everything that can change a file system. Opening is judged by its flags.
const CHANGING =
  'chmod fchmod fchmodat fchmodat2 chown fchown lchown fchownat rename renameat renameat2 unlink unlinkat mkdir mkdirat ' +
  'rmdir link linkat symlink symlinkat mknod mknodat truncate ftruncate utime utimes utimensat futimesat setxattr ' +
  'lsetxattr fsetxattr removexattr lremovexattr fremovexattr mount'
const OPENING = 'open openat openat2 creat'

const WRITE_FLAGS = /O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|O_APPEND|O_TMPFILE|^creat/

interface Trace {
  readonly code: number | null
  /** Calls that change or may change something, as strace writes them. */
  readonly changes: readonly string[]
  readonly opens: readonly string[]
  readonly programs: readonly string[]
}

async function trace(cwd: string, args: readonly string[], uid?: number): Promise<Trace> {
  const out = join(temporaryDirectory(uid), 'trace')
  const calls = `trace=${`${CHANGING} ${OPENING} execve execveat`
    .split(' ')
    .map((name) => `?${name}`)
    .join(',')}`
  // `-y` writes the path beside every descriptor.
  const strace = ['-f', '-q', '-y', '-s', '4096', '-o', out, '-e', calls, process.execPath, DRIFTGATE, ...args]
  const env = { TMPDIR: cwd }
  const { code } = await start('strace', strace, { cwd, env, ...(uid === undefined ? {} : { uid }) }).outcome
  const lines = readFileSync(out, 'utf8')
    .split('\n')
    .map((line) => line.replace(/^\d+ +/, ''))
    .filter((line) => /^\w+\(/.test(line))
  const opens = lines.filter((line) => OPENING.split(' ').includes(line.slice(0, line.indexOf('('))))
  const programs = lines.filter((line) => line.startsWith('execve'))
  const others = lines.filter((line) => !programs.includes(line) && !line.includes('"/dev/null"'))
  return { code, opens, programs, changes: others.filter((line) => !opens.includes(line) || WRITE_FLAGS.test(line)) }
}

/** A directory with every kind of thing a file resource can meet, and a policy that wants each to be different. */
function makeMachine(uid: number | undefined): string {
  const root = temporaryDirectory(uid)
  const at = (name: string): string => join(root, name)
  writeFileSync(at('content'), 'found\n')
  writeFileSync(at('mode'), '')
  chmodSync(at('mode'), 0o600)
  writeFileSync(at('large'), Buffer.alloc(3_000_000))
  writeFileSync(at('wanted'), Buffer.alloc(3_000_000, 1))
  mkdirSync(at('full/inner'), { recursive: true })
  symlinkSync('nothing', at('dangling'))
  writeFileSync(at('closed'), 'secret')
  chmodSync(at('closed'), 0o000)
  writePolicy(at('policy.json'), [
    { name: at('content'), ...ownFile({ content: 'wanted\n' }) },
    { name: at('mode'), ...ownFile({}) },
    { name: at('large'), ...ownFile({ source: at('wanted') }) },
    { name: at('missing'), ...ownFile({ content: 'x' }) },
    { name: at('new/directory'), ...ownFile({ ensure: 'directory', mode: '0755' }) },
    { name: at('full'), ensure: 'absent', force: true },
    { name: at('dangling'), ensure: 'absent' },
    { name: at('closed'), ...ownFile({ content: 'x' }) },
  ])
  if (uid !== undefined) chownSync(at('closed'), uid, uid)
  return root
}

describe.skipIf(needsStrace)('an audit', () => {
  test.each([
    ['this user', undefined],
    ['an ordinary user', UNPRIVILEGED],
  ])('opens nothing for writing and changes nothing, as %s', async (_who, uid) => {
    const cwd = makeMachine(uid)
    const { code, opens, changes } = await trace(cwd, ['scan', 'policy.json', '--report', 'json'], uid)
    expect(code).toBe(2)
    expect(opens.some((line) => line.includes(join(cwd, 'content')))).toBe(true)
    expect(changes).toEqual([])
  })

  const image = {
    layers: [
      [
        { name: 'etc/passwd', content: 'root:x:0:0::/root:/bin/sh\n' },
        { name: 'etc/shadow', content: 'root:*::::::\n', mode: 0o600 },
        ...['bin/sh', 'usr/bin/dpkg-query', 'usr/bin/systemctl', 'sbin/sysctl'].map((name) => ({
          name,
          content: '#!/bin/sh\ntouch ran\n',
          mode: 0o4755,
        })),
      ],
    ],
  }

  test.each([
    ['this user', undefined],
    ['an ordinary user', UNPRIVILEGED],
  ])('of an image runs nothing of it and writes nothing but what it unpacks, as %s', async (_who, uid) => {
    const cwd = temporaryDirectory(uid)
    writeFileSync(join(cwd, 'plain.tar'), savedTar(dockerFiles(image)))
    writeFileSync(join(cwd, 'packed.tar'), savedTar(dockerFiles({ ...image, pack: (layer) => gzipSync(layer) })))
    const scan = (name: string): Promise<Trace> =>
      trace(cwd, ['scan', '@linux', '@ssh', '--target', `image:${name}`, '--quiet'], uid)
    const plain = await scan('plain.tar')
    expect(plain).toMatchObject({ code: 2, changes: [], programs: [expect.stringContaining(process.execPath)] })
    expect(plain.opens.some((line) => line.includes('plain.tar'))).toBe(true)
    const { code, programs, changes } = await scan('packed.tar')
    expect([code, programs.length]).toEqual([2, 1])
    const [directory = ''] = /"[^"]*\/driftgate-[^"/]+"/.exec(changes[0] ?? '') ?? []
    expect(directory).not.toBe('')
    const file = directory.replace(/"$/, '/unpacked"')
    expect(changes.map((line) => line.replace(/\(AT_FDCWD<[^>]*>, /, '(').replace(/, .*|\) += .*/, ''))).toEqual([
      `mkdir(${directory}`,
      expect.stringMatching(/^openat?\(/),
      `unlink(${file}`,
      `rmdir(${directory}`,
    ])
    expect(changes[1]).toContain(file)
    expect(readdirSync(cwd).toSorted()).toEqual(['packed.tar', 'plain.tar'])
  })

  test('with reports touches nothing but them', async () => {
    const cwd = makeMachine(undefined)
    const { changes } = await trace(cwd, ['scan', 'policy.json', '--out', 'reports'])
    expect(changes.length).toBeGreaterThan(0)
    const isReport = (line: string): boolean => line.includes('"reports') || line.includes(`${cwd}/reports`)
    expect(changes.filter((line) => !isReport(line))).toEqual([])
  })

  test('with a history touches nothing but it', async () => {
    const cwd = makeMachine(undefined)
    const history = ['--history', 'history', '--keep', '1']
    await trace(cwd, ['scan', 'policy.json', ...history])
    const { code, changes } = await trace(cwd, ['scan', 'policy.json', ...history])
    expect(code).toBe(2)
    expect(changes.some((line) => line.startsWith('unlink'))).toBe(true)
    // A change names its path, or the descriptor of a file there.
    const isInHistory = (line: string): boolean =>
      line.includes('"history') || line.includes(`<${join(cwd, 'history')}/`)
    expect(changes.filter((line) => !isInHistory(line))).toEqual([])
  })

  test('the trace sees the writes of a fix', async () => {
    const cwd = makeMachine(undefined)
    const { changes } = await trace(cwd, ['scan', 'policy.json', '--fix'])
    expect(changes.some((line) => line.startsWith('rename'))).toBe(true)
  })
})

test('the built command line needs nothing beside it', async () => {
  const copy = temporaryDirectory()
  cpSync(dirname(DRIFTGATE), join(copy, 'bin'), { recursive: true })
  writeFileSync(join(copy, 'package.json'), '{"type":"module"}')
  const policies = fileURLToPath(new URL('../../policies', import.meta.url))
  const { outcome } = start(process.execPath, ['bin/driftgate.js', 'validate', policies], { cwd: copy })
  expect(await outcome).toMatchObject({ code: 0, stderr: '' })
})
