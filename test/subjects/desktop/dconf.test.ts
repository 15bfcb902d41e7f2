import fc from 'fast-check'
import { expect, test } from 'vitest'
import { recordFiles } from '../../../src/settings/files.ts'
import { dconf } from '../../../src/subjects/desktop/dconf.ts'
import {
  agreesWith,
  cannotAsk,
  effectiveOn,
  type Files,
  machines,
  named,
  truths,
  valueOn,
} from '../../support/surface-oracle.ts'
import { machineOf } from '../../support/setting-machine.ts'
import { hostile } from '../../support/hostile-files.ts'
import { expectAgreement } from '../../support/proof.ts'
import { PATIENCE } from '../../support/soak.ts'

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

test.skipIf(needs)(named('dconf reads the values that driftgate reads', needs), { timeout: PATIENCE }, () => {
  const all = machines(hostile(files, /\.d\//))
  const said = truths(all, {
    directories: ['/etc/dconf/db/a.d', '/etc/dconf/db/b.d'],
    moved: (text, root) => text.replace(/^system-db:/gm, `file-db:${root}/etc/dconf/`),
    each: `d=$PWD/$count/etc/dconf
dconf compile $d/a $d/db/a.d; dconf compile $d/b $d/db/b.d
XDG_CONFIG_HOME=$d DCONF_PROFILE=$d/profile/user dconf dump / > $count/truth`,
  })
  const wrong = all.flatMap((each, index): unknown[] =>
    KEYS.flatMap((path): unknown[] => {
      const [, section = '', key = ''] = /^(.*)\/(.*)$/.exec(path) ?? []
      const truth = new RegExp(`^\\[${section}\\]\\n(?:.+\\n)*?${key}=(.*)$`, 'm').exec(said[index] ?? '')?.[1]
      const ours = valueOn(dconf, each, path)
      return agreesWith(ours, truth) ? [] : [{ files: each, path, ours, truth }]
    }),
  )
  expectAgreement({ reader: 'dconf', program: 'dconf', texts: all.length }, wrong)
})

const PROFILE = { '/etc/dconf/profile/user': 'user-db:user\nsystem-db:a\n' }
const AUTORUN = 'org/gnome/desktop/media-handling/autorun-never'
const IDLE = 'org/gnome/desktop/session/idle-delay'

function keyfileOf(path: string, value: string): Files {
  const [, section = '', key = ''] = /^(.*)\/(.*)$/.exec(path) ?? []
  return { ...PROFILE, '/etc/dconf/db/a.d/00': `[${section}]\n${key}=${value}\n` }
}

const TYPED = [
  [AUTORUN, 'true'],
  [AUTORUN, "'true'"],
  [AUTORUN, '1'],
  [IDLE, 'uint32 0'],
  [IDLE, '0'],
  [IDLE, "'0'"],
] as const

const needsSchemas = cannotAsk(['dconf', 'gsettings', 'glib-compile-schemas'])

const SCHEMA = (key: string, type: string, preset: string): string =>
  `<schema id="${key.replace(/\/[^/]*$/, '').replaceAll('/', '.')}" path="/${key.replace(/[^/]*$/, '')}"><key name="${key.replace(/.*\//, '')}" type="${type}"><default>${preset}</default></key></schema>`

test.skipIf(needsSchemas)(named('GNOME ignores a value of another type', needsSchemas), () => {
  const schemas = `<schemalist>${SCHEMA(AUTORUN, 'b', 'false')}${SCHEMA(IDLE, 'u', '300')}</schemalist>`
  const said = truths(
    TYPED.map(([path, value]) => ({ ...keyfileOf(path, value), '/glib-2.0/schemas/a.gschema.xml': schemas })),
    {
      each: `d=$PWD/$count
dconf compile $d/a $d/etc/dconf/db/a.d; echo "file-db:$d/a" > $d/p; glib-compile-schemas $d/glib-2.0/schemas
export XDG_DATA_DIRS=$d XDG_CONFIG_HOME=$d DCONF_PROFILE=$d/p GSETTINGS_BACKEND=dconf
{ gsettings get org.gnome.desktop.media-handling autorun-never; gsettings get org.gnome.desktop.session idle-delay; } > $d/truth`,
    },
  )
  const wrong = TYPED.flatMap(([path, value], index): unknown[] => {
    const truth = said[index]?.split('\n')[path === AUTORUN ? 0 : 1]
    const ours = valueOn(dconf, keyfileOf(path, value), path)
    return ours === truth ? [] : [{ path, value, ours, truth }]
  })
  expect(wrong).toEqual([])
})

test('overrides of schemas are the defaults, of one desktop in its scope', () => {
  const override =
    '[org.gnome.desktop.session]\nidle-delay=uint32 0\n[org.gnome.desktop.media-handling:X]\nautorun-never=true\n'
  const machine = { ...PROFILE, '/usr/share/glib-2.0/schemas/90_a.gschema.override': override }
  expect(valueOn(dconf, machine, IDLE)).toBe('uint32 0')
  expect(valueOn(dconf, { ...machine, ...keyfileOf(IDLE, 'uint32 9') }, IDLE)).toBe('uint32 9')
  expect(effectiveOn(dconf, machine, AUTORUN)).toMatchObject([{ winners: [] }, { scope: 'the desktop X' }])
})

test.each([
  [{ '/etc/environment': 'DCONF_PROFILE=other\n' }, 'sets DCONF_PROFILE'],
  [{ '/etc/profile.d/a.sh': 'export DCONF_PROFILE=other\n' }, 'sets DCONF_PROFILE'],
  [{ '/etc/dconf/profile/user': 'system-db:b\nsystem-db:a\n', '/etc/dconf/db/b': 'GVariant' }, 'has no keyfiles'],
])('values that only the running session knows: %j', (more, why) => {
  expect(effectiveOn(dconf, { ...keyfileOf(IDLE, 'uint32 9'), ...more }, IDLE)).toContain(why)
})

// Each text was given to `dconf compile`, which prints an error and leaves the database as it is, or takes the text.
test.each([
  [
    '[org/gnome/desktop/session]\nidle-delay=uint32 9\nnonsense\n',
    'unknown: /etc/dconf/db/a.d/00:3: dconf rejects this line',
  ],
  [
    '[org/gnome/desktop/session]\nidle-delay=uint32 9 # s\n',
    'unknown: /etc/dconf/db/a.d/00:2: dconf rejects this line',
  ],
  ['idle-delay=uint32 9\n', 'unknown: /etc/dconf/db/a.d/00 does not start with a group'],
  ['[/org/gnome/desktop/session]\nidle-delay=uint32 9\n', 'unknown: /etc/dconf/db/a.d/00:1: dconf rejects this line'],
  ["[org/gnome/desktop/session]\nidle-delay=uint32\t9\n[a]\nb=[('x', 'it\\'s'), ('y', \"\")]\nc=@as []\n", 'uint32 9'],
])('a keyfile with a line that dconf rejects is unknown: %j', (text, expected) => {
  expect(valueOn(dconf, { ...PROFILE, '/etc/dconf/db/a.d/00': text }, IDLE)).toBe(expected)
})

test.each([
  ['/org/a/b\n', ['/org/a/b']],
  ['/org/a/b \n/org/a/c\r\n /org/a/d\n', ['/org/a/b ', '/org/a/c\r']],
])('a lock is the whole line: %j', (text, expected) => {
  const read = dconf.read(recordFiles(machineOf({ ...PROFILE, '/etc/dconf/db/a.d/locks/l': text })).files)
  expect(read.kind === 'known' && read.value.map(({ key }) => key)).toEqual(expected)
})
