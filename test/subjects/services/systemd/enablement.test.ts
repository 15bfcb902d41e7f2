import { chmodSync } from 'node:fs'
import process from 'node:process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { needsSystemctl } from '../../../support/systemctl.ts'
import { openUnitFiles } from '../../../../src/subjects/services/systemd/enablement.ts'
import { needsRoot } from '../../../support/temporary.ts'
import { link, makeRoot, MASK, stateIn, STATIC, systemctlState, unit, type UnitTree } from './unit-tree.ts'
import { cases } from '../../../support/soak.ts'

const ETC = '/etc/systemd/system'
const RUN = '/run/systemd/system'
const LOCAL = '/usr/local/lib/systemd/system'
const LIB = '/usr/lib/systemd/system'
const DEV_NULL: UnitTree = { '/dev/null': { content: '' } }

interface Case {
  readonly why: string
  readonly tree: UnitTree
  readonly name?: string
  readonly state: string
}

const CASES: readonly Case[] = [
  { why: 'no file', tree: {}, state: 'missing' },
  { why: 'an [Install] section and no link', tree: { [`${LIB}/a.service`]: unit() }, state: 'disabled' },
  { why: 'no [Install] section', tree: { [`${LIB}/a.service`]: STATIC }, state: 'static' },
  {
    why: 'a link in .wants',
    tree: { [`${LIB}/a.service`]: unit(), [`${ETC}/multi-user.target.wants/a.service`]: link(`${LIB}/a.service`) },
    state: 'enabled',
  },
  {
    why: 'a link in .requires, wherever it leads',
    tree: { [`${LIB}/a.service`]: unit(), [`${ETC}/b.service.requires/a.service`]: link('../gone.service') },
    state: 'enabled',
  },
  {
    why: 'a link that ends with the running system',
    tree: { [`${LIB}/a.service`]: unit(), [`${RUN}/multi-user.target.wants/a.service`]: link(`${LIB}/a.service`) },
    state: 'enabled-runtime',
  },
  {
    why: "a link of the vendor's",
    tree: { [`${LIB}/a.service`]: unit(), [`${LIB}/multi-user.target.wants/a.service`]: link('../a.service') },
    state: 'disabled',
  },
  {
    why: 'an alias that [Install] names',
    tree: { [`${LIB}/a.service`]: unit('Alias=b.service'), [`${ETC}/b.service`]: link(`${LIB}/a.service`) },
    state: 'enabled',
  },
  {
    why: 'an alias that [Install] does not name',
    tree: { [`${LIB}/a.service`]: unit(), [`${ETC}/b.service`]: link(`${LIB}/a.service`) },
    state: 'indirect',
  },
  {
    why: 'a name that is the alias',
    tree: { [`${LIB}/a.service`]: unit(), [`${LIB}/b.service`]: link('a.service') },
    name: 'b.service',
    state: 'alias',
  },
  { why: 'Also alone', tree: { [`${LIB}/a.service`]: unit('Also=b.service') }, state: 'indirect' },
  { why: 'a link to /dev/null', tree: { [`${LIB}/a.service`]: unit(), [`${ETC}/a.service`]: MASK }, state: 'masked' },
  { why: 'a mask that ends with the running system', tree: { [`${RUN}/a.service`]: MASK }, state: 'masked-runtime' },
  { why: 'an empty file', tree: { [`${ETC}/a.service`]: { content: '' } }, state: 'masked' },
  {
    why: 'a mask of what counts less than the file',
    tree: { [`${ETC}/a.service`]: unit(), [`${LIB}/a.service`]: MASK },
    state: 'disabled',
  },
  {
    why: 'a file in a directory that counts more',
    tree: { [`${LOCAL}/a.service`]: STATIC, [`${LIB}/a.service`]: unit() },
    state: 'static',
  },
  {
    why: 'a file linked in from elsewhere',
    tree: { '/opt/a.service': unit(), [`${ETC}/a.service`]: link('/opt/a.service') },
    state: 'linked',
  },
  {
    why: 'a file linked in until the system ends',
    tree: { '/opt/a.service': unit(), [`${RUN}/a.service`]: link('/opt/a.service') },
    state: 'linked-runtime',
  },
  {
    why: 'a link that leads nowhere',
    tree: { [`${ETC}/a.service`]: link('/opt/a.service') },
    state: 'missing',
  },
  {
    why: 'an alias of a unit that is gone',
    tree: { [`${ETC}/a.service`]: link(`${LIB}/b.service`) },
    state: 'missing',
  },
  {
    why: 'aliases in a circle',
    tree: { [`${ETC}/a.service`]: link('b.service'), [`${ETC}/b.service`]: link('a.service') },
    state: 'unknown',
  },
  {
    why: 'an alias of another type',
    tree: { [`${LIB}/a.timer`]: unit(), [`${LIB}/a.service`]: link('a.timer') },
    state: 'unknown',
  },
  {
    why: 'an instance of a template',
    tree: { [`${LIB}/t@.service`]: unit(), [`${ETC}/getty.target.wants/t@x.service`]: link(`${LIB}/t@.service`) },
    name: 't@x.service',
    state: 'enabled',
  },
  {
    why: 'an instance next to the enabled one',
    tree: { [`${LIB}/t@.service`]: unit(), [`${ETC}/getty.target.wants/t@x.service`]: link(`${LIB}/t@.service`) },
    name: 't@y.service',
    state: 'disabled',
  },
  {
    why: 'an instance that the vendor starts',
    tree: { [`${LIB}/t@.service`]: unit(), [`${LIB}/x.target.wants/t@x.service`]: link('../t@.service') },
    name: 't@x.service',
    state: 'static',
  },
  {
    why: 'an instance of an alias of a template',
    tree: {
      [`${LIB}/t@.service`]: unit(),
      [`${LIB}/u@.service`]: link('t@.service'),
      [`${ETC}/getty.target.wants/t@x.service`]: link(`${LIB}/t@.service`),
    },
    name: 'u@x.service',
    state: 'enabled',
  },
  {
    why: 'an instance with a mask of its own',
    tree: { [`${LIB}/t@.service`]: unit(), [`${ETC}/t@x.service`]: MASK },
    name: 't@x.service',
    state: 'masked',
  },
  {
    why: 'a drop-in with an [Install] section',
    tree: { [`${LIB}/a.service`]: STATIC, [`${ETC}/a.service.d/10.conf`]: unit() },
    state: 'disabled',
  },
  {
    why: 'a drop-in that takes [Install] back',
    tree: { [`${LIB}/a.service`]: unit(), [`${ETC}/a.service.d/10.conf`]: unit('WantedBy=') },
    state: 'static',
  },
  {
    why: 'a drop-in of the template',
    tree: { [`${LIB}/t@.service`]: STATIC, [`${ETC}/t@.service.d/10.conf`]: unit() },
    name: 't@x.service',
    state: 'disabled',
  },
  {
    why: 'of drop-ins with one name the first',
    tree: {
      [`${LIB}/a.service`]: unit(),
      [`${ETC}/a.service.d/10.conf`]: { content: '# nothing\n' },
      [`${LIB}/a.service.d/10.conf`]: unit('WantedBy='),
    },
    state: 'disabled',
  },
  { why: 'a generated file', tree: { '/run/systemd/generator/a.service': STATIC }, state: 'generated' },
  { why: 'a transient file', tree: { '/run/systemd/transient/a.service': STATIC }, state: 'transient' },
  {
    why: 'an init script that is started',
    tree: { '/etc/init.d/a': { content: '#!/bin/sh\n' }, '/etc/rc5.d/S01a': link('../init.d/a') },
    state: 'enabled',
  },
  {
    why: 'an init script that is not started',
    tree: { '/etc/init.d/a': { content: '#!/bin/sh\n' }, '/etc/rc5.d/K01a': link('../init.d/a') },
    state: 'disabled',
  },
  {
    why: 'an init script, not the unit that was generated for it',
    tree: {
      '/etc/init.d/a': { content: '#!/bin/sh\n' },
      '/etc/rc5.d/S01a': link('../init.d/a'),
      '/run/systemd/generator.late/a.service': STATIC,
    },
    state: 'enabled',
  },
  {
    why: 'an alias of what is masked until the system ends',
    tree: { ...DEV_NULL, [`${RUN}/b.service`]: MASK, [`${ETC}/a.service`]: link(`${RUN}/b.service`) },
    state: 'masked-runtime',
  },
  {
    why: 'a link to a mask outside the directories',
    tree: { ...DEV_NULL, [`${RUN}/a.service`]: link('/opt/a.service'), '/opt/a.service': MASK },
    state: 'masked',
  },
  {
    why: 'a unit, not the init script it replaces',
    tree: { '/etc/init.d/a': { content: '#!/bin/sh\n' }, [`${LIB}/a.service`]: STATIC },
    state: 'static',
  },
  {
    why: 'directories that are links themselves',
    tree: {
      '/lib': link('usr/lib'),
      [`${LIB}/a.service`]: unit(),
      [`${ETC}/b.service`]: link('/lib/systemd/system/a.service'),
    },
    name: 'b.service',
    state: 'alias',
  },
]

test.each(CASES)('$why: $state', ({ tree, name = 'a.service', state }) => {
  expect(stateIn(makeRoot(tree), name)).toBe(state)
})

test.skipIf(needsSystemctl).each(CASES)('systemctl agrees on $why', ({ tree, name = 'a.service', state }) => {
  const real = systemctlState(makeRoot(tree), name)
  expect(real === 'refused' ? 'unknown' : real).toBe(state)
})

test('an alias stands for its unit, of which it is told', () => {
  const place = makeRoot({ [`${LIB}/a.service`]: unit(), [`${LIB}/b.service`]: link('a.service') })
  expect(openUnitFiles(place).lookUp('b.service')).toMatchObject({ value: { unit: 'a.service', isInstallable: true } })
})

test.skipIf(needsRoot)('a directory that may not be read proves nothing (needs root)', () => {
  const place = makeRoot({ [`${ETC}/a.service`]: unit() })
  chmodSync(`${place.root}${ETC}`, 0)
  process.seteuid?.(65_534)
  try {
    expect(openUnitFiles(place).lookUp('a.service')).toMatchObject({ kind: 'unknown', reason: 'permission-denied' })
  } finally {
    process.seteuid?.(0)
  }
})

const NAMES = [
  'a.service',
  'b.service',
  'c.service',
  't@.service',
  't@x.service',
  'u@.service',
  'u@x.service',
  'a.timer',
]
const PLACES = [ETC, ETC, RUN, LOCAL, LIB, LIB, '/run/systemd/transient', '/etc/systemd/system.control', '/opt']
const INSTALL = [
  'WantedBy=multi-user.target',
  'RequiredBy=c.service',
  'Alias=b.service',
  'Alias=c.service a.service',
  'Alias=u@.service',
  'Also=c.service',
  'WantedBy=',
  'Alias=',
  '# WantedBy=x.target',
  'WantedBy = \\\n x.target y.target',
  'nonsense',
]

const content = fc
  .array(fc.constantFrom(...INSTALL), { maxLength: 3 })
  .chain((lines) => fc.constantFrom(unit(lines.join('\n')), unit(lines.join('\n')), STATIC, { content: '' }))
const somewhere = fc.tuple(fc.constantFrom(...PLACES), fc.constantFrom(...NAMES)).map((parts) => parts.join('/'))
const links = fc.oneof(somewhere, somewhere, fc.constantFrom('/dev/null', ...NAMES)).map(link)
const dependent = fc
  .tuple(fc.constantFrom(...PLACES), fc.constantFrom('x.target.wants', 'c.service.requires'), fc.constantFrom(...NAMES))
  .map((parts) => parts.join('/'))
const dropIn = fc
  .tuple(somewhere, fc.constantFrom('10.conf', '20.conf', '30.txt'))
  .map(([path, name]) => `${path}.d/${name}`)
const entry = fc.oneof(
  fc.tuple(somewhere, fc.oneof(content, links)),
  fc.tuple(dependent, links),
  fc.tuple(dropIn, content),
)

test.skipIf(needsSystemctl)('systemctl agrees on any content of the directories', () => {
  const agree = (entries: readonly (readonly [string, UnitTree[string]])[]): void => {
    const place = makeRoot({ ...DEV_NULL, ...Object.fromEntries(entries) })
    for (const name of ['a.service', 't@x.service', 'u@x.service']) {
      const real = systemctlState(place, name)
      if (real !== 'refused') expect([name, stateIn(place, name)]).toEqual([name, real])
    }
  }
  fc.assert(fc.property(fc.array(entry, { minLength: 1, maxLength: 12 }), agree), {
    numRuns: cases({ usual: 8, soak: 600 }),
  })
})
