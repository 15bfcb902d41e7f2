import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { acquireFixLock, type FixLock } from '../../../src/target/local/fix-lock.ts'
import { isRunning, ownIdentity } from '../../../src/target/local/process-identity.ts'
import { temporaryName } from '../../../src/target/local/temporary-name.ts'
import { bundle } from '../../support/bundle.ts'
import { endWithTest } from '../../support/end-with-test.ts'
import { temporaryDirectory } from '../../support/temporary.ts'

let holder: string
let contender: string

beforeAll(async () => {
  // Takes the lock, records the paths it is given, says so, and holds it until its input ends.
  const holding = await bundle(`
    import { writeFileSync } from 'node:fs'
    import { acquireFixLock } from './src/target/local/fix-lock.ts'
    const [directory, ...temporaries] = process.argv.slice(2)
    const result = await acquireFixLock({ directory })
    for (const path of temporaries) { result.lock.journal.record(path); writeFileSync(path, 'partial') }
    console.log(result.kind)
    process.stdin.resume().on('end', () => result.lock?.release())`)
  // Waits for the lock, notes when it comes and goes, and ends.
  const contending = await bundle(`
    import { appendFileSync } from 'node:fs'
    import { setTimeout } from 'node:timers/promises'
    import { acquireFixLock } from './src/target/local/fix-lock.ts'
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
  onTestFinished(() => {
    if (readdirSync(directory).length > 0) result.lock.release()
  })
  return result.lock
}

describe('two processes', () => {
  test('the second is told about the first', async () => {
    const directory = temporaryDirectory()
    const child = await startHolder(directory)
    const result = await acquireFixLock({ directory })
    expect(result).toMatchObject({ kind: 'busy', holder: { pid: child.pid } })
    if (result.kind !== 'busy') return
    expect(result.holder.command).toContain(holder)
    expect(new Date(result.holder.startedAt).toISOString()).toBe(result.holder.startedAt)
  })

  test('the second gets it once the first gives it back, and no file stays', async () => {
    const directory = temporaryDirectory()
    const child = await startHolder(directory)
    const waiting = held(directory, 25_000)
    child.stdin?.end()
    ;(await waiting).release()
    expect(readdirSync(directory)).toEqual([])
  })

  test('one that is killed loses it, and what it was writing is removed', async () => {
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
    expect(readdirSync(directory)).toEqual([])
  })
})

test('the same process cannot hold it twice', async () => {
  const directory = temporaryDirectory()
  const lock = await held(directory)
  expect(await acquireFixLock({ directory })).toMatchObject({ kind: 'busy', holder: { pid: process.pid } })
  lock.release()
  ;(await held(directory)).release()
})

describe('files of processes that are gone', () => {
  const gone = `fix-${process.pid}-ffffffff-1.lock`

  test('a process with the same number that started at another time is not the holder', async () => {
    const directory = temporaryDirectory()
    writeFileSync(join(directory, gone), '2026-01-01T00:00:00.000Z\n')
    await held(directory)
    expect(existsSync(join(directory, gone))).toBe(false)
  })

  test('only temporary names are removed, and what cannot be removed stays recorded', async () => {
    const directory = temporaryDirectory()
    const precious = join(temporaryDirectory(), 'precious')
    writeFileSync(precious, '')
    writeFileSync(join(directory, gone), `x\n${JSON.stringify(precious)}\n`)
    const lock = await held(directory)
    expect(lock.notRecovered).toEqual([`cannot remove ${precious}, left by an earlier fix: it has no temporary name`])
    expect(existsSync(precious)).toBe(true)
    expect(existsSync(join(directory, gone))).toBe(true)
  })

  test('a line that was not finished, and lines that say nothing, are passed over', async () => {
    const directory = temporaryDirectory()
    const left = join(temporaryDirectory(), temporaryName('a'))
    writeFileSync(left, '')
    writeFileSync(
      join(directory, gone),
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
    expect(readdirSync(directory)).toEqual([])
  })
})

test('a state directory that cannot be used is a failure with its reason', async () => {
  expect(await acquireFixLock({ directory: '/dev/null/state' })).toMatchObject({
    kind: 'failed',
    message: expect.stringContaining('/dev/null') as string,
  })
})

describe('processes', () => {
  test('this one runs', () => {
    expect(isRunning(ownIdentity())).toBe(true)
    expect(isRunning({ pid: process.pid, start: 'untold' })).toBe(true)
    expect(isRunning({ pid: 2 ** 22 + 1, start: 'untold' })).toBe(false)
  })

  test('one that nobody has collected does not run', async () => {
    // What the shell becomes collects nothing, and the child ends only once the shell has become it.
    const parent = spawn('sh', ['-c', 'exec 3<&0; cat <&3 & echo $!; exec sleep 60'])
    endWithTest(parent)
    const [pid] = (await once(createInterface(parent.stdout), 'line')) as [string]
    const stat = (of: number | string): string => readFileSync(`/proc/${of}/stat`, 'latin1')
    const soon = async (isSo: () => boolean): Promise<void> => {
      while (!isSo()) await new Promise((resolve) => setImmediate(resolve))
    }
    await soon(() => stat(parent.pid ?? '').includes('(sleep)'))
    const start = `${readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').slice(0, 8)}-${stat(pid).split(') ')[1]?.split(' ')[19]}`
    expect(isRunning({ pid: Number(pid), start })).toBe(true)
    parent.stdin.end()
    await soon(() => stat(pid).includes(') Z'))
    expect(isRunning({ pid: Number(pid), start })).toBe(false)
  })
})
