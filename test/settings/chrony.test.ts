import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { recordFiles } from '../../src/settings/files.ts'
import { chrony } from '../../src/settings/chrony.ts'
import { machineOf } from '../support/setting-machine.ts'
import { cannotAsk, effectiveOn, type Files, machines, named, truths, valueOn } from '../support/surface-oracle.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { hostile } from '../support/hostile-files.ts'
import { expectAgreement } from '../support/proof.ts'
import { PATIENCE } from '../support/soak.ts'

const line = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .tuple(
        fc.constantFrom('server', 'pool', 'POOL', ' server'),
        fc.constantFrom(' a', '  b   iburst ', '\tc maxsources 2'),
      )
      .map((parts) => parts.join('')),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      '! server z',
      '# x',
      '',
      'rtcsync',
      'user x',
      'port 0',
      'makestep 1',
      'foo',
      'commandkey 1',
      'log tracking',
      'log',
      'log all',
      'local stratum 16',
      'local stratum 10 orphan',
      'bindcmdaddress /run/x',
      'bindaddress eth0',
      'leapsecmode slew',
      'leapsecmode off',
      'ratelimit interval 3 burst 8',
      'ratelimit 3',
      'allow 10.0.0.0/8 10.1',
      'driftfile /x y',
      'driftfile /x',
      'allow',
      '% y',
      '; z',
    ),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      'include ROOT/etc/inc/*.conf',
      'include ROOT/etc/inc/a.conf',
      'confdir ROOT/etc/d1 ROOT/etc/d2',
      'confdir ROOT/etc/none',
      'include ROOT/etc/inc/[ab]?.conf',
    ),
  },
)
const simple = fc.constantFrom('server q\n', 'pool r iburst\n\nserver s\n', '# none\n', 'port 5')
const files: fc.Arbitrary<Files> = fc
  .tuple(
    fc.array(line, { maxLength: 6 }),
    fc.dictionary(
      fc
        .tuple(
          fc.constantFrom('/etc/inc', '/etc/d1', '/etc/d2'),
          fc.constantFrom('a.conf', 'B.conf', 'b2.conf', 'x.sources', '10.sources'),
        )
        .map((parts) => parts.join('/')),
      simple,
      { maxKeys: 6 },
    ),
  )
  .map(([lines, others]) => ({ ...others, '/etc/chrony/chrony.conf': `${lines.join('\n')}\n` }))

test('of a file of sources nothing else counts', () => {
  const others = { '/etc/chrony/s.d/a.sources': 'server a iburst\nmakestep 1 3\ncmdport 0\n' }
  const files = { ...others, '/etc/chrony/chrony.conf': 'sourcedir /etc/chrony/s.d\n' }
  expect(['server', 'makestep', 'cmdport'].map((key) => valueOn(chrony, files, key))).toEqual([
    'a iburst',
    undefined,
    '323',
  ])
})

test.each([
  ['include /etc/none/*.conf', /^unknown: .*\/etc\/none does not exist, so chronyd does not start/],
  ['include /etc/chrony/*.none', undefined],
])('%s', (line, expected) => {
  const said = valueOn(chrony, { '/etc/chrony/chrony.conf': `${line}\nmakestep 1 3\n` }, 'makestep')
  if (expected === undefined) expect(said).toBe('1 3')
  else expect(said).toMatch(expected)
})

// Of chronyd 4.3, which says the same of each of these lines with -p.
test.each([
  ['foo bar', 'unknown directive foo'],
  ['server', 'server has too few arguments'],
  ['server a iburst bogus', 'unknown option bogus'],
  ['server a minpoll x', 'option minpoll has no valid value'],
  ['server a key', 'option key has no valid value'],
  ['makestep 1', 'makestep has too few arguments'],
  ['cmdport x', 'cmdport x is not a number'],
  ['rtcsync yes', 'rtcsync has too many arguments'],
  ['user a b', 'user has too many arguments'],
  ['local stratum 16', 'local stratum 16 is not valid'],
  ['leapsecmode smear', 'leapsecmode smear is not valid'],
  ['log everything', 'log everything is not valid'],
  ['bindaddress eth0', 'bindaddress eth0 is not valid'],
  ['ratelimit 3', 'ratelimit 3 is not valid'],
])('chronyd does not start with %j', (line, why) => {
  const files = { '/etc/chrony/chrony.conf': `pool a iburst\n${line}\n` }
  expect(effectiveOn(chrony, files, 'pool')).toBe(`/etc/chrony/chrony.conf:2: ${why}, so chronyd does not start`)
})

test('an invalid source of a sourcedir is passed over', () => {
  const files = {
    '/etc/chrony/chrony.conf': 'sourcedir /etc/s\n',
    '/etc/s/a.sources': 'server b iburst bogus\nserver c iburst minpoll 4 xleave\n',
  }
  expect(valueOn(chrony, files, 'server')).toBe('c iburst minpoll 4 xleave')
})

test('a source that chronyd only monitors, or does not contact, does not count', () => {
  const files = {
    '/etc/chrony/chrony.conf': 'pool a iburst noselect\npool c offline\npool b auto_offline\npool noselect.example\n',
  }
  expect(valueOn(chrony, files, 'pool')).toBe('b auto_offline, noselect.example')
})

const needs = cannotAsk(['chronyd'])

test.skipIf(needs)(named('the lines that count are those that chronyd prints', needs), { timeout: PATIENCE }, () => {
  const all = machines(hostile(files))
  const said = truths(all, {
    directories: ['/etc/d1', '/etc/d2'],
    moved: (text, root) => text.replaceAll('ROOT', root),
    each: `chronyd -p -f $PWD/$count/etc/chrony/chrony.conf > $count/truth 2> $count/err || cat $count/err >> $count/truth`,
  })
  const wrong = all.flatMap((each, index): unknown[] => {
    const { files: machine } = recordFiles(
      machineOf(Object.fromEntries(Object.entries(each).map(([path, text]) => [path, text.replaceAll('ROOT', '')]))),
    )
    const read = chrony.read(machine)
    const ours = read.kind === 'known' ? read.value.map(({ key, value }) => `${key} ${value}`.trim()) : [read.detail]
    // chronyd prints them in the order in which it comes to them.
    const truth = (said[index] ?? '')
      .split('\n')
      .map((shown) => shown.trim())
      .filter((shown) => shown !== '')
    const isRefused = truth.some((shown) => shown.includes('Fatal error'))
    if (isRefused) return read.kind === 'unknown' ? [] : [{ files: each, ours, truth }]
    return read.kind === 'unknown' || ours.join('\n') === truth.join('\n') ? [] : [{ files: each, ours, truth }]
  })
  expectAgreement({ reader: 'chrony.conf', program: 'chronyd', texts: all.length }, wrong)
})

test.each([
  ['/etc/chrony/chrony.conf', 'chrony.service'],
  ['/etc/chrony.conf', 'chronyd.service'],
])('where the file is %s the unit is %s', (file, unit) => {
  const { files: config } = recordFiles(machineOf({ [file]: 'pool a\n' }))
  const { activation } = chrony
  expect(typeof activation === 'function' ? activation(config, { section: '', key: 'pool' }) : activation).toEqual({
    kind: 'restart',
    unit,
  })
})

test.skipIf(needs)(named('chronyd judges a candidate before it is put in place', needs), () => {
  const main = '/etc/chrony/chrony.conf'
  const { files: config } = recordFiles(machineOf({ [main]: 'pool a\n', '/usr/sbin/chronyd': '' }))
  const candidate = join(temporaryDirectory(), 'candidate')
  const { check } = chrony.writes(config, { section: '', key: 'pool' })
  const [program = '', ...args] = check?.(candidate) ?? []
  const codeOf = (text: string): number | null => {
    writeFileSync(candidate, text)
    return spawnSync(program, args).status
  }
  expect(codeOf('pool a iburst\n')).toBe(0)
  expect(codeOf('pool\n')).toBe(1)
})

test.skipIf(needs)(named('what chronyd refuses is told in its words', needs), () => {
  const { files: config } = recordFiles(machineOf({ '/etc/chrony/chrony.conf': 'pool\n' }))
  const file = join(temporaryDirectory(), 'chrony.conf')
  writeFileSync(file, 'pool\n')
  const [question] = chrony.witness?.(config, { section: '', key: 'pool' }, {}) ?? []
  const [[program, ...args]] = question?.commands ?? [['']]
  const { status, stdout, stderr } = spawnSync(program, [...args, '-f', file], { encoding: 'utf8' })
  expect(question?.hear([{ exitCode: status ?? 0, stdout, stderr }])).toEqual({
    kind: 'refused',
    words: `chronyd -p: Fatal error : Could not parse pool directive at line 1 in file ${file}`,
  })
})

test('a server is included whatever its options, and no other whose name begins so', () => {
  const { order } = chrony.rulesOf({ section: '', key: 'pool' })
  expect(order.include?.('a iburst, b', ['a', 'b'])).toBe('a iburst, b')
  expect(order.include?.('a.example iburst', ['a', 'a.example'])).toBe('a.example iburst, a')
  expect(order.include?.('a iburst', ['a maxsources 2'])).toBe('a iburst, a maxsources 2')
})
