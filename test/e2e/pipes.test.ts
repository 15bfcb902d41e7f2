// Any opened file may be a pipe without a peer, or a device that never ends. Neither may block a scan.
import { execFileSync, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, createReadStream, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import {
  driftgate,
  ownFile,
  PROGRAM,
  start,
  startDriftgate,
  temporaryDirectory,
  writePolicy,
} from '../support/driftgate.ts'
import { needsRoot } from '../support/temporary.ts'

/** A directory with a policy that holds, and something at `thing` that blocks its reader. */
function makeDirectory(kind: Kind): string {
  const cwd = temporaryDirectory()
  writePolicy(join(cwd, 'policy.json'), [{ name: join(cwd, 'gone'), ensure: 'absent' }])
  makeThing(kind, join(cwd, 'thing'))
  return cwd
}

type Kind = 'fifo' | 'endless device'

const KINDS: readonly Kind[] = ['fifo', 'endless device']

function makeThing(kind: Kind, path: string): void {
  if (kind === 'fifo') execFileSync('mkfifo', [path])
  else symlinkSync('/dev/zero', path)
}

const READERS: readonly (readonly string[])[] = [
  ['scan', 'thing'],
  ['scan', 'policy.json', '--config', 'thing'],
  ['scan', 'policy.json', '--waivers', 'thing'],
  ['scan', 'policy.json', '--baseline', 'thing'],
  ['scan', 'policy.json', '--facts', 'thing'],
  ['scan', 'policy.json', '--data', 'thing'],
  ['validate', 'thing'],
  ['compare', 'thing', 'thing'],
  ['report', 'json', 'thing'],
  ['waivers', 'list', 'thing'],
  ['eval', '{{ readFile("thing") }}'],
]

test.each(KINDS.flatMap((kind) => READERS.map((args) => ({ kind, args }))))(
  'a $kind is no file that could be read: $args',
  async ({ kind, args }) => {
    const { code, stderr } = await driftgate(args, { cwd: makeDirectory(kind) })
    expect(code).toBe(1)
    expect(stderr).toContain('it is not a regular file')
  },
)

test.each(KINDS)('a %s in a directory of policies is a problem of its own', async (kind) => {
  const cwd = makeDirectory(kind)
  mkdirSync(join(cwd, 'policies'))
  writePolicy(join(cwd, 'policies/a.json'), [{ name: join(cwd, 'gone'), ensure: 'absent' }])
  makeThing(kind, join(cwd, 'policies/b.yaml'))
  const { code, stderr } = await driftgate(['scan', 'policies'], { cwd })
  expect(code).toBe(1)
  expect(stderr).toContain('policies/b.yaml: cannot be read: it is not a regular file')
})

test.each(KINDS)('a %s as a child manifest, a list of resources or a template is an error', async (kind) => {
  const cwd = makeDirectory(kind)
  const scan = (ccm: object): ReturnType<typeof driftgate> => {
    writeFileSync(join(cwd, 'policy.json'), JSON.stringify({ ccm }))
    return driftgate(['scan', 'policy.json'], { cwd })
  }
  const child = await scan({ resources: [{ apply: { name: 'thing' } }] })
  expect(child).toMatchObject({ code: 1, stderr: expect.stringContaining('it is not a regular file') })
  const list = await scan({ resources_jet_file: 'thing' })
  expect(list).toMatchObject({ code: 1, stderr: expect.stringContaining('it is not a regular file') })
  const content = await scan({
    resources: [{ file: { name: join(cwd, 'x'), ...ownFile({ content: '{{ readFile("thing") }}' }) } }],
  })
  expect(content).toMatchObject({ code: 3, stdout: expect.stringContaining('it is not a regular file') })
})

test('a report for a pipe without a reader is an error at once', async () => {
  const cwd = makeDirectory('fifo')
  const { code, stderr } = await driftgate(['scan', 'policy.json', '--report', 'json=thing'], { cwd })
  expect(code).toBe(1)
  expect(stderr).toContain('cannot write the report thing: no process reads the pipe')
})

test.each(['json', 'ndjson'])('a pipe gets all of a %s report however slowly it is read', async (format) => {
  const cwd = makeDirectory('fifo')
  // More than a pipe holds, 64 KiB.
  const files = Array.from({ length: 500 }, (_, index) => ({ name: join(cwd, `gone-${index}`), ensure: 'absent' }))
  writePolicy(join(cwd, 'policy.json'), files)
  const reader = createReadStream(join(cwd, 'thing'), { highWaterMark: 512 })
  const received = text(reader)
  const { code } = await driftgate(['scan', 'policy.json', '--report', `${format}=thing`], { cwd })
  expect(code).toBe(0)
  const lines = (await received).trim()
  expect(lines.length).toBeGreaterThan(65_536)
  expect(lines).toContain('gone-499')
  if (format === 'json') expect(JSON.parse(lines)).toMatchObject({ summary: { total: 500 } })
})

test('a second signal ends a scan with an unread report', async () => {
  const cwd = makeDirectory('fifo')
  const files = Array.from({ length: 500 }, (_, index) => ({ name: join(cwd, `gone-${index}`), ensure: 'absent' }))
  writePolicy(join(cwd, 'policy.json'), files)
  const reader = createReadStream(join(cwd, 'thing'), { highWaterMark: 512 })
  onTestFinished(() => void reader.destroy())
  const { child, said, outcome } = startDriftgate(['scan', 'policy.json', '--report', 'json=thing'], { cwd })
  // The scan is over and the pipe is full: the reader takes no more of it than a stream's buffer holds.
  await once(reader, 'readable')
  child.kill('SIGINT')
  await said('a second signal stops at once')
  child.kill('SIGINT')
  expect(await outcome).toMatchObject({ code: 130 })
})

const cannotMount =
  needsRoot ?? (spawnSync('unshare', ['--mount', 'true']).status === 0 ? undefined : 'needs a mount namespace')

// Only what is there can be mounted over.
test.skipIf(cannotMount).each(['/etc/os-release', '/etc/machine-id', '/etc/passwd'].filter((path) => existsSync(path)))(
  'a fifo in the place of %s keeps no scan',
  async (path) => {
    const cwd = makeDirectory('fifo')
    const file = join(cwd, 'file')
    writeFileSync(file, '')
    chmodSync(file, 0o644)
    writePolicy(join(cwd, 'policy.json'), [{ name: file, ...ownFile({ owner: 'nobody' }) }])
    const script = `mount --bind thing ${path} && exec ${PROGRAM.join(' ')} scan policy.json`
    const { code, stdout } = await start('unshare', ['--mount', 'sh', '-c', script], { cwd }).outcome
    // The account nobody cannot be resolved without the user database.
    expect(code).toBe(path === '/etc/passwd' ? 3 : 2)
    if (path === '/etc/passwd') expect(stdout).toContain('/etc/passwd: it is not a regular file')
  },
)
