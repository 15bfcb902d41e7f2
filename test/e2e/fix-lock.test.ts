import { existsSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import {
  driftgate,
  ownFile,
  type Running,
  startDriftgate,
  temporaryDirectory,
  UNPRIVILEGED,
  writePolicy,
} from '../support/driftgate.ts'

// As an ordinary user, so that the lock lies in the HOME of the test and not with the machine's own state.
const user = UNPRIVILEGED === undefined ? {} : { uid: UNPRIVILEGED }

/** Starts a fix that reads an endless file, and waits until it holds the lock. */
async function startEndlessFix(cwd: string): Promise<Running> {
  const file = join(cwd, 'endless')
  writeFileSync(file, '')
  truncateSync(file, 1024 ** 4)
  writePolicy(join(cwd, 'endless.json'), [{ name: file, ...ownFile({ content: 'x' }) }])
  const running = startDriftgate(['scan', 'endless.json', '--fix'], { cwd, ...user })
  const state = join(cwd, '.local/state/driftgate')
  await vi.waitUntil(() => existsSync(state) && holdsText(state), { timeout: 10_000, interval: 20 })
  return running
}

function holdsText(directory: string): boolean {
  return readdirSync(directory).some((name) => readFileSync(join(directory, name), 'utf8') !== '')
}

test('a second fix waits, then refuses and names the process that holds the lock', async () => {
  const cwd = temporaryDirectory(UNPRIVILEGED)
  const first = await startEndlessFix(cwd)
  writePolicy(join(cwd, 'other.json'), [{ name: join(cwd, 'gone'), ensure: 'absent' }])
  const { code, stdout, stderr } = await driftgate(['scan', 'other.json', '--fix', '--report', 'json'], {
    cwd,
    ...user,
  })
  expect(code).toBe(1)
  expect(stderr).toContain(`process ${first.child.pid} `)
  expect(stderr).toMatch(/since \d{4}-\d\d-\d\dT\d\d:\d\d/)
  expect(JSON.parse(stdout)).toMatchObject({ policies: [], exit: { code: 1 }, problems: [{ severity: 'error' }] })
})

test('an audit needs no lock', async () => {
  const cwd = temporaryDirectory(UNPRIVILEGED)
  await startEndlessFix(cwd)
  writePolicy(join(cwd, 'other.json'), [{ name: join(cwd, 'gone'), ensure: 'absent' }])
  expect(await driftgate(['scan', 'other.json'], { cwd, ...user })).toMatchObject({ code: 0, stderr: '' })
})

test('a killed fix does not block another one', async () => {
  const cwd = temporaryDirectory(UNPRIVILEGED)
  const first = await startEndlessFix(cwd)
  first.child.kill('SIGKILL')
  await first.outcome
  writePolicy(join(cwd, 'other.json'), [{ name: join(cwd, 'gone'), ensure: 'absent' }])
  expect(await driftgate(['scan', 'other.json', '--fix'], { cwd, ...user })).toMatchObject({ code: 0, stderr: '' })
})
