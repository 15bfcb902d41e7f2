import { execFileSync, spawnSync } from 'node:child_process'
import { createServer } from 'node:net'
import {
  chmodSync,
  chownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { expect, onTestFinished, test, vi } from 'vitest'
import { scan } from '../../src/index.ts'
import { needsRoot, temporaryDirectory } from '../support/temporary.ts'
import {
  asNobody,
  fileResources,
  loadSound,
  MINE,
  NOBODY,
  problemsOf,
  resultOf,
  resultsOf,
  scanWith,
} from './support.ts'

test.skipIf(needsRoot)('permission denied is an error', async () => {
  const directory = temporaryDirectory()
  const closed = `${directory}/closed`
  mkdirSync(closed, { mode: 0o700 })
  writeFileSync(`${closed}/file`, '')
  const policies = await loadSound(directory, fileResources(`- ${closed}/file: { ensure: absent }`))
  const run = await asNobody(() => scan(policies))
  expect(resultOf(run)).toMatchObject({ verdict: 'error', reason: 'permission-denied' })
  expect(run.exit.code).toBe(3)
})

test('a path component that is not a directory proves absence', async () => {
  const directory = temporaryDirectory()
  writeFileSync(`${directory}/plain`, '')
  const run = await scanWith(directory, fileResources(`- ${directory}/plain/file: { ensure: absent }`))
  expect(resultOf(run).verdict).toBe('compliant')
})

test('every drift is reported with both values', async () => {
  const directory = temporaryDirectory()
  const path = `${directory}/file`
  writeFileSync(path, 'old')
  chmodSync(path, 0o604)
  const [uid, gid] = [statSync(path).uid + 1, statSync(path).gid + 1]
  const body = `{ ensure: present, content: new, owner: "${uid}", group: "${gid}", mode: "0640" }`
  const { drift } = resultOf(await scanWith(directory, fileResources(`- ${path}: ${body}`)))
  // Where another user than root runs the tests, the directory belongs to neither root nor the owner that is wanted.
  const more = needsRoot === undefined ? [] : ['access']
  expect(drift.map(({ property }) => property)).toEqual(['content', 'owner', 'group', 'mode', ...more])
  expect(drift.find(({ property }) => property === 'mode')).toMatchObject({ desired: '0640', observed: '0604' })
  expect(drift.find(({ property }) => property === 'owner')).toMatchObject({ desired: String(uid) })
})

test.each(['"644"', '"0o644"', '"0O644"', '"0644"', '0644'])(
  'every spelling of a mode is accepted: %s',
  async (mode) => {
    const directory = temporaryDirectory()
    const path = `${directory}/file`
    const text = fileResources(`- ${path}: { ensure: present, mode: ${mode}, ${MINE} }`)
    writeFileSync(path, '')
    chmodSync(path, 0o644)
    expect(resultOf(await scanWith(directory, text)).verdict).toBe('compliant')
    chmodSync(path, 0o600)
    expect(resultOf(await scanWith(directory, text, { fix: true })).verdict).toBe('fixed')
    expect(statSync(path).mode & 0o7777).toBe(0o644)
  },
)

test('a mode without a digit for others is refused', async () => {
  const text = fileResources(`- /nowhere: { ensure: present, mode: 64, ${MINE} }`)
  expect(await problemsOf(temporaryDirectory(), text)).toEqual([
    expect.stringMatching(/^4:46 mode "64" lacks the digit of the owner/),
  ])
})

test.each(['1777', '2755', '4755'])('a mode may have special bits: %s', async (mode) => {
  const directory = temporaryDirectory()
  const [path, folder] = [`${directory}/file`, `${directory}/folder`]
  writeFileSync(path, '')
  mkdirSync(folder)
  const text = fileResources(
    `- ${path}: { ensure: present, mode: "${mode}", ${MINE} }`,
    `- ${folder}: { ensure: directory, mode: "${mode}", ${MINE} }`,
  )
  expect(resultsOf(await scanWith(directory, text)).map(({ verdict }) => verdict)).toEqual(['drifted', 'drifted'])
  expect(resultsOf(await scanWith(directory, text, { fix: true })).map(({ verdict }) => verdict)).toEqual([
    'fixed',
    'fixed',
  ])
  expect([path, folder].map((each) => (statSync(each).mode & 0o7777).toString(8))).toEqual([mode, mode])
})

test.each([0o4000, 0o2000, 0o1000])('special bits of a file are drift: %o', async (bit) => {
  const directory = temporaryDirectory()
  const path = `${directory}/file`
  writeFileSync(path, '')
  chmodSync(path, 0o755 | bit)
  const text = fileResources(`- ${path}: { ensure: present, mode: "0755", ${MINE} }`)
  expect(resultOf(await scanWith(directory, text)).drift).toMatchObject([{ property: 'mode', desired: '0755' }])
  expect(resultOf(await scanWith(directory, text, { fix: true })).verdict).toBe('fixed')
  expect(statSync(path).mode & 0o7777).toBe(0o755)
})

test('special bits of a directory are kept', async () => {
  const directory = temporaryDirectory()
  const path = `${directory}/shared`
  mkdirSync(path)
  chmodSync(path, 0o3755)
  const wanted = (mode: string): string => fileResources(`- ${path}: { ensure: directory, mode: "${mode}", ${MINE} }`)
  expect(resultOf(await scanWith(directory, wanted('0755'))).verdict).toBe('compliant')
  expect(resultOf(await scanWith(directory, wanted('0775'), { fix: true })).verdict).toBe('fixed')
  expect(statSync(path).mode & 0o7777).toBe(0o3775)
})

test.each(['drift', 'compliant'])('a policy sets the verdict of a missing file: %s', async (ifAbsent) => {
  const directory = temporaryDirectory()
  const path = `${directory}/key`
  const text = fileResources(`- ${path}: { ensure: present, if_absent: ${ifAbsent}, mode: "0600" }`)
  const verdicts = ifAbsent === 'drift' ? ['drifted', 'fix-failed'] : ['compliant', 'compliant']
  expect(resultOf(await scanWith(directory, text)).verdict).toBe(verdicts[0])
  expect(resultOf(await scanWith(directory, text, { fix: true })).verdict).toBe(verdicts[1])
  expect(lstatSync(path, { throwIfNoEntry: false })).toBeUndefined()
  writeFileSync(path, 'kept')
  chmodSync(path, 0o644)
  expect(resultOf(await scanWith(directory, text, { fix: true })).verdict).toBe('fixed')
  expect(statSync(path).mode & 0o7777).toBe(0o600)
  expect(readFileSync(path, 'utf8')).toBe('kept')
})

test('access that lets another user replace the file is drift unless accepted', async () => {
  const directory = `${temporaryDirectory()}/open`
  mkdirSync(directory)
  chmodSync(directory, 0o777)
  const path = `${directory}/file`
  writeFileSync(path, '')
  chmodSync(path, 0o644)
  const text = (rest: string): string => fileResources(`- ${path}: { ensure: present, mode: "0644", ${rest}${MINE} }`)
  const observed = `${directory} is world-writable`
  expect(resultOf(await scanWith(directory, text('')))).toMatchObject({
    verdict: 'drifted',
    change: 'cannot',
    drift: [{ property: 'access', observed }],
  })
  expect(resultOf(await scanWith(directory, text('access: any, '))).verdict).toBe('compliant')
})

test('a property may accept several values', async () => {
  const directory = temporaryDirectory()
  const path = `${directory}/file`
  const text = fileResources(`- ${path}: { ensure: present, mode: { at_most: "0640" }, ${MINE} }`)
  writeFileSync(path, '')
  chmodSync(path, 0o000)
  expect(resultOf(await scanWith(directory, text, { fix: true })).verdict).toBe('compliant')
  expect(statSync(path).mode & 0o7777).toBe(0)
  chmodSync(path, 0o604)
  expect(resultOf(await scanWith(directory, text, { fix: true })).verdict).toBe('fixed')
  expect(statSync(path).mode & 0o7777).toBe(0o600)
})

test('a dangling link exists', async () => {
  const directory = temporaryDirectory()
  const path = `${directory}/link`
  symlinkSync('nowhere', path)
  const text = fileResources(`- ${path}: { ensure: absent }`)
  expect(resultOf(await scanWith(directory, text)).drift).toMatchObject([{ property: 'ensure', observed: 'symlink' }])
  expect(resultOf(await scanWith(directory, text, { fix: true })).verdict).toBe('fixed')
  expect(lstatSync(path, { throwIfNoEntry: false })).toBeUndefined()
})

test('a file with hard links is not replaced', async () => {
  const directory = temporaryDirectory()
  const path = `${directory}/file`
  writeFileSync(path, 'old')
  linkSync(path, `${directory}/other`)
  const text = fileResources(`- ${path}: { ensure: present, content: new, mode: "0644", ${MINE} }`)
  expect(resultOf(await scanWith(directory, text))).toMatchObject({ verdict: 'drifted', change: 'cannot' })
  expect(resultOf(await scanWith(directory, text, { fix: true })).verdict).toBe('fix-failed')
  expect(readFileSync(path, 'utf8')).toBe('old')
})

const needsAcl = spawnSync('setfacl', ['--version']).status === 0 ? undefined : 'needs setfacl'

test.skipIf(needsAcl)('a rewritten file keeps its attributes', async () => {
  const directory = temporaryDirectory()
  const path = `${directory}/file`
  writeFileSync(path, 'old', { mode: 0o644 })
  execFileSync('setfacl', ['-m', 'u:daemon:r', path])
  const text = fileResources(`- ${path}: { ensure: present, content: new, mode: "0644", ${MINE} }`)
  expect(resultOf(await scanWith(directory, text, { fix: true })).verdict).toBe('fixed')
  expect(readFileSync(path, 'utf8')).toBe('new')
  expect(execFileSync('getfacl', ['-cp', path], { encoding: 'utf8' })).toContain('user:daemon:r--')
})

test.skipIf(needsRoot)('owner and mode are set before the file is in place', async () => {
  const directory = temporaryDirectory()
  const path = `${directory}/file`
  writeFileSync(path, 'old')
  const state = temporaryDirectory()
  for (const each of [directory, path, state]) chownSync(each, NOBODY, NOBODY)
  vi.stubEnv('XDG_STATE_HOME', state)
  onTestFinished(() => void vi.unstubAllEnvs())
  const body = '{ ensure: present, content: new, owner: root, group: root, mode: "0600" }'
  const policies = await loadSound('/tmp', fileResources(`- ${path}: ${body}`))
  const run = await asNobody(() => scan(policies, { fix: true }))
  // Nobody cannot give a file to root. Where the content came first, the new one would be there with the wrong owner.
  expect(resultOf(run).verdict).toBe('fix-failed')
  expect(readFileSync(path, 'utf8')).toBe('old')
  expect(readdirSync(directory)).toEqual(['file'])
})

test('a directory, pipe, device or socket is never replaced by a file', async () => {
  const directory = temporaryDirectory()
  const paths = ['directory', 'fifo', 'socket'].map((name) => `${directory}/${name}`)
  const [folder = '', fifo = '', socket = ''] = paths
  mkdirSync(folder)
  execFileSync('mkfifo', [fifo])
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(socket, resolve))
  onTestFinished(() => void server.close())
  const resources = [...paths, '/dev/null'].map(
    (path) => `- ${path}: { ensure: present, content: text, mode: "0644", ${MINE} }`,
  )
  const audit = await scanWith(directory, fileResources(...resources))
  expect(resultsOf(audit).map(({ verdict, change }) => [verdict, change])).toEqual(
    resources.map(() => ['drifted', 'cannot']),
  )
  const fix = await scanWith(directory, fileResources(...resources), { fix: true })
  expect(resultsOf(fix).map(({ verdict }) => verdict)).toEqual(resources.map(() => 'fix-failed'))
  expect(statSync('/dev/null').isCharacterDevice()).toBe(true)
  expect(statSync(fifo).isFIFO() && statSync(socket).isSocket() && statSync(folder).isDirectory()).toBe(true)
})
