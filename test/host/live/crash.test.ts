import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { beforeAll, expect, test } from 'vitest'
import { acquireFixLock } from '../../../src/host/live/fix-lock.ts'
import { bundle } from '../../support/bundle.ts'
import { temporaryDirectory } from '../../support/temporary.ts'
import { cases } from '../../support/soak.ts'

const KILLS_PER_WORKER = cases({ usual: 5, soak: 52 })
const WORKERS = 4

// Large enough that writing takes several system calls.
const CONTENT_BYTES = 3 * 1024 * 1024
const MODE = 0o640

// Root gives the file away, so that a wrong owner can be seen; other users keep it.
const isRoot = process.geteuid?.() === 0
const uid = isRoot ? 4711 : (process.geteuid?.() ?? 0)
const gid = isRoot ? 4712 : (process.getegid?.() ?? 0)

let writer: string

beforeAll(async () => {
  // Fixes in a loop: a file from bytes, the same from a source, a new directory, its removal. Says how long the first
  // round took, in milliseconds, and goes on until it is killed.
  const { file, remove } = await bundle(`
    import { writeFileSync } from 'node:fs'
    import { join } from 'node:path'
    import { acquireFixLock } from './src/host/live/fix-lock.ts'
    import { createLocalRemediator } from './src/host/live/local-remediator.ts'
    const [state, files, uid, gid] = process.argv.slice(2)
    // Ends this program if the test itself is killed.
    process.stdin.resume().on('end', () => process.exit())
    const attributes = { uid: Number(uid), gid: Number(gid), mode: ${MODE} }
    const result = await acquireFixLock({ directory: state, waitMs: 25000 })
    if (result.kind !== 'held') throw new Error(JSON.stringify(result))
    const remediator = createLocalRemediator(result.lock.journal)
    const source = join(state, 'source')
    writeFileSync(source, Buffer.alloc(${CONTENT_BYTES}, 'b'))
    const file = join(files, 'file')
    const directory = join(files, 'directory')
    const round = async () => [
      await remediator.writeFile(file, { kind: 'bytes', bytes: Buffer.alloc(${CONTENT_BYTES}, 'a') }, attributes),
      await remediator.createDirectory(directory, attributes),
      await remediator.writeFile(file, { kind: 'copy', source }, attributes),
      await remediator.remove(directory, { recursive: true }),
    ]
    await round()
    const start = performance.now()
    await round()
    console.log(performance.now() - start)
    for (;;) for (const outcome of await round()) if (outcome.kind !== 'done') throw new Error(outcome.message)`)
  writer = file
  return remove
})

/** Lets the loop run and kills it at the given fraction of a round. */
async function runAndKill(state: string, files: string, fraction: number): Promise<void> {
  const child = spawn(process.execPath, [writer, state, files, String(uid), String(gid)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
  await new Promise((resolve) => setTimeout(resolve, fraction * Number(line)))
  child.kill('SIGKILL')
  expect(await exited).toEqual([null, 'SIGKILL'])
}

function checkFiles(files: string): void {
  const content = readFileSync(join(files, 'file'))
  const letter = content.subarray(0, 1).toString()
  expect(['a', 'b']).toContain(letter)
  expect(content.equals(Buffer.alloc(CONTENT_BYTES, letter))).toBe(true)
  for (const name of readdirSync(files).filter((entry) => !entry.startsWith('.'))) {
    const stats = statSync(join(files, name))
    expect({ name, uid: stats.uid, gid: stats.gid, mode: stats.mode & 0o7777 }).toEqual({ name, uid, gid, mode: MODE })
  }
}

/** Kills one worker after the other and returns how often the next run found something to remove. */
async function torment(worker: number): Promise<number> {
  const [state, files] = [temporaryDirectory(), temporaryDirectory()]
  let leftovers = 0
  for (let kill = 0; kill < KILLS_PER_WORKER; kill++) {
    await runAndKill(state, files, (kill * WORKERS + worker) / (KILLS_PER_WORKER * WORKERS))
    checkFiles(files)
    // Killed while it locked, the writer leaves the program that did so for it, which holds the lock until it ends.
    const result = await acquireFixLock({ directory: state, waitMs: 25_000 })
    if (result.kind !== 'held') throw new Error(JSON.stringify(result))
    leftovers += result.lock.recovered.length
    expect(result.lock.notRecovered).toEqual([])
    expect(readdirSync(files).filter((name) => name !== 'file' && name !== 'directory')).toEqual([])
    result.lock.release()
  }
  return leftovers
}

test(`killed ${KILLS_PER_WORKER * WORKERS} times: whole content, right owner and mode, nothing left after the next run`, async () => {
  const leftovers = await Promise.all(Array.from({ length: WORKERS }, (_, worker) => torment(worker)))
  // Most of a round is spent with a temporary file; if none was ever left, the kills came at the wrong time.
  expect(leftovers.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(0)
})
