import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { acquireFixLock, type FixLock } from '../../../src/host/live/fix-lock.ts'
import { lockDescriptor } from '../../../src/host/live/lock-descriptor.ts'
import { temporaryName } from '../../../src/host/live/temporary-name.ts'
import { bundle } from '../../support/bundle.ts'
import { endWithTest } from '../../support/end-with-test.ts'
import { needsRoot, temporaryDirectory } from '../../support/temporary.ts'

const cannotUnshare =
  needsRoot ?? (spawnSync('unshare', ['--pid', '--fork', 'true']).status === 0 ? undefined : 'needs unshare')

let holder: string
let contender: string

beforeAll(async () => {
  // Takes the lock, records the paths it is given, says so, and holds it until its input ends.
  const holding = await bundle(`
    import { writeFileSync } from 'node:fs'
    import { acquireFixLock } from './src/host/live/fix-lock.ts'
    const [directory, ...temporaries] = process.argv.slice(2)
    const result = await acquireFixLock({ directory })
    for (const path of temporaries) { result.lock.journal.record(path); writeFileSync(path, 'partial') }
    console.log(result.kind)
    process.stdin.resume().on('end', () => result.lock?.release())`)
  // Waits for the lock, notes when it comes and goes, and ends.
  const contending = await bundle(`
    import { appendFileSync } from 'node:fs'
    import { setTimeout } from 'node:timers/promises'
    import { acquireFixLock } from './src/host/live/fix-lock.ts'
    const [directory, log] = process.argv.slice(2)
    const result = await acquireFixLock({ directory, waitMs: 25000 })
    if (result.kind !== 'held') throw new Error(JSON.stringify(result))
    appendFileSync(log, 'in\\n')
    await setTimeout(3)
    appendFileSync(log, 'out\\n')
    result.lock.release()`)
  holder = holding.file
  contender = contending.file
  return () => {
    holding.remove()
    contending.remove()
  }
})

async function startHolder(...args: readonly string[]): Promise<ChildProcess> {
  const child = spawn(process.execPath, [holder, ...args], { stdio: ['pipe', 'pipe', 'inherit'] })
  endWithTest(child)
  const [line] = await once(createInterface(child.stdout), 'line')
  expect(line).toBe('held')
  return child
}

async function kill(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}

async function held(directory: string, waitMs = 0): Promise<FixLock> {
  const result = await acquireFixLock({ directory, waitMs })
  if (result.kind !== 'held') throw new Error(JSON.stringify(result))
  let isHeld = true
  const release = (): void => {
    if (isHeld) result.lock.release()
    isHeld = false
  }
  onTestFinished(release)
  return { ...result.lock, release }
}

describe('two processes', () => {
  test('the second is told about the first', async () => {
    const directory = temporaryDirectory()
    const child = await startHolder(directory)
    const result = await acquireFixLock({ directory })
    expect(result).toMatchObject({ kind: 'busy', holder: { pid: child.pid, isNear: true } })
    if (result.kind !== 'busy') return
    const { startedAt = '' } = result.holder ?? {}
    expect(new Date(startedAt).toISOString()).toBe(startedAt)
  })

  test('the second gets it once the first gives it back, and its file stays, empty', async () => {
    const directory = temporaryDirectory()
    const child = await startHolder(directory)
    const waiting = held(directory, 25_000)
    child.stdin?.end()
    ;(await waiting).release()
    expect(readFileSync(join(directory, 'fix.lock'), 'utf8')).toBe('')
  })

  test('a killed process loses the lock, and its unfinished files are removed', async () => {
    const directory = temporaryDirectory()
    const files = temporaryDirectory()
    const temporaries = ['one', 'two\nlines'].map((base) => join(files, temporaryName(base)))
    await kill(await startHolder(directory, ...temporaries))
    expect(readdirSync(files)).toHaveLength(2)
    const lock = await held(directory)
    expect(lock.recovered).toEqual(temporaries)
    expect(lock.notRecovered).toEqual([])
    expect(readdirSync(files)).toEqual([])
    expect(readdirSync(directory)).toHaveLength(1)
  })

  test('six that start together all get it, one after the other', async () => {
    const directory = temporaryDirectory()
    const log = join(temporaryDirectory(), 'log')
    const children = Array.from({ length: 6 }, () =>
      spawn(process.execPath, [contender, directory, log], { stdio: 'inherit' }),
    )
    const codes = await Promise.all(children.map(async (child) => (await once(child, 'exit'))[0] as unknown))
    expect(codes).toEqual([0, 0, 0, 0, 0, 0])
    expect(readFileSync(log, 'utf8')).toBe('in\nout\n'.repeat(6))
    expect(readFileSync(join(directory, 'fix.lock'), 'utf8')).toBe('')
  })
})

test('the same process cannot hold it twice', async () => {
  const directory = temporaryDirectory()
  const lock = await held(directory)
  expect(await acquireFixLock({ directory })).toMatchObject({ kind: 'busy', holder: { pid: process.pid } })
  lock.release()
  ;(await held(directory)).release()
})

describe('files left by a killed process', () => {
  test('only temporary names are removed, and what cannot be removed stays recorded', async () => {
    const directory = temporaryDirectory()
    const precious = join(temporaryDirectory(), 'precious')
    writeFileSync(precious, '')
    const file = join(directory, 'fix.lock')
    writeFileSync(file, `x\n${JSON.stringify(precious)}\n`)
    const lock = await held(directory)
    expect(lock.notRecovered).toEqual([
      `cannot remove ${precious}, left by an earlier fix: its name is not a temporary name`,
    ])
    expect(existsSync(precious)).toBe(true)
    lock.release()
    expect(readFileSync(file, 'utf8')).toContain(JSON.stringify(precious))
  })

  test('a line that was not finished, and lines that say nothing, are passed over', async () => {
    const directory = temporaryDirectory()
    const left = join(temporaryDirectory(), temporaryName('a'))
    writeFileSync(left, '')
    writeFileSync(
      join(directory, 'fix.lock'),
      `x\n17\n{"\n${JSON.stringify('/no/such/place/.a.driftgate-0123456789abcdef')}\n${JSON.stringify(left)}\n"/unfin`,
    )
    expect((await held(directory)).recovered).toEqual([left])
  })

  test('a process that could not clean up leaves that to the next', async () => {
    const directory = temporaryDirectory()
    const left = join(temporaryDirectory(), temporaryName('a'))
    const lock = await held(directory)
    lock.journal.record(left)
    lock.journal.record(join(directory, 'done'))
    lock.journal.forget(join(directory, 'done'))
    lock.release()
    writeFileSync(left, '')
    const next = await held(directory)
    expect(next.recovered).toEqual([left])
    next.release()
    expect(readFileSync(join(directory, 'fix.lock'), 'utf8')).toBe('')
  })
})

describe.skipIf(cannotUnshare)('PID namespaces that share the directory', () => {
  const isolated = ['--pid', '--fork', '--kill-child', '--mount-proc', process.execPath]

  test('keep each other out though their numbers are the same, until the kernel sees the end of one', async () => {
    const directory = temporaryDirectory()
    const first = spawn('unshare', [...isolated, holder, directory], { stdio: ['pipe', 'pipe', 'inherit'] })
    endWithTest(first)
    expect(await once(createInterface(first.stdout), 'line')).toEqual(['held'])
    // Number 1 there, and not what this process sees under that number.
    expect(await acquireFixLock({ directory })).toMatchObject({ kind: 'busy', holder: { pid: 1, isNear: false } })
    const second = spawn('unshare', [...isolated, holder, directory], { stdio: ['pipe', 'pipe', 'inherit'] })
    endWithTest(second)
    expect(await once(createInterface(second.stdout), 'line')).toEqual(['busy'])
    second.stdin.end()
    await kill(first)
    await held(directory, 25_000)
  })
})

test('without the program flock there is no lock, and the message says what is missing', async () => {
  const fd = openSync('/dev/null', 'r')
  onTestFinished(() => closeSync(fd))
  expect(await lockDescriptor(fd, () => undefined)).toEqual({
    kind: 'failed',
    message: 'flock is not installed; install util-linux',
  })
})

test('a command that a fix has started does not hold the lock when the fix is gone', async () => {
  const directory = temporaryDirectory()
  const lock = await held(directory)
  const command = spawn('cat', { stdio: ['pipe', 'ignore', 'ignore'] })
  endWithTest(command)
  lock.release()
  await held(directory)
})

test('a state directory that cannot be used is a failure with its reason', async () => {
  expect(await acquireFixLock({ directory: '/dev/null/state' })).toMatchObject({
    kind: 'failed',
    message: expect.stringContaining('/dev/null') as string,
  })
})
