import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { driftgate } from '../support/command-line.ts'
import { type Outcome, temporaryDirectory } from '../support/driftgate.ts'

/** A directory with the mode of /etc. */
function openDirectory(): string {
  const directory = temporaryDirectory()
  chmodSync(directory, 0o755)
  return directory
}

function put(directory: string, name: string, text: string, mode: number): string {
  const path = join(directory, name)
  writeFileSync(path, text)
  chmodSync(path, mode)
  return path
}

/** Captures into policy.yaml, which has to be sound and complied with at once. */
async function captured(cwd: string, ...args: readonly string[]): Promise<Outcome> {
  const outcome = await driftgate(['capture', ...args, '--output', 'policy.yaml'], { cwd })
  expect(await driftgate(['validate', 'policy.yaml'], { cwd }), outcome.stderr).toMatchObject({ code: 0 })
  const scan = await driftgate(['scan', 'policy.yaml'], { cwd })
  expect(scan, scan.stdout).toMatchObject({ code: 0 })
  return outcome
}

test('of a directory only itself, unless what is in it is asked for', async () => {
  const cwd = openDirectory()
  put(cwd, 'one', 'x', 0o644)
  const { stderr } = await captured(cwd, `file:${cwd}`)
  expect(stderr).toContain('only the directory itself; --recursive includes its contents')
  const nothing = await driftgate(['capture', `file:${cwd}/gone`], { cwd })
  expect(nothing).toMatchObject({ code: 3, stderr: expect.stringContaining('--absent records that') })
})

/** What differs by now, as `TYPE#NAME PROPERTY`. */
async function drifted(cwd: string): Promise<readonly string[]> {
  const { stdout } = await driftgate(['scan', 'policy.yaml', '--report', 'json'], { cwd })
  const [policy] = JSON.parse(stdout).policies
  return policy.resources.flatMap(({ id, drift = [] }: { id: string; drift?: { property: string }[] }) =>
    drift.map(({ property }) => `${id} ${property}`),
  )
}

test('a captured tree complies at once, and each later change is found', async () => {
  const cwd = openDirectory()
  const tree = join(cwd, 'etc')
  mkdirSync(join(tree, 'conf.d'), { recursive: true, mode: 0o755 })
  const main = put(tree, 'main.conf', 'a = 1\n', 0o644)
  const odd = put(tree, 'conf.d/odd {{ name }} ${x}', '${HOME} {{ Data.x }}\n', 0o640)
  const secret = put(tree, 'key', 'hunter2\n', 0o600)
  symlinkSync('main.conf', join(tree, 'link.conf'))
  symlinkSync('nowhere', join(tree, 'dangling'))
  execFileSync('mkfifo', [join(tree, 'pipe')])
  const { code, stdout, stderr } = await captured(cwd, `file:${tree}/`, '--recursive', '--content')
  expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
  expect(stderr).toMatch(/pipe omitted: a fifo/)
  expect(stderr).toMatch(/dangling omitted: a symlink/)
  expect(stderr).toMatch(/key: it is not world-readable/)
  const text = readFileSync(join(cwd, 'policy.yaml'), 'utf8')
  expect(text).toContain('a = 1')
  expect(text).not.toContain('hunter2')
  expect(statSync(join(cwd, 'policy.yaml')).mode & 0o777).toBe(0o600)
  expect(await drifted(cwd)).toEqual([])

  writeFileSync(main, 'a = 2\n')
  chmodSync(odd, 0o644)
  rmSync(secret)
  expect(await drifted(cwd)).toEqual([
    `file#${join(tree, 'conf.d/odd {{ name }} ${x}')} mode`,
    `file#${secret} ensure`,
    `file#${join(tree, 'link.conf')} content`,
    `file#${main} content`,
  ])
  // A fix gives back what the policy holds, and makes nothing up.
  expect(await driftgate(['scan', 'policy.yaml', '--fix'], { cwd })).toMatchObject({ code: 4 })
  expect(readFileSync(main, 'utf8')).toBe('a = 1\n')
  expect(await drifted(cwd)).toEqual([`file#${secret} ensure`])
})

test('without --content a file has its sha256, and a file that is not world-readable only with --private', async () => {
  const cwd = openDirectory()
  const [open, secret] = [put(cwd, 'open', 'x\n', 0o644), put(cwd, 'secret', 'hunter2\n', 0o600)]
  const sums = [open, secret].map((path) => createHash('sha256').update(readFileSync(path)).digest('hex'))
  expect(await captured(cwd, `file:${open}`, 'file:secret')).toMatchObject({ code: 0 })
  const plain = readFileSync(join(cwd, 'policy.yaml'), 'utf8')
  expect(sums.map((sum) => plain.includes(sum))).toEqual([true, false])
  expect(await captured(cwd, `file:${open}`, 'file:secret', '--private', '--content', '--force')).toMatchObject({
    code: 0,
  })
  const both = readFileSync(join(cwd, 'policy.yaml'), 'utf8')
  expect([both.includes(sums[1] ?? ''), both.includes('hunter2')]).toEqual([true, false])
  writeFileSync(secret, 'z\n')
  expect(await drifted(cwd)).toEqual([`file#${secret} sha256`])
})

test('missing objects are reported, and written with --absent', async () => {
  const cwd = openDirectory()
  const here = put(cwd, 'here', '', 0o644)
  const gone = join(cwd, 'gone')
  const told = await captured(cwd, `file:${here}`, `file:${gone}`)
  expect(told).toMatchObject({ code: 3, stderr: expect.stringMatching(/gone: does not exist; --absent records/) })
  expect(readFileSync(join(cwd, 'policy.yaml'), 'utf8')).not.toContain(`${gone}:`)
  const words = [`file:${gone}`, 'package:no-such-package', 'user:no-such-user', 'port:tcp:1']
  const absent = await captured(cwd, ...words, '--absent', '--force')
  expect(absent).toMatchObject({ code: 0 })
  writeFileSync(gone, '')
  expect(await drifted(cwd)).toEqual([`file#${gone} ensure`])
  const nothing = await driftgate(['capture', `file:${join(cwd, 'nope')}`, '--output', 'other.yaml'], { cwd })
  expect(nothing).toMatchObject({
    code: 3,
    stderr: expect.stringMatching(/nothing captured, no policy written/),
  })
  expect(statSync(join(cwd, 'other.yaml'), { throwIfNoEntry: false })).toBeUndefined()
})

test('a file that is there is replaced with --force alone', async () => {
  const cwd = openDirectory()
  put(cwd, 'policy.yaml', 'mine\n', 0o644)
  const refused = await driftgate(['capture', 'user:root', '--output', 'policy.yaml'], { cwd })
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(/policy.yaml already exists: pass --force/) })
  expect(readFileSync(join(cwd, 'policy.yaml'), 'utf8')).toBe('mine\n')
  const file = put(cwd, 'app.conf', 'a=1\n', 0o644)
  expect(await driftgate(['capture', `file:${file}`, '--output', 'policy.yaml', '--force'], { cwd })).toMatchObject({
    code: 0,
  })
  expect(readFileSync(join(cwd, 'policy.yaml'), 'utf8')).toContain('app.conf')
  expect(statSync(join(cwd, 'policy.yaml')).mode & 0o777).toBe(0o600)
})

test('a listening port is captured with its address', async () => {
  const cwd = openDirectory()
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as { port: number }
  await captured(cwd, `port:${port}`)
  const [item] = parse(readFileSync(join(cwd, 'policy.yaml'), 'utf8')).ccm.resources
  const [resource] = item.port
  expect(resource[port]).toMatchObject({ ensure: 'listening', addresses: '127.0.0.1' })
  await new Promise((resolve) => server.close(resolve))
  expect(await drifted(cwd)).toEqual([`port#${port} ensure`])
})

test.each([
  [['fil:/x'], /unknown type "fil", did you mean "file"\? \(file, /],
  [['/etc/hosts'], /did you mean "file:\/etc\/hosts"\?/],
  [['root'], /"root" has no type, write TYPE:NAME/],
  [['exec:true'], /exec cannot be captured: the effect of a command is unknown/],
  [['archive:/x.tgz'], /archive cannot be captured: the archive is not on this host/],
  [['accounts:all'], /accounts cannot be captured: it checks many resources/],
  [[], /missing TYPE:NAME/i],
])('%s is wrong usage', async (words, message) => {
  const { code, stderr } = await driftgate(['capture', ...words], { cwd: temporaryDirectory() })
  expect(code).toBe(1)
  expect(stderr).toMatch(message)
})
