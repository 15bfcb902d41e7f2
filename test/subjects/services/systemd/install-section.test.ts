import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readInstallSection } from '../../../../src/subjects/services/systemd/install-section.ts'
import { hostile } from '../../../support/hostile-files.ts'
import { expectAgreement } from '../../../support/proof.ts'
import { PATIENCE } from '../../../support/soak.ts'
import { cannotAsk, type Files, machines, named, REFUSED, truths } from '../../../support/surface-oracle.ts'

const NOTHING = { aliases: [], wantedBy: [], requiredBy: [], upheldBy: [], also: [], isInstallable: false }

test.each([
  ['no section', ['[Unit]\nDescription=x\n'], NOTHING],
  ['another section', ['[Service]\nWantedBy=multi-user.target\n'], NOTHING],
  [
    'WantedBy',
    ['[Install]\nWantedBy=multi-user.target\n'],
    { ...NOTHING, wantedBy: ['multi-user.target'], isInstallable: true },
  ],
  [
    'RequiredBy',
    ['[Install]\n  RequiredBy =  b.service\n'],
    { ...NOTHING, requiredBy: ['b.service'], isInstallable: true },
  ],
  ['UpheldBy', ['[Install]\nUpheldBy=b.service'], { ...NOTHING, upheldBy: ['b.service'], isInstallable: true }],
  ['comments', ['[Install]\n# WantedBy=a.target\n; Alias=b.service\n'], NOTHING],
  // As systemctl of systemd 252 reads them.
  [
    'a quote that is not closed',
    ['[Install]\nWantedBy=a.target b" c.target\n'],
    { ...NOTHING, wantedBy: ['a.target'], isInstallable: true },
  ],
  ['a form feed in a key', ['[Install]\nWantedBy\f=a.target\n'], NOTHING],
  [
    'a carriage return and a NUL byte, which end lines',
    ['[Install]\rAlso=b.service \\\r\nc.service\0Also=d.service'],
    { ...NOTHING, also: ['b.service', 'c.service', 'd.service'] },
  ],
  ['a byte order mark', ['\uFEFF[Install]\nAlso=b.service\n'], { ...NOTHING, also: ['b.service'] }],
  [
    'a byte order mark in a later line',
    ['[Unit]\n\uFEFF[Install]\nAlso=b.service\n'],
    { ...NOTHING, also: ['b.service'] },
  ],
  ['a second byte order mark', ['\uFEFF[Unit]\n\uFEFF[Install]\nAlso=b.service\n'], NOTHING],
  ['Also alone', ['[Install]\nAlso=b.service\n'], { ...NOTHING, also: ['b.service'] }],
  [
    'several aliases in quotes',
    ['[Install]\nAlias="b.service" \'c.service\' d.service\nAlias=e.service\n'],
    { ...NOTHING, aliases: ['b.service', 'c.service', 'd.service', 'e.service'], isInstallable: true },
  ],
  [
    'a continued line with a comment in it',
    ['[Install]\nAlias=b.service \\\n# no end\n  c.service\nAlso=d.service\\\\\n'],
    { ...NOTHING, aliases: ['b.service', 'c.service'], also: ['d.service\\\\'], isInstallable: true },
  ],
  ['an empty value, which takes back', ['[Install]\nWantedBy=a.target\nWantedBy=\n'], NOTHING],
  ['an empty Also, which does not', ['[Install]\nAlso=b.service\nAlso=\n'], { ...NOTHING, also: ['b.service'] }],
  ['a drop-in that takes back', ['[Install]\nWantedBy=a.target\n', '[Install]\nWantedBy=\n'], NOTHING],
  [
    'a drop-in that adds',
    ['[Unit]\n', '[Install]\nWantedBy=a.target\n'],
    { ...NOTHING, wantedBy: ['a.target'], isInstallable: true },
  ],
])('%s', (_, texts, expected) => {
  expect(readInstallSection('a.service', texts)).toEqual(expected)
})

test('only a template has a default instance', () => {
  const texts = ['[Install]\nDefaultInstance=a\nWantedBy=b.target\n']
  expect(readInstallSection('a@.service', texts)).toMatchObject({ defaultInstance: 'a' })
  expect(readInstallSection('a.service', texts)).not.toHaveProperty('defaultInstance')
})

test('units of types without aliases have no aliases', () => {
  expect(readInstallSection('a.mount', ['[Install]\nAlias=b.mount\n'])).toEqual(NOTHING)
})

const DIRECTORY = '/usr/lib/systemd/system'
const line = fc.constantFrom(
  '[Install]',
  '[Install]',
  '[Unit]',
  '\uFEFF[Install]',
  '# WantedBy=c.target',
  '; a comment \\',
  '',
  'Description=a \\',
  'WantedBy=a.target',
  'WantedBy = a.target b.target',
  'WantedBy="a.target" \'b.target\'',
  'RequiredBy=c.target',
  'RequiredBy=a.target \\\n  # within\n  d.target',
  'WantedBy=',
  'RequiredBy=d.target \\',
)
const unitText = fc
  .array(line, { minLength: 1, maxLength: 7 })
  .map((lines) => lines.map((each) => `${each}\n`).join(''))
const units: fc.Arbitrary<Files> = fc.record(
  { [`${DIRECTORY}/u.service`]: unitText, [`/etc/systemd/system/u.service.d/a.conf`]: unitText },
  { requiredKeys: [`${DIRECTORY}/u.service`] },
)

const needs = cannotAsk(['systemctl'])

test.skipIf(needs)(named('systemctl makes the links that driftgate reads', needs), { timeout: PATIENCE }, () => {
  const all = machines(hostile(units))
  const said = truths(all, {
    directories: ['/etc/systemd/system'],
    each: `d=$PWD/$count
if systemctl --root=$d enable u.service > /dev/null 2> $d/err; then (cd $d/etc/systemd/system; find . -type l > $d/truth); else echo refused > $d/truth; fi`,
  })
  const wrong = all.flatMap((files, index): unknown[] => {
    if (said[index] === REFUSED) return []
    const { wantedBy, requiredBy } = readInstallSection('u.service', Object.values(files))
    // Other words are no names of units, and systemctl passes over them.
    const isName = (name: string): boolean => /^[\w:.\\-]+\.target$/.test(name)
    const links = [
      ...wantedBy.filter(isName).map((name) => `./${name}.wants/u.service`),
      ...requiredBy.filter(isName).map((name) => `./${name}.requires/u.service`),
    ]
    const ours = [...new Set(links)].toSorted().join('\n')
    const theirs = said[index]?.trim().split('\n').toSorted().join('\n')
    return ours === theirs ? [] : [{ files, ours, theirs }]
  })
  expectAgreement({ reader: 'units of systemd', program: 'systemctl', texts: all.length }, wrong)
})
