import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { configurationOf, readConfiguration } from '../../../../src/subjects/kernel-modules/live/configuration.ts'
import {
  matchesPattern,
  normalizeName,
  parseModprobeFile,
} from '../../../../src/subjects/kernel-modules/live/modprobe-file.ts'
import { createLocalProbe } from '../../../../src/host/live/probe.ts'
import { readRealPath } from '../../../../src/host/live/tree-reader.ts'
import { findSystemProgram, SYSTEM_PATH } from '../../../../src/host/live/system-programs.ts'
import { hostile } from '../../../support/hostile-files.ts'
import { expectAgreement } from '../../../support/proof.ts'
import { PATIENCE, sample } from '../../../support/soak.ts'
import { temporaryDirectory } from '../../../support/temporary.ts'

test('the lines that say something, each with where it starts', () => {
  const text =
    '# install a b\n\ninstall usb-storage  /bin/false  x\n\tblacklist\ta-b c\noptions x y\nalias a\\\n-b c-d e\ninstall z\nblacklist q'
  expect(parseModprobeFile(text)).toEqual([
    { kind: 'install', pattern: 'usb_storage', command: ' /bin/false  x', line: 3 },
    { kind: 'blacklist', module: 'a_b', line: 4 },
    { kind: 'alias', pattern: 'a_b', module: 'c_d', line: 6 },
    { kind: 'blacklist', module: 'q', line: 9 },
  ])
})

test('a line ends at NUL', () => {
  const lines = parseModprobeFile('install hfs \0/bin/false\nblacklist a\0b\n')
  expect(lines).toEqual([{ kind: 'blacklist', module: 'a', line: 2 }])
})

test.each([
  ['a-b', 'a_b'],
  ['a[x-z]-b', 'a[x-z]_b'],
  ['a[b', undefined],
  ['a]b', undefined],
])('%s is %s', (written, name) => expect(normalizeName(written)).toBe(name))

test.each([
  ['usb*', 'usb_storage', true],
  ['usb?', 'usb_storage', false],
  ['[!a-c]x', 'dx', true],
  ['[^a-c]x', 'ax', false],
  ['[c-a]x', 'bx', false],
  ['[!c-a]x', 'bx', true],
  ['a.c', 'abc', false],
  [String.raw`\abc`, 'abc', true],
  [String.raw`a\*`, 'ab', false],
  [String.raw`[!a\\]*`, 'bc', true],
  ['(a*', '(ab', true],
])('the pattern %s and %s: %s', (pattern, name, matches) => expect(matchesPattern(pattern, name)).toBe(matches))

const MODULES = ['cramfs', 'usb_storage', 'usb_uas', 'hfs', 'hfsplus']
const ROOTS = ['etc', 'run', 'usr/local/lib', 'lib']
const needsKmod =
  findSystemProgram('modprobe') === undefined || findSystemProgram('depmod') === undefined
    ? 'modprobe and depmod of kmod are not installed'
    : undefined

const NAMES = [
  'cramfs',
  'usb-storage',
  'usb_storage',
  'usb*',
  'hfs?*',
  'h[a-g]s',
  '[!c]*s',
  'hfs',
  'usb-[t-v]as',
  'bad[',
]
const space = fc.constantFrom(' ', '  ', '\t', ' \t', ' \\\n', '\\\n ')
const line = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .tuple(space, fc.constantFrom(...NAMES), space, fc.constantFrom('/bin/false', '/bin/true', '/x y', 'a\\b c', ''))
      .map((parts) => ['install', ...parts].join('')),
  },
  fc.tuple(space, fc.constantFrom(...NAMES)).map((parts) => ['blacklist', ...parts].join('')),
  fc.constantFrom(
    '',
    '# x',
    ' # y',
    '#install hfs /bin/no',
    ' install hfs /bin/led',
    'options hfs a=1',
    'remove hfs /bin/r',
    'nonsense',
    '\\',
  ),
)
const file = fc.array(line, { maxLength: 5 }).map((lines) => `${lines.join('\n')}\n`)
const configuration = fc.dictionary(
  fc
    .tuple(
      fc.constantFrom(...ROOTS),
      fc.constantFrom('a.conf', 'b.conf', 'B.conf', '10-c.conf', 'd.alias', '.h.conf', 'n.txt'),
    )
    .map(([root, name]) => `${root}/modprobe.d/${name}`),
  file,
  { maxKeys: 6 },
)

/** Where modules have no symbols depmod complains, and still lists them. */
function kernelTree(): string {
  const root = temporaryDirectory()
  const directory = join(root, 'lib/modules/6.1.0/kernel')
  mkdirSync(directory, { recursive: true })
  for (const name of MODULES) writeFileSync(join(directory, `${name}.ko`), '')
  execFileSync('depmod', ['-b', root, '6.1.0'], { stdio: 'ignore', env: { ...process.env, PATH: SYSTEM_PATH } })
  return root
}

function modprobe(args: readonly string[]): string {
  const env = { PATH: SYSTEM_PATH, LC_ALL: 'C' }
  return execFileSync('modprobe', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], env })
}

test.skipIf(needsKmod)(
  'the lines, their order and the one that counts are those of modprobe',
  { timeout: PATIENCE },
  () => {
    const tree = kernelTree()
    const differencesOf = (files: Readonly<Record<string, string>>): readonly unknown[] => {
      const root = temporaryDirectory()
      for (const directory of ROOTS) mkdirSync(join(root, directory, 'modprobe.d'), { recursive: true })
      for (const [path, text] of Object.entries(files)) writeFileSync(join(root, path), text)
      const places = ROOTS.flatMap((directory) => ['-C', join(root, directory, 'modprobe.d')])
      const read = readConfiguration({
        probe: createLocalProbe(),
        realPath: readRealPath,
        place: { root },
      })
      if (read.kind === 'unknown') return []
      const lines = read.value.files.flatMap((each) => each.lines)
      // A backslash at the end of a file is followed by a character that no file has.
      const shown = modprobe([...places, '--showconfig']).replaceAll('\ufffd', '\\')
      const said = (keyword: string): readonly string[] =>
        [...shown.matchAll(new RegExp(`(?<=^|\\n)${keyword} [^\\n]*`, 'g'))].map(([each]) => each)
      const ours = [
        lines.flatMap((each) => (each.kind === 'install' ? `install ${each.pattern} ${each.command}` : [])),
        lines.flatMap((each) => (each.kind === 'blacklist' ? `blacklist ${each.module}` : [])).toSorted(),
        MODULES.slice(0, 3).map((name) => {
          const [counts] = configurationOf(name, read.value).install
          return counts === undefined
            ? `insmod ${tree}/lib/modules/6.1.0/kernel/${name}.ko`
            : `install ${counts.command}`.trimEnd()
        }),
      ]
      const theirs = [
        said('install'),
        said('blacklist').toSorted(),
        MODULES.slice(0, 3).map((name) =>
          modprobe([...places, '-d', tree, '-S', '6.1.0', '--show-depends', name])
            .replace(/\n[^]*/, '')
            .trimEnd(),
        ),
      ]
      return JSON.stringify(ours) === JSON.stringify(theirs) ? [] : [{ files, ours, theirs }]
    }
    const all = sample(hostile(configuration), { usual: 60, soak: 5_000 }, 1)
    expectAgreement({ reader: 'modprobe.d', program: 'modprobe', texts: all.length }, all.flatMap(differencesOf))
  },
)
