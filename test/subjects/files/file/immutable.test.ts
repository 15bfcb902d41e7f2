import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { known, unknown } from '../../../../src/model/observation.ts'
import { compareImmutable } from '../../../../src/subjects/files/file/immutable.ts'
import { findReadingProgram, findWritingProgram } from '../../../../src/host/live/access/programs.ts'
import { openAccessReader } from '../../../../src/host/live/access/reader.ts'
import { NO_JOURNAL } from '../../../../src/host/live/journal.ts'
import { createLocalRemediator } from '../../../../src/host/live/local-remediator.ts'
import { fileResources, MINE, problemsOf } from '../../../compatibility/support.ts'
import { needsRoot, temporaryDirectory } from '../../../support/temporary.ts'
import { audit, examine, fix } from './scene.ts'

const ROOT = { owner: 'root', group: 'root', access: 'any' }

/** Where chattr(1) can set the flag; it is taken away again at the end of the test. */
function folder(): string {
  const path = temporaryDirectory()
  onTestFinished(() => void spawnSync('chattr', ['-R', '-f', '-ia', path]))
  return path
}

function put(name = 'file'): string {
  const path = join(folder(), name)
  writeFileSync(path, 'text')
  return path
}

function chattr(flag: string, path: string): string {
  execFileSync('chattr', [flag, path])
  return path
}

/** Those of `i` and `a` that lsattr(1) prints. */
function flags(path: string): string {
  const [printed = ''] = execFileSync('lsattr', ['-d', path], { encoding: 'utf8' }).split(' ')
  return printed.replaceAll(/[^ia]/g, '')
}

function findObstacle(): string | undefined {
  if (needsRoot !== undefined) return needsRoot
  const path = mkdtempSync(join(tmpdir(), 'driftgate-flags-'))
  const isSet = spawnSync('chattr', ['+i', path]).status === 0
  if (isSet) execFileSync('chattr', ['-i', path])
  rmSync(path, { recursive: true })
  return isSet ? undefined : 'needs chattr and a file system with the immutable flag'
}

const skipped = findObstacle()

describe.skipIf(skipped)(`the immutable flag (${skipped ?? 'as root'})`, () => {
  test.each(['perl', 'python3'] as const)('is read and set by %s as lsattr prints it', async (name) => {
    const program = findReadingProgram([name])
    const writing = findWritingProgram([name])
    if (program.kind === 'unknown' || writing.kind === 'unknown') return
    const at = folder()
    const paths = ['', '+i', '+a', '+ia'].flatMap((change, index) => {
      const [path, directory] = [join(at, `ä ${index}`), join(at, `d${index}`)]
      writeFileSync(path, '')
      mkdirSync(directory)
      return change === '' ? [path, directory] : [chattr(change, path), chattr(change, directory)]
    })
    const read = await openAccessReader(() => program).flags(paths)
    expect(
      read.map(
        (each) => each.kind === 'known' && `${each.value?.immutable ? 'i' : ''}${each.value?.appendOnly ? 'a' : ''}`,
      ),
    ).toEqual(paths.map(flags))
    for (const [value, expected] of [
      ['1', 'ia'],
      ['', 'a'],
    ] as const) {
      for (const path of paths.slice(4, 6)) {
        execFileSync(writing.value.command, [...writing.value.args, path, 'immutable', value])
        expect(flags(path)).toBe(expected)
      }
    }
  })

  test('flags of special files, links and missing paths are unknown; a file system may have no flags', async () => {
    const at = folder()
    const [pipe, link] = [join(at, 'pipe'), join(at, 'link')]
    execFileSync('mkfifo', [pipe])
    symlinkSync(at, link)
    const read = await openAccessReader().flags([pipe, link, join(at, 'gone'), '/proc/version'])
    expect(read.map(({ kind }) => kind)).toEqual(['unknown', 'unknown', 'unknown', 'known'])
    expect(read[3]).toEqual(known(undefined))
  })

  test.each([
    [true, '+i', undefined],
    [true, '-i', false],
    [false, '-i', undefined],
    [false, '+i', true],
  ])('wanted %s after chattr %s', async (immutable, change, observed) => {
    for (const ensure of ['present', 'directory']) {
      const name = ensure === 'present' ? put() : folder()
      chattr(change, name)
      const mode = ensure === 'present' ? '0644' : (statSync(name).mode & 0o777).toString(8).padStart(4, '0')
      const values = { name, ensure, ...ROOT, mode, immutable }
      const drift = observed === undefined ? [] : [{ property: 'immutable', desired: immutable, observed }]
      expect((await audit(values)).drift).toEqual(drift)
      expect(await fix(values)).toMatchObject({ outcome: { kind: 'done' }, after: { drift: [], unknown: [] } })
      expect(flags(name)).toBe(immutable ? 'i' : '')
    }
  })

  test.each([
    ['content', { content: 'other' }],
    ['mode', { mode: '0600' }],
    ['owner', { owner: '4711' }],
  ])('is taken away for a change of %s, and set again', async (_name, values) => {
    const name = chattr('+i', put())
    const wanted = { name, ...ROOT, mode: '0644', immutable: true, ...values }
    expect(await fix(wanted)).toMatchObject({ outcome: { kind: 'done' }, after: { drift: [], unknown: [] } })
    expect(flags(name)).toBe('i')
    expect(readFileSync(name, 'utf8')).toBe('content' in values ? 'other' : 'text')
  })

  test('is set again where the change failed', async () => {
    const name = chattr('+i', put())
    const wanted = { name, ...ROOT, mode: '0644', immutable: true, source: '/dev/null' }
    const { outcome } = await fix({ ...wanted, source: join(name, 'gone') })
    expect(outcome.kind).toBe('failed')
    expect(flags(name)).toBe('i')
  })

  test.each<[string, { readonly of: 'file' | 'directory'; readonly flag: string }, object, string]>([
    ['content of an immutable file', { of: 'file', flag: '+i' }, { content: 'other' }, 'FILE is immutable'],
    ['mode of an immutable file', { of: 'file', flag: '+i' }, { mode: '0600' }, 'FILE is immutable'],
    ['an immutable file goes', { of: 'file', flag: '+i' }, { ensure: 'absent' }, 'FILE is immutable'],
    [
      'content in an immutable directory',
      { of: 'directory', flag: '+i' },
      { content: 'other' },
      'its directory DIRECTORY is immutable',
    ],
    [
      'an append-only file',
      { of: 'file', flag: '+a' },
      { content: 'other' },
      'FILE is append-only: clear the flag with chattr -a',
    ],
  ])('without property immutable the message names the flag: %s', async (_name, { of, flag }, values, said) => {
    const name = put()
    const directory = dirname(name)
    chattr(flag, of === 'file' ? name : directory)
    const examination = await examine({ name, ...ROOT, mode: '0644', ...values })
    if (examination.kind !== 'decided') throw new Error(examination.detail)
    const outcome = await examination.apply(createLocalRemediator(NO_JOURNAL))
    const words = said.replace('FILE', name).replace('DIRECTORY', directory)
    expect(outcome).toEqual({ kind: 'failed', message: expect.stringContaining(`: operation not permitted; ${words}`) })
    const isImmutable = flag === '+i'
    expect('message' in outcome && outcome.message.includes(`file#${of === 'file' ? name : directory} with`)).toBe(
      isImmutable,
    )
    expect(readFileSync(name, 'utf8')).toBe('text')
  })

  test.each([
    ['the tree', '+i', 'immutable', '.'],
    ['a file in it', '+i', 'immutable', 'b/file'],
    ['a directory in it', '+a', 'append-only', 'b'],
    ['the directory that holds it', '+i', 'immutable', '..'],
  ])('a tree is refused before anything of it is removed, because of %s', async (_name, change, flag, flagged) => {
    const name = join(folder(), 'tree')
    mkdirSync(join(name, 'a'), { recursive: true })
    mkdirSync(join(name, 'b'))
    writeFileSync(join(name, 'b/file'), 'text')
    const place = chattr(change, join(name, flagged))
    const unwanted = { name, ensure: 'absent', force: true }
    const advice = `"chattr -${change.slice(1)}" clears the flag`
    const reason = `cannot remove ${name}: ${place} is ${flag}; ${advice}`
    expect((await audit(unwanted)).plan).toEqual({ kind: 'refuse', obstacles: [{ reason }] })
    chattr(change.replace('+', '-'), place)
    expect(await fix(unwanted)).toMatchObject({ outcome: { kind: 'done' }, after: { drift: [] } })
  })

  test('a new file is made immutable last, and a replaced link leaves its target alone', async () => {
    const at = folder()
    const name = join(at, 'new')
    const values = { ...ROOT, mode: '0600', content: 'new', immutable: true }
    expect(await fix({ ...values, name })).toMatchObject({ outcome: { kind: 'done' }, after: { drift: [] } })
    expect([flags(name), readFileSync(name, 'utf8')]).toEqual(['i', 'new'])
    const old = chattr('+i', put())
    const link = join(at, 'link')
    symlinkSync(old, link)
    expect(await fix({ ...values, name: link })).toMatchObject({ outcome: { kind: 'done' }, after: { drift: [] } })
    expect([flags(link), flags(old), readFileSync(old, 'utf8')]).toEqual(['i', 'i', 'text'])
  })

  test('a file system without it is said', async () => {
    const values = { name: '/proc/version', ...ROOT, mode: '0444' }
    expect(await audit({ ...values, immutable: true })).toMatchObject({
      drift: [{ property: 'immutable', desired: true, observed: false }],
      plan: {
        kind: 'refuse',
        obstacles: [{ reason: 'cannot be met here: the file system does not support the flag' }],
      },
    })
    expect((await audit({ ...values, immutable: false })).drift).toEqual([])
  })

  test('missing permission to open the file is unknown, with that reason', async () => {
    const name = put()
    const read = { kind: 'unknown', reason: 'permission-denied' }
    execFileSync('chmod', ['600', name])
    const program = findReadingProgram()
    if (program.kind === 'unknown') throw new Error(program.detail)
    const { command, args } = program.value
    const asNobody = {
      name: 'nobody',
      command: 'setpriv',
      args: ['--reuid=65534', '--regid=65534', '--clear-groups', command, ...args],
    }
    expect(await openAccessReader(() => known(asNobody)).flags([name])).toMatchObject([read])
  })

  test('an invalid answer is no flag', async () => {
    const told = { name: 'sh', command: '/bin/sh', args: ['-c', 'echo =x; cat > /dev/null'] }
    expect(await openAccessReader(() => known(told)).flags(['/'])).toMatchObject([{ kind: 'unknown' }])
  })
})

test('an unknown flag is no difference, and only observed files are compared', () => {
  const flag = unknown('permission-denied', 'no')
  expect(compareImmutable({ flags: flag, throughLink: false }, true)).toMatchObject({
    drift: [],
    unknown: [{ property: 'immutable', reason: 'permission-denied' }],
    isInTheWay: false,
    isSet: false,
  })
  expect(compareImmutable({ flags: undefined, throughLink: false }, true).unknown).toEqual([])
  const appendOnly = known({ immutable: false, appendOnly: true })
  expect(compareImmutable({ flags: appendOnly, throughLink: false }, true).drift).toEqual([
    { property: 'immutable', desired: true, observed: false, note: 'it is append-only' },
  ])
})

test('a path at which nothing may be cannot be immutable', async () => {
  const policy = fileResources(`- /x: { ensure: absent, immutable: false, ${MINE} }`)
  expect((await problemsOf(temporaryDirectory(), policy)).join('\n')).toContain(
    "'immutable' contradicts 'ensure: absent'",
  )
})
