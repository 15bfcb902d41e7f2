import { run } from '../../support/programs.ts'
import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, linkSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { NO_JOURNAL } from '../../../src/host/live/journal.ts'
import { createLocalRemediator } from '../../../src/host/live/local-remediator.ts'
import { audit, fix } from '../../subjects/files/file/scene.ts'
import { needsRoot, temporaryDirectory } from '../../support/temporary.ts'

const remediator = createLocalRemediator(NO_JOURNAL)
const NOBODY = 65_534

function has(...programs: readonly string[]): boolean {
  return programs.every((program) => spawnSync(program, ['--version']).error === undefined)
}

const skipped =
  needsRoot ??
  (has('setfacl', 'getfacl', 'setfattr', 'getfattr', 'setcap') ? undefined : 'needs the tools of acl, attr and libcap')

/** A file with everything that a plain copy loses. */
function decorated(mode: number): string {
  const path = join(temporaryDirectory(), 'file')
  writeFileSync(path, 'old')
  chmodSync(path, mode)
  run('setfattr', '-n', 'user.note', '-v', 'kept', path)
  run('setfacl', '-m', 'u:nobody:r', path)
  return path
}

const root = { uid: 0, gid: 0 }
const content = { kind: 'bytes', bytes: Buffer.from('new') } as const

describe.skipIf(skipped)(`a file that is replaced (${skipped ?? 'as root'})`, () => {
  test('keeps its access control list and extended attributes, and gets the mode that is wanted', async () => {
    const path = decorated(0o640)
    const before = run('getfacl', '-cpE', path)
    expect(before).toContain('user:nobody:r--')
    expect(await remediator.writeFile(path, content, { ...root, mode: 0o640 })).toEqual({ kind: 'done' })
    expect(readFileSync(path, 'utf8')).toBe('new')
    expect(run('getfacl', '-cpE', path)).toBe(before)
    expect(run('getfattr', '--only-values', '-n', 'user.note', '--absolute-names', path)).toBe('kept')
    expect(await remediator.writeFile(path, content, { uid: NOBODY, gid: NOBODY, mode: 0o600 })).toEqual({
      kind: 'done',
    })
    // The group bits of the mode are the mask of the list: what it grants is out of force and still there.
    expect(statSync(path)).toMatchObject({ mode: 0o100600, uid: NOBODY })
    expect(run('getfacl', '-cp', path)).toContain('user:nobody:r--')
  })

  test('keeps its capabilities, which every write takes away', async () => {
    const path = decorated(0o755)
    run('setcap', 'cap_net_raw+ep', path)
    const before = run('getcap', path)
    expect(before).toContain('cap_net_raw')
    expect(await remediator.writeFile(path, content, { uid: NOBODY, gid: NOBODY, mode: 0o755 })).toEqual({
      kind: 'done',
    })
    expect([readFileSync(path, 'utf8'), run('getcap', path)]).toEqual(['new', before])
  })

  test('a list that the directory gives to new files is not given to one that had none', async () => {
    const directory = temporaryDirectory()
    const path = join(directory, 'file')
    writeFileSync(path, 'old', { mode: 0o644 })
    run('setfacl', '-d', '-m', 'u:nobody:rw', directory)
    expect(await remediator.writeFile(path, content, { ...root, mode: 0o644 })).toEqual({ kind: 'done' })
    expect(run('getfacl', '-cpE', path)).toBe('user::rw-\ngroup::r--\nother::r--\n\n')
  })
})

/** Our processes that copy attributes. */
function copying(): readonly string[] {
  return readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8')
    .split(' ')
    .filter((pid) => pid !== '' && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('--attributes-only'))
}

describe.skipIf(skipped)(`files that are replaced one after another (${skipped ?? 'as root'})`, () => {
  const replace = async (): Promise<string> => {
    const path = decorated(0o640)
    expect(await remediator.writeFile(path, content, { ...root, mode: 0o640 })).toEqual({ kind: 'done' })
    return run('getfattr', '--only-values', '-n', 'user.note', '--absolute-names', path)
  }

  test('share the process that copies attributes, and another follows one that was killed', async () => {
    expect(await replace()).toBe('kept')
    const first = copying()
    expect(first).toHaveLength(1)
    expect(await replace()).toBe('kept')
    expect(copying()).toEqual(first)
    process.kill(Number(first[0]), 'SIGKILL')
    expect(await replace()).toBe('kept')
    expect(await replace()).toBe('kept')
    expect(copying()).toHaveLength(1)
    expect(copying()).not.toEqual(first)
  })

  test('start no cp where there are no attributes', async () => {
    const path = join(temporaryDirectory(), 'file')
    writeFileSync(path, 'old')
    expect(await replace()).toBe('kept')
    // Page faults of the children that it has waited for. @see proc_pid_stat(5)
    const faults = (): readonly (string | undefined)[] =>
      copying().map((pid) => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[8])
    const before = faults()
    expect(before).toEqual([expect.stringMatching(/^[1-9]/)])
    expect(await remediator.writeFile(path, content, { ...root, mode: 0o640 })).toEqual({ kind: 'done' })
    expect([readFileSync(path, 'utf8'), faults()]).toEqual(['new', before])
  })
})

describe('a file with other names', () => {
  test('is not replaced, for the others would keep the old content, and an audit says so', async () => {
    const path = join(temporaryDirectory(), 'file')
    writeFileSync(path, 'old', { mode: 0o644 })
    linkSync(path, `${path}.other`)
    const reason = 'it has 2 hard links, and the others would keep the old content; remove the other links first'
    const decision = await audit({ name: path, content: 'new' })
    expect(decision.plan).toMatchObject({
      kind: 'act',
      obstacles: [{ reason: expect.stringContaining('2 hard links') }],
    })
    const attributes = { uid: process.geteuid?.() ?? 0, gid: process.getegid?.() ?? 0, mode: 0o644 }
    expect(await remediator.writeFile(path, content, attributes)).toEqual({
      kind: 'failed',
      message: `cannot write ${path}: ${reason}`,
    })
    expect([readFileSync(path, 'utf8'), statSync(path).nlink]).toEqual(['old', 2])
  })

  test('gets attributes where no other user could have linked it', async () => {
    const path = join(temporaryDirectory(), 'file')
    writeFileSync(path, '', { mode: 0o600 })
    linkSync(path, `${path}.other`)
    expect((await fix({ name: path })).after.drift).toEqual([])
  })

  test.skipIf(needsRoot).each([
    { why: 'of another user', mode: 0o755, uid: NOBODY },
    { why: 'that is world-writable', mode: 0o777, uid: 0 },
    { why: 'like /tmp', mode: 0o1777, uid: 0 },
  ])('gets none in a directory $why (needs root)', async ({ mode, uid }) => {
    const root = temporaryDirectory()
    const [precious, theirs] = [join(root, 'precious'), join(root, 'theirs')]
    writeFileSync(precious, '', { mode: 0o600 })
    mkdirSync(theirs)
    linkSync(precious, join(theirs, 'file'))
    chmodSync(theirs, mode)
    chownSync(theirs, uid, uid)
    const { outcome } = await fix({ name: join(theirs, 'file'), owner: 'nobody', mode: '0666' })
    expect(outcome).toMatchObject({ kind: 'failed', message: expect.stringContaining('other hard links') as string })
    expect(statSync(precious)).toMatchObject({ uid: 0, mode: 0o100600 })
  })
})
