import fc from 'fast-check'
import { expect, test } from 'vitest'
import { dconf } from '../../../src/subjects/desktop/dconf.ts'
import { cannotAsk, type Files, machines, named, truths, valueOn } from '../../support/surface-oracle.ts'

const DATABASES = ['a', 'b'] as const
const KEYS = ['org/x/k', 'org/x/l', 'org/y/k'] as const

const keyfile = fc
  .array(
    fc.tuple(fc.constantFrom('org/x', 'org/y', 'org/z'), fc.constantFrom('k', 'l'), fc.integer({ min: 1, max: 99 })),
    { maxLength: 3 },
  )
  .map((lines) =>
    lines.map(([section, key, value]) => `[${section}]\n# ${key}=0\n${key} = uint32 ${value} \n`).join('\n'),
  )

const locks = fc
  .array(fc.constantFrom(...KEYS, 'org/none/k'), { maxLength: 2 })
  .map((keys) => keys.map((key) => `# x\n/${key}\n`).join(''))

const files: fc.Arbitrary<Files> = fc
  .record({
    keyfiles: fc.dictionary(
      fc
        .tuple(fc.constantFrom(...DATABASES), fc.constantFrom('10', '9', 'B', 'a', 'a~', '.x'))
        .map(([database, name]) => `/etc/dconf/db/${database}.d/${name}`),
      keyfile,
      { minKeys: 1, maxKeys: 5 },
    ),
    locks: fc.dictionary(
      fc.constantFrom(...DATABASES).map((database) => `/etc/dconf/db/${database}.d/locks/l`),
      locks,
      { maxKeys: 2 },
    ),
    order: fc.constantFrom('system-db:a\nsystem-db:b\n', '# x\nsystem-db:b # y\nsystem-db:a\n', 'system-db:b\n'),
  })
  .map((each) => ({ ...each.keyfiles, ...each.locks, '/etc/dconf/profile/user': `user-db:user\n${each.order}` }))

const needs = cannotAsk(['dconf'])

test.skipIf(needs)(named('dconf reads the values that driftgate reads', needs), { timeout: 240_000 }, () => {
  const all = machines(files)
  const said = truths(all, {
    each: `d=$PWD/$count/etc/dconf
mkdir -p $d/db/a.d $d/db/b.d
dconf compile $d/a $d/db/a.d; dconf compile $d/b $d/db/b.d
sed "s|system-db:|file-db:$d/|" $d/profile/user > $d/p
XDG_CONFIG_HOME=$d DCONF_PROFILE=$d/p dconf dump / > $count/truth`,
  })
  const wrong = all.flatMap((each, index): unknown[] =>
    KEYS.flatMap((path): unknown[] => {
      const [, section = '', key = ''] = /^(.*)\/(.*)$/.exec(path) ?? []
      const truth = new RegExp(`^\\[${section}\\]\\n(?:.+\\n)*?${key}=(.*)$`, 'm').exec(said[index] ?? '')?.[1]
      const ours = valueOn(dconf, each, path)
      return ours === truth ? [] : [{ files: each, path, ours, truth }]
    }),
  )
  expect(wrong.slice(0, 3)).toEqual([])
})
