import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { known, type Reading } from '../../../../src/model/observation.ts'
import { decodeAcl, encodeAcl } from '../../../../src/host/acl.ts'
import { decodeCapabilities, encodeCapabilities, formatCapabilities } from '../../../../src/host/capabilities.ts'
import {
  findReadingProgram,
  findWritingProgram,
  type SystemProgram,
} from '../../../../src/host/live/access/programs.ts'
import { openAccessReader } from '../../../../src/host/live/access/reader.ts'
import { hasProgram } from '../../../support/programs.ts'
import { cases } from '../../../support/soak.ts'
import { needsRoot, temporaryDirectory } from '../../../support/temporary.ts'

const TOOLS = ['setfacl', 'getfacl', 'setcap', 'getcap', 'getfattr']
const skipped = needsRoot ?? (TOOLS.every(hasProgram) ? undefined : `needs ${TOOLS.join(', ')}`)

/** The same few numbers in every run. */
function generator(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff
    return (state >> 8) % below
  }
}

function bits(number: number): string {
  return ['r', 'w', 'x'].map((letter, index) => ((number >> (2 - index)) & 1 ? letter : '-')).join('')
}

function run(program: string, ...args: readonly string[]): string {
  return execFileSync(program, args, { encoding: 'utf8', maxBuffer: 1 << 26 })
}

function answeringWith(script: string): () => Reading<SystemProgram> {
  return () => known({ name: 'sh', command: '/bin/sh', args: ['-c', script] })
}

describe.skipIf(skipped)(`agreement with system tools (${skipped ?? 'as root'})`, () => {
  test.each(['perl', 'python3'])(
    'lists are read by %s as getfacl prints them, and written as they were',
    async (name) => {
      const program = findReadingProgram(name === 'perl' ? ['perl'] : ['python3'])
      if (program.kind === 'unknown') return
      const folder = temporaryDirectory()
      const next = generator(name.length)
      const paths = Array.from({ length: cases({ usual: 250, soak: 2000 }) }, (_, at) => join(folder, String(at)))
      const lists = paths.map((path, at) => {
        mkdirSync(path, { mode: next(512) | 0o700 })
        const entries = Array.from({ length: next(4) }, () => `${next(2) ? 'u' : 'g'}:${next(3000)}:${bits(next(8))}`)
        const mask = entries.length > 0 && next(2) ? [`m::${bits(next(8))}`] : []
        const list = [...entries, ...mask].join(',') || 'o::r'
        return `setfacl ${at % 5 === 0 ? '-d' : ''} -m ${list} ${path}`
      })
      run('sh', '-ec', lists.join('\n'))
      const read = await openAccessReader(() => program).beyondMode(paths)
      const printed = run('getfacl', '-pnE', ...paths)
      const told = printed
        .trim()
        .split('\n\n')
        .map((block) => block.split('\n').filter((line) => !line.startsWith('#')))
      expect(read).toHaveLength(told.length)
      for (const [index, beyond] of read.entries()) {
        if (beyond.kind === 'unknown') throw new Error(beyond.detail)
        for (const [acl, prefix] of [[beyond.value.acl, ''] as const, [beyond.value.defaultAcl, 'default:'] as const]) {
          const expected = told[index]?.filter((line) => line.startsWith('default:') === (prefix !== '')) ?? []
          if (acl === undefined) expect(expected.length).toBeLessThan(4)
          else {
            const users = acl.named.filter(({ kind }) => kind === 'user')
            const groups = acl.named.filter(({ kind }) => kind === 'group')
            expect([
              `${prefix}user::${bits(acl.owner)}`,
              ...users.map((entry) => `${prefix}user:${entry.id}:${bits(entry.bits)}`),
              `${prefix}group::${bits(acl.group)}`,
              ...groups.map((entry) => `${prefix}group:${entry.id}:${bits(entry.bits)}`),
              ...(acl.mask === undefined ? [] : [`${prefix}mask::${bits(acl.mask)}`]),
              `${prefix}other::${bits(acl.other)}`,
            ]).toEqual(expected)
            expect(decodeAcl(encodeAcl(acl))).toEqual(acl)
          }
        }
      }
    },
  )

  test('capabilities have the text that setcap takes for the same bytes', async () => {
    const folder = temporaryDirectory()
    const next = generator(5)
    const flags = ['ep', 'p', 'i', 'eip', 'ip', 'ei']
    const names = ['cap_chown', 'cap_kill', 'cap_net_raw', 'cap_syslog', 'cap_bpf', 'cap_checkpoint_restore']
    const paths = Array.from({ length: cases({ usual: 80, soak: 800 }) }, (_, at) => join(folder, String(at)))
    const commands = paths.map((path) => {
      writeFileSync(path, '')
      const chosen = names.filter(() => next(3) === 0)
      const text = chosen.length === 0 ? `=${flags[next(6)]}` : `${chosen.join(',')}=${flags[next(6)]}`
      return `setcap ${next(4) === 0 ? '-n 1000' : ''} '${text}' ${path}`
    })
    run('sh', '-ec', commands.join('\n'))
    const read = await openAccessReader().beyondMode(paths)
    const again = read.map((beyond, index) => {
      const capabilities = beyond.kind === 'known' ? beyond.value.capabilities : undefined
      if (capabilities === undefined) throw new Error(`${paths[index]} has none`)
      expect(decodeCapabilities(encodeCapabilities(capabilities))).toEqual(capabilities)
      writeFileSync(`${paths[index]}b`, '')
      const [text, id] = formatCapabilities(capabilities).split(/ \[rootid=(\d+)\]/)
      return `setcap ${id === undefined ? '' : `-n ${id}`} '${text}' ${paths[index]}b`
    })
    run('sh', '-ec', again.join('\n'))
    const dump = (suffix: string): string =>
      run(
        'getfattr',
        '--absolute-names',
        '-e',
        'hex',
        '-n',
        'security.capability',
        ...paths.map((path) => `${path}${suffix}`),
      ).replaceAll(/^#.*\n/gm, '')
    expect(dump('b')).toBe(dump(''))
  })
})

test.skipIf(skipped).each(['perl', 'python3'] as const)('%s writes the attributes that it is given', (name) => {
  const program = findWritingProgram([name])
  if (program.kind === 'unknown') return
  const path = join(temporaryDirectory(), 'file')
  writeFileSync(path, '')
  const write = (...pairs: readonly string[]): string =>
    spawnSync(program.value.command, [...program.value.args, path, ...pairs], { encoding: 'utf8' }).stdout
  run('setcap', 'cap_kill=ep', path)
  const list = { owner: 6, group: 4, other: 0, mask: 4, named: [{ kind: 'user', id: 65_534, bits: 4 }] } as const
  const hex = Buffer.from(encodeAcl(list)).toString('hex')
  expect(write('system.posix_acl_access', hex, 'security.capability', '')).toBe('')
  expect(run('getfacl', '-cpn', path)).toContain('user:65534:r--')
  expect(run('getcap', path)).toBe('')
  // What is not there need not be taken away, and no list is no list: ENODATA and EINVAL.
  expect(write('security.capability', '')).toBe('')
  expect(write('system.posix_acl_access', '00')).toBe('22')
})

test.skipIf(skipped).each(['perl', 'python3'] as const)('%s says whether a file has any attribute', (name) => {
  const program = findReadingProgram([name])
  if (program.kind === 'unknown') return
  const folder = temporaryDirectory()
  const paths = ['plain', 'noted', 'listed', 'capable', 'gone'].map((each) => join(folder, each))
  const [plain = '', noted = '', listed = '', capable = ''] = paths
  for (const path of [plain, noted, listed, capable]) writeFileSync(path, '')
  run('setfattr', '-n', 'user.note', '-v', 'kept', noted)
  run('setfacl', '-m', 'u:nobody:r', listed)
  run('setcap', 'cap_kill=ep', capable)
  symlinkSync(noted, join(folder, 'link'))
  const input = [...paths, join(folder, 'link')].map((path) => `*${path}\0`).join('')
  const { stdout } = spawnSync(program.value.command, program.value.args, { input: `${input}\0`, encoding: 'utf8' })
  const some = expect.stringMatching(/^=[1-9]/) as string
  expect(stdout.trim().split('\n')).toEqual(['=0', some, some, some, '!2', some])
})

test('many paths at once, also one that is not there, whose name is no text, and with a line break in it', async () => {
  const folder = temporaryDirectory()
  const odd = join(folder, 'line\nbreak ü')
  writeFileSync(odd, '')
  const paths = [join(folder, 'gone'), odd, ...Array.from({ length: 5000 }, () => folder)]
  const read = await openAccessReader().beyondMode(paths)
  expect(read[0]).toEqual({
    kind: 'unknown',
    reason: 'not-observable',
    detail: `${paths[0]}: no such file or directory`,
  })
  expect(read.slice(1).every(({ kind }) => kind === 'known')).toBe(true)
  expect(read).toHaveLength(paths.length)
})

test('answers are those of their questions, however they overlap', async () => {
  const reader = openAccessReader()
  const folder = temporaryDirectory()
  const gone = join(folder, 'gone')
  const [first, second, none] = await Promise.all([
    reader.beyondMode([folder, gone]),
    reader.beyondMode([gone, folder]),
    reader.beyondMode([]),
  ])
  expect(first.map(({ kind }) => kind)).toEqual(['known', 'unknown'])
  expect(second.map(({ kind }) => kind)).toEqual(['unknown', 'known'])
  expect(none).toEqual([])
})

test.each([
  ['ends', 'exit 3', 'sh: ended with 3'],
  ['says what is no answer', 'echo nonsense; cat', '/: unexpected format of its extended attributes'],
  ['says too little', 'echo "!61 !61"; cat', '/: unexpected format of its extended attributes'],
  ['names no error', 'echo "!x !61 !61"; cat', '/: unexpected format of its extended attributes'],
  ['gives bytes that are not a list', 'echo "=00 !61 !61"; cat', '/: unexpected format of its extended attributes'],
  ['is denied', 'echo "!13 !61 !61"; cat', '/: permission denied'],
])('a program that %s leaves it unknown', async (_case, script, detail) => {
  expect(await openAccessReader(answeringWith(script)).beyondMode(['/'])).toMatchObject([{ kind: 'unknown', detail }])
})

test('a program that cannot be started leaves it unknown, and so does one for each question anew', async () => {
  const find = (): Reading<SystemProgram> => known({ name: 'perl', command: '/nowhere/perl', args: [] })
  const reader = openAccessReader(find)
  for (const path of ['/', '/tmp']) {
    expect(await reader.beyondMode([path])).toEqual([
      { kind: 'unknown', reason: 'not-observable', detail: 'perl: spawn /nowhere/perl ENOENT' },
    ])
  }
})

test('a way through links that lead in a circle is unknown; one that ends is what there is of it', () => {
  const folder = temporaryDirectory()
  symlinkSync('b', join(folder, 'a'))
  symlinkSync('a', join(folder, 'b'))
  const reader = openAccessReader()
  expect(reader.wayTo(join(folder, 'a/file'))).toMatchObject({ kind: 'unknown', reason: 'not-observable' })
  expect(reader.wayTo(join(folder, 'gone/deep/file'))).toEqual(reader.wayTo(join(folder, 'gone')))
})

test('a way is looked at again once something was changed', () => {
  const folder = join(temporaryDirectory(), 'way')
  mkdirSync(folder)
  const reader = openAccessReader()
  const before = reader.wayTo(join(folder, 'file'))
  chmodSync(folder, 0o777)
  expect(reader.wayTo(join(folder, 'file'))).toEqual(before)
  reader.forget()
  const after = reader.wayTo(join(folder, 'file'))
  expect(after.kind === 'known' && after.value.at(-1)).toMatchObject({ path: folder, mode: 0o777 })
})
