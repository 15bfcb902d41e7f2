import { expect, test } from 'vitest'
import { readInstallSection } from '../../../../src/subjects/services/systemd/install-section.ts'

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
