import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseDpkgStatus } from '../../../../src/subjects/packages/live/dpkg-status.ts'
import { captured, everyVersion } from '../../../support/captured.ts'

const strict = { missingStatus: 'damaged' } as const

function stanza(fields: Readonly<Record<string, string>>): string {
  return Object.entries(fields)
    .map(([name, value]) => `${name}: ${value}\n`)
    .join('')
}

const BASH = { Package: 'bash', Status: 'install ok installed', Architecture: 'amd64', Version: '5.2-1' }

test('reads the known fields and skips the others, with any continuation lines', () => {
  const text = `${stanza(BASH)}Conffiles:\n /etc/bash.bashrc 89269e1298235f1b12b4c16e4065ad0d\nDescription: GNU shell\n Package: no field\n .\n\tVersion: none\n\n`
  expect(parseDpkgStatus(text, strict)).toEqual({
    kind: 'parsed',
    packages: [{ name: 'bash', version: '5.2-1', architecture: 'amd64', state: 'installed', held: false }],
  })
})

test('takes field names in any case and a last stanza without an empty line after it', () => {
  const text = `PACKAGE:bash\nstatus:   hold ok installed  \nversion: 1\n\n\n${stanza({ ...BASH, Package: 'zsh' })}`
  expect(parseDpkgStatus(text, strict)).toEqual({
    kind: 'parsed',
    packages: [
      { name: 'bash', version: '1', architecture: '', state: 'installed', held: true },
      { name: 'zsh', version: '5.2-1', architecture: 'amd64', state: 'installed', held: false },
    ],
  })
})

test.each([
  'not-installed',
  'config-files',
  'half-installed',
  'unpacked',
  'half-configured',
  'triggers-awaited',
  'triggers-pending',
  'installed',
])('knows the state %s', (state) => {
  const parsed = parseDpkgStatus(`${stanza({ ...BASH, Status: `install ok ${state}` })}\n`, strict)
  expect(parsed).toMatchObject({ kind: 'parsed', packages: [{ state }] })
})

test('a package that is meant to be removed is installed as long as it is', () => {
  const parsed = parseDpkgStatus(`${stanza({ ...BASH, Status: 'deinstall ok installed' })}\n`, strict)
  expect(parsed).toMatchObject({ kind: 'parsed', packages: [{ state: 'installed' }] })
})

// dpkg-query calls neither installed. @see dpkg(1), "reinst-required"
test.each(['reinstreq', 'hold-reinstreq'])('a package that dpkg marks with %s is not installed', (flag) => {
  const parsed = parseDpkgStatus(`${stanza({ ...BASH, Status: `install ${flag} installed` })}\n`, strict)
  expect(parsed).toMatchObject({ kind: 'parsed', packages: [{ state: 'reinst-required' }] })
})

test('a package without status is installed only where that is agreed', () => {
  const text = stanza({ Package: 'base-files', Version: '12', Architecture: 'amd64' })
  expect(parseDpkgStatus(text, { missingStatus: 'installed' })).toMatchObject({ packages: [{ state: 'installed' }] })
  expect(parseDpkgStatus(text, strict)).toEqual({
    kind: 'damaged',
    detail: 'line 1: package base-files has no status',
  })
})

test.each([
  ['text that ends within a line', stanza(BASH).trimEnd(), 'line 4: the last line is incomplete'],
  ['a NUL character', `${stanza(BASH)}\nPack\0age: x\n`, 'line 6: NUL characters'],
  ['a line without a colon', `${stanza(BASH)}garbage\n`, 'line 5: a line is not a field'],
  ['a field without a name', `${stanza(BASH)}: x\n`, 'line 5: a line is not a field'],
  ['a continued nothing', `${stanza(BASH)}\n x\n`, 'line 6: a continuation line without a field'],
  ['a package without a name', `${stanza({ Status: BASH.Status, Version: '1' })}`, 'line 1: a package has no name'],
  ['a package with an empty name', stanza({ ...BASH, Package: '' }), 'line 1: a package has no name'],
  [
    'an installed package without version',
    stanza({ Package: 'x', Status: BASH.Status }),
    'line 1: package x has no version',
  ],
  [
    'an unknown state',
    stanza({ ...BASH, Status: 'install ok fine' }),
    'line 1: package bash has the invalid status "install ok fine"',
  ],
  [
    'a state that is cut off',
    stanza({ ...BASH, Status: 'install ok' }),
    'line 1: package bash has the invalid status "install ok"',
  ],
])('%s is damage', (_what, text, detail) => {
  expect(parseDpkgStatus(text, strict)).toEqual({ kind: 'damaged', detail })
})

test('a text cut off anywhere but between packages is damaged', () => {
  const packages = ['a', 'b', 'c'].map((name) => `${stanza({ ...BASH, Package: name })}\n`)
  const whole = packages.join('')
  const ends = new Set([0, ...packages.map((_, index) => packages.slice(0, index + 1).join('').length)])
  fc.assert(
    fc.property(fc.integer({ min: 0, max: whole.length }), (length) => {
      const { kind } = parseDpkgStatus(whole.slice(0, length), strict)
      // The empty line after the last field, and the last fields that are not read, may be missing.
      const isBetween = ends.has(length) || ends.has(length + 1)
      expect(kind).toBe(isBetween ? 'parsed' : 'damaged')
    }),
  )
})

test.each(everyVersion('dpkg', 'status'))(
  'stanzas say what dpkg-query lists of them: dpkg %s',
  (version, { stdout }) => {
    const listed = captured('dpkg', version, 'list').stdout.trimEnd().split('\n')
    const parsed = parseDpkgStatus(stdout, strict)
    if (parsed.kind !== 'parsed') throw new Error(parsed.kind)
    const rows = parsed.packages.map((found) =>
      [found.name, found.version, found.architecture, found.state, found.held ? 'hold' : 'install'].join('\t'),
    )
    expect(rows.toSorted()).toEqual(listed.toSorted())
    expect(rows.length).toBeGreaterThan(1)
  },
)
