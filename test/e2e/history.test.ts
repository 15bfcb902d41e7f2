import { mkdirSync, readdirSync, readFileSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import {
  driftgate,
  DRIFTGATE,
  type Outcome,
  start,
  temporaryDirectory,
  UNPRIVILEGED,
  writePolicy,
} from '../support/driftgate.ts'
import { listed, storedIn } from '../support/scenes/history.ts'
import { needsStrace } from '../support/programs.ts'
import { needsRoot } from '../support/temporary.ts'

/** A directory with a policy `p.json` that wants these files to be absent. */
function machine(uid?: number): { readonly cwd: string; readonly run: (...args: string[]) => Promise<Outcome> } {
  const cwd = temporaryDirectory(uid)
  writePolicy(join(cwd, 'p.json'), [
    { name: join(cwd, 'a'), ensure: 'absent' },
    { name: join(cwd, 'b'), ensure: 'absent' },
  ])
  return { cwd, run: (...args) => driftgate(args, { cwd, ...(uid === undefined ? {} : { uid }) }) }
}

function readStored(
  directory: string,
  file: string,
): { readonly exit: { readonly code: number }; readonly run: object } {
  return JSON.parse(gunzipSync(readFileSync(join(directory, file))).toString())
}

test.skipIf(needsRoot)('a history that is denied is exit 1 (needs root)', async () => {
  const { cwd, run } = machine(UNPRIVILEGED)
  mkdirSync(join(cwd, 'theirs'), { mode: 0o755 })
  const { code, stderr } = await run('scan', 'p.json', '--history', 'theirs', '--quiet')
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: 'driftgate: cannot store the run in theirs: permission denied\n',
  })
})

test.skipIf(needsRoot)('an ordinary user has a directory of their own (needs root)', async () => {
  const { cwd } = machine(UNPRIVILEGED)
  const user = { cwd, ...(UNPRIVILEGED === undefined ? {} : { uid: UNPRIVILEGED }) }
  const empty = await driftgate(['history'], user)
  expect(empty).toMatchObject({ code: 0, stdout: '', stderr: expect.stringContaining('no saved runs in') })
  await driftgate(['scan', 'p.json', '--history', '--quiet'], user)
  await driftgate(['scan', 'p.json', '--history', '--quiet'], { ...user, env: { XDG_STATE_HOME: `${cwd}/xdg` } })
  await driftgate(['scan', 'p.json', '--history', '--quiet'], { ...user, env: { STATE_DIRECTORY: 'relative' } })
  expect(storedIn(join(cwd, '.local/state/driftgate/history'))).toHaveLength(2)
  expect(storedIn(join(cwd, 'xdg/driftgate/history'))).toHaveLength(1)
})

describe.skipIf(needsStrace)('killed while it stores', () => {
  // The calls of storing in their order; the first rename and the flushes around it are those of the run's own file.
  test.each([
    ['writing the index', 'write', '/index.ndjson'],
    ['before the rename', '?rename,?renameat,?renameat2', ''],
    ['flushing', 'fsync', ''],
  ])('%s, what was stored before is there, and nothing is half there', async (_when, calls, path) => {
    const { cwd, run } = machine()
    await run('scan', 'p.json', '--history', 'h', '--quiet')
    const inject = ['-f', '-o', '/dev/null', '-e', `trace=${calls}`, '-e', `inject=${calls}:signal=KILL:when=1`]
    const only = path === '' ? [] : ['-P', join(cwd, 'h/index.ndjson')]
    const scan = [process.execPath, DRIFTGATE, 'scan', 'p.json', '--history', 'h', '--quiet']
    expect(await start('strace', [...inject, ...only, ...scan], { cwd }).outcome).toMatchObject({ signal: 'SIGKILL' })
    const files = storedIn(join(cwd, 'h')).filter((name) => !name.startsWith('.'))
    for (const file of files) expect(readStored(join(cwd, 'h'), file).exit.code).toBe(0)
    const before = await run('history', '--history', 'h')
    expect(before).toMatchObject({ code: 0, stderr: '' })
    expect(before.stdout.match(/ audit /g)).toHaveLength(files.length)
    expect(files.length).toBe(path === '' ? 1 : 2)
    for (const name of readdirSync(join(cwd, 'h')).filter((each) => each.startsWith('.'))) {
      utimesSync(join(cwd, 'h', name), 0, 0)
    }
    await run('scan', 'p.json', '--history', 'h', '--quiet')
    expect(await listed({ run })).toHaveLength(files.length + 1)
    expect(readdirSync(join(cwd, 'h')).filter((name) => name.startsWith('.'))).toEqual([])
  })
})
