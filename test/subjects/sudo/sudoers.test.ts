import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { known } from '../../../src/model/observation.ts'
import { recordFiles } from '../../../src/settings/files.ts'
import { sudoers } from '../../../src/subjects/sudo/index.ts'
import type { ConfigFiles } from '../../../src/settings/surface.ts'
import { createLocalTarget } from '../../../src/host/live/local-target.ts'
import { needsPrograms } from '../../support/programs.ts'
import { machineOf } from '../../support/setting-machine.ts'
import { valueOn } from '../../support/surface-oracle.ts'
import { temporaryDirectory } from '../../support/temporary.ts'
import { hostile } from '../../support/hostile-files.ts'
import { expectAgreement } from '../../support/proof.ts'
import { sample } from '../../support/soak.ts'

const option = fc.constantFrom(
  'use_pty',
  '!use_pty',
  '! use_pty',
  'timestamp_timeout=5',
  'timestamp_timeout=1.2.3',
  '!passwd_tries',
  'passwd_tries=-1',
  'passwd_tries=1.5',
  'timestamp_timeout = -1',
  '!timestamp_timeout',
  'logfile="/var/log/sudo.log"',
  'logfile=/var/log/my\\,sudo.log',
  '!logfile',
  '!authenticate',
  'authenticate',
  'passwd_tries=1',
  'badpass_message="no, # not \\"this\\""',
)

const scope = fc.constantFrom(
  '',
  '',
  '',
  ':alice',
  ':%wheel',
  ':alice,bob',
  '@host1',
  '>root',
  '!/usr/bin/id',
  ':#1000',
  ':%domain\\ users',
  ':alice , bob',
  ': "a b", !carol',
)

const defaults = fc
  .tuple(
    scope,
    fc.array(option, { minLength: 1, maxLength: 3 }),
    fc.constantFrom(',', ', ', ' ,', ', \\\n  '),
    fc.constantFrom('', ' # why', '\t'),
  )
  .map(([who, options, between, end]) => `Defaults${who} ${options.join(between)}${end}`)

const rule = fc.constantFrom(
  'alice ALL=(ALL) NOPASSWD: ALL',
  '%wheel ALL = (root) NOPASSWD:/usr/bin/id, PASSWD: /usr/bin/ls',
  'bob ALL=(ALL:ALL) ALL # NOPASSWD: ALL',
  '#1000 ALL=NOPASSWD: \\\n   /usr/bin/id',
  'erin ALL=(ALL) NOPASSWD: SETENV: PASSWD: ALL',
  'erin ALL=(ALL) PASSWD: NOPASSWD: ALL',
  'carol ALL=(ALL) NOEXEC: NOPASSWD : /usr/bin/vi',
  'dave ALL=/usr/bin/printf NOPASSWD\\:',
  'User_Alias ADMINS = alice, bob',
  'Cmnd_Alias SHELLS = /bin/sh, \\\n /bin/bash',
  '# alice ALL=(ALL) NOPASSWD: ALL',
  '#comment',
  '',
  '# alice was here \\',
  '  #include DIR/more',
  'alice ALL=/bin/echo "a # NOPASSWD: ALL"',
  'alice ALL=/bin/echo "a, NOPASSWD: /bin/id"',
  'alice ALL=/bin/echo \\# NOPASSWD\\: \\\\',
  'alice ALL=NOPASSWD: sudoedit /etc/x "#',
  'alice ALL=/bin/a, \\ \t\n NOPASSWD: /bin/b',
  'alice ALL=(ALL)NOPASSWD:ALL\r',
  'User_Alias NAMED = "x # y"',
  'Defaults logfile=/var/log/x#y',
  'Defaults logfile="/x \\\n y"',
)

const text = (include: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .array(
      fc.oneof({ weight: 5, arbitrary: defaults }, { weight: 3, arbitrary: rule }, { weight: 2, arbitrary: include }),
      { maxLength: 7 },
    )
    // An alias may be there once.
    .map(
      (lines) =>
        `${lines.filter((line, index) => !line.includes('_Alias') || lines.indexOf(line) === index).join('\n')}\n`,
    )

const noInclude = fc.constantFrom('', '# @includedir DIR/none')
const leaf = text(noInclude).map((content) => content.replace(/^\w+_Alias.*(\n .*)?$/gm, ''))

const tree = fc.record({
  sudoers: text(
    fc.constantFrom(
      '@includedir DIR/d',
      '#includedir DIR/d',
      '@include DIR/more',
      '#include "DIR/more"',
      '@include more',
      '@include"DIR/more"# ours',
      '#include DIR/more # ours',
      '@include DIR/more#',
      '#includedir DIR/d # ours',
      ' @include \\\n DIR/more',
      '#include"DIR/more"',
    ),
  ),
  'd/10-a': leaf,
  'd/9-b': leaf,
  'd/custom.conf': leaf,
  'd/old~': leaf,
  more: leaf,
})

const { files } = recordFiles(createLocalTarget())

/** Another directory's sudoers, as if root had written it. */
const withMain = (main: string): ConfigFiles => ({
  ...files,
  text: (path) =>
    files.text(path === '/etc/sudoers' ? main : path.replace(/^\/etc\/more$/, join(dirname(main), 'more'))),
  attributes: (path) => (path.includes('none') ? known(null) : known({ uid: 0, gid: 0, mode: 0o440 })),
})

interface Parsed {
  readonly Defaults?: readonly {
    readonly Binding?: readonly Readonly<Record<string, unknown>>[]
    readonly Options: readonly Readonly<Record<string, unknown>>[]
  }[]
  readonly User_Specs?: readonly {
    readonly Cmnd_Specs: readonly { readonly Options?: readonly Readonly<Record<string, unknown>>[] }[]
  }[]
}

/** cvtsudoers does not escape all that it prints. */
function parsedJson(json: string): Parsed | undefined {
  try {
    return JSON.parse(json.trim() === '' ? '{}' : json) ?? undefined
  } catch {
    return undefined
  }
}

/** What cvtsudoers makes of each file. */
function convert(directory: string, mains: readonly string[]): readonly (Parsed | undefined)[] {
  const script = mains
    .map((main) => `cvtsudoers -c /dev/null -f json '${main}' 2>/dev/null || echo null; echo '==='`)
    .join('\n')
  const path = join(directory, 'convert.sh')
  writeFileSync(path, script)
  const output = execFileSync('sh', [path], { encoding: 'utf8', maxBuffer: 1 << 28 })
  return output.split('===\n').slice(0, -1).map(parsedJson)
}

test.skipIf(needsPrograms('cvtsudoers'))('the output of cvtsudoers for generated trees', () => {
  const directory = temporaryDirectory()
  const trees = sample(hostile(tree), { usual: 520, soak: 5_000 }, 1)
  const mains = trees.map((texts, index) => {
    for (const [name, content] of Object.entries(texts)) {
      const path = join(directory, String(index), name)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, content.replaceAll('DIR', join(directory, String(index))))
    }
    return join(directory, String(index), 'sudoers')
  })
  const theirs = convert(directory, mains)
  const differences: unknown[] = []
  let compared = 0
  for (const [index, main] of mains.entries()) {
    const parsed = theirs[index]
    if (parsed === undefined) continue
    compared += 1
    const ours = sudoers.read(withMain(main))
    if (ours.kind === 'unknown') continue
    const said = ours.value
      .filter(({ key }) => key.startsWith('Defaults.'))
      .map(({ key, value, scope: who }) => `${bindingOf(who)} ${key.slice('Defaults.'.length)}=${value}`)
    // What sudo does not know it ignores, and cvtsudoers leaves out.
    const meant = (parsed.Defaults ?? []).flatMap(({ Binding: binding, Options: options }) => {
      const who = bindingOf((binding ?? []).map((each) => String(Object.values(each)[0])).join())
      return options.flatMap((each) =>
        Object.entries(each).map(([name, value]) => `${who} ${name}=${asWritten(name, value)}`),
      )
    })
    if (said.filter(isKnown).join('\n') !== meant.filter(hasValue).join('\n'))
      differences.push({ said, meant, files: trees[index] })
    const free = (parsed.User_Specs ?? []).filter(({ Cmnd_Specs: specs }) =>
      specs.some(({ Options: options }) => options?.some((each) => each['authenticate'] === false)),
    )
    const places = ours.value.filter(({ key }) => key === 'NOPASSWD')
    if (free.length !== places.length)
      differences.push(
        `${main}: ${places.length} without a password, not ${free.length}: ${JSON.stringify(trees[index])}`,
      )
  }
  expectAgreement({ reader: 'sudoers', program: 'cvtsudoers', texts: trees.length }, differences)
  expect(compared).toBeGreaterThan(trees.length * 0.5)
})

/** sudo ignores an option without its value or with one of another type, which cvtsudoers prints all the same. */
function hasValue(option: string): boolean {
  const [, name = '', value = ''] = / (\w+)=(.*)$/s.exec(option) ?? []
  return NEEDED[name]?.test(value) ?? true
}

const NEEDED: Readonly<Record<string, RegExp>> = {
  logfile: /^(?:\/|false$)/,
  badpass_message: /^(?!true$)/,
  passwd_tries: /^\+?\d+$/,
  timestamp_timeout: /^(?:[-+]?(?:\d+\.?\d*|\.\d+)|false)$/,
}

/** Whether an option is one of those that are generated. */
function isKnown(option: string): boolean {
  return / (?:use_pty|timestamp_timeout|logfile|authenticate|passwd_tries|badpass_message)=/.test(option)
}

function bindingOf(who = ''): string {
  return who.replace(/^Defaults[@:!>]?/, '').replace(/[%#"\\!]/g, '')
}

/** The words for what `!` makes of an option. */
function asWritten(name: string, value: unknown): string {
  return value === false && name === 'timestamp_timeout' ? '0' : String(value)
}

const VALUES = {
  syslog: ['auth', 'nosuch', 'AUTH', 'local7', 'local8', 'mail'],
  syslog_goodpri: ['notice', 'loud'],
  lecture: ['always', 'yes', 'once'],
  verifypw: ['any', 'x'],
  umask: ['0077', '77', '0o77', '999', '0x1', '12345'],
  timestamp_type: ['tty', 'TTY', 'ppid', 'none'],
  timestamp_timeout: ['1.5', '1.2.3', '.5', '-1', '5m', '0x10', '99999999999'],
  passwd_tries: ['3', '-1', '1.5', '99999999999', '+3'],
  passwd_timeout: ['-1', '0.5', 'x'],
  loglinelen: ['0', '-1'],
  closefrom: ['3', '-1', 'x'],
  maxseq: ['ZZZ', '10'],
  iolog_mode: ['0640', '0800'],
  fdexec: ['never', 'maybe'],
  log_format: ['json', 'xml'],
}

test.skipIf(needsPrograms('visudo'))('an option counts only with a value that visudo takes', () => {
  const options = [
    ...Object.entries(VALUES).flatMap(([name, values]) => values.map((value) => [name, `${name}=${value}`])),
    ...['passwd_tries', 'loglinelen', 'umask', 'editor', 'syslog', 'lecture', 'iolog_dir', 'runas_default'].flatMap(
      (name) => [
        [name, `!${name}`],
        [name, `${name}+=x`],
        [name, `!${name}=1`],
      ],
    ),
  ]
  const directory = temporaryDirectory()
  const wrong = options.filter(([name = '', option], index) => {
    const path = join(directory, String(index))
    writeFileSync(path, `Defaults ${option}\n`, { mode: 0o440 })
    const isTaken = spawnSync('visudo', ['-cf', path]).status === 0
    const read = sudoers.read(withMain(path))
    return read.kind === 'unknown' || isTaken !== read.value.some(({ key }) => key === `Defaults.${name}`)
  })
  expect(wrong).toEqual([])
})

// What visudo of sudo 1.9.13 complains of, and sudo ignores.
test.each([
  ['logfile=/var/log/sudo.log\nDefaults logfile=sudo.log', 'logfile', '/var/log/sudo.log'],
  ['logfile=sudo.log', 'logfile', undefined],
  ['iolog_dir="logs"', 'iolog_dir', undefined],
  ['timestamp_timeout=5\nDefaults timestamp_timeout=soon', 'timestamp_timeout', '5'],
  ['timestamp_timeout=2.5', 'timestamp_timeout', '2.5'],
  ['logfile=""', 'logfile', undefined],
  ['use_pty,', 'use_pty', undefined],
  ['use_pty,, !log_year', 'use_pty', undefined],
  [', use_pty', 'use_pty', undefined],
  ['use_pty\\', 'use_pty', undefined],
  ['use_pty\nDefaults:ALL !use_pty', 'use_pty', 'false'],
  ['passwd_tries=many', 'passwd_tries', undefined],
])('Defaults %j leave %s at %s', (text, option, expected) => {
  expect(valueOn(sudoers, { '/etc/sudoers': `Defaults ${text}\n` }, `Defaults.${option}`)).toBe(expected)
})

// visudo rejects these lines, and sudo goes on without them.
test.each([
  'ann ALL=(ALL) NOPASSWD: ALL,',
  'ann ALL=(ALL) NOPASSWD:',
  'ann ALL=(ALL) NOPASSWD: /bin/a,, /bin/b',
  'ann ALL=(ALL) NOPASSWD: ALL\\',
])('a rule with a syntax error needs no notice: %j', (rule) => {
  const { files: texts } = recordFiles(machineOf({ '/etc/sudoers': `${rule}\n` }))
  expect(sudoers.read(texts)).toEqual(known([]))
})

// As cvtsudoers of sudo 1.9.13 prints them.
test.each([
  ['#includedir /etc/d\\\n\nDefaults !use_pty\n', 'false'],
  ['#includedir /etc/d\\\nDefaults !use_pty\n', 'false'],
  ['#includedir /etc/d \\\n\n', 'true'],
  ['@include \\\n/etc/d/x\n', 'true'],
])('a backslash behind a path is a part of it: %j', (text, expected) => {
  expect(valueOn(sudoers, { '/etc/sudoers': text, '/etc/d/x': 'Defaults use_pty\n' }, 'Defaults.use_pty')).toBe(
    expected,
  )
})
