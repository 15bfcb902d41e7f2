import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { known } from '../../../../src/model/observation.ts'
import { attachmentPattern } from '../../../../src/subjects/mac/apparmor-profiles/attachment.ts'
import { type Includes, MODES, parseProfiles } from '../../../../src/subjects/mac/apparmor-profiles/profile-file.ts'
import { readStoredProfiles } from '../../../../src/subjects/mac/apparmor-profiles/stored.ts'
import { put } from '../../../support/contract.ts'
import { expectAgreement } from '../../../support/proof.ts'
import { cases, sample } from '../../../support/soak.ts'
import { machineIn } from '../../../support/setting-machine.ts'
import { temporaryDirectory } from '../../../support/temporary.ts'

const NO_INCLUDES: Includes = { read: () => ({ kind: 'known', value: null }), idle: new Set<string>() }

function parsed(text: string) {
  return parseProfiles({ file: 'a', text }, NO_INCLUDES)
}

/** The features for which the parser compiles where no kernel is asked. */
const FEATURES = '/etc/apparmor.d/abi/3.0'
const needsParser =
  existsSync('/usr/sbin/apparmor_parser') && existsSync(FEATURES) ? undefined : 'needs apparmor_parser'

/** What the kernel would be given: each profile with its mode, and whether its file is to complain as a whole. */
function compiled(files: readonly string[], base: string): Readonly<Record<string, string>> {
  const { stdout, stderr, status } = spawnSync(
    'apparmor_parser',
    ['-S', '-K', '-O', 'no-expr-simplify', '-M', FEATURES, '-b', base, ...files.map((file) => join(base, file))],
    { maxBuffer: 1 << 28 },
  )
  if (status !== 0) throw new Error(String(stderr))
  const NAME = Buffer.from('\x04\x08\x00profile\x00\x07\x05', 'latin1')
  const VERSION = Buffer.from('\x04\x08\x00version\x00\x02', 'latin1')
  const FLAGS = Buffer.from('\x04\x06\x00flags\x00\x07\x02', 'latin1')
  const found: Record<string, string> = {}
  for (let at = stdout.indexOf(NAME); at !== -1; at = stdout.indexOf(NAME, at + 1)) {
    const length = stdout.readUInt16LE(at + NAME.length)
    const start = at + NAME.length + 2
    const flags = stdout.indexOf(FLAGS, start) + FLAGS.length
    const version = stdout.lastIndexOf(VERSION, at) + VERSION.length
    // FORCE_COMPLAIN_FLAG of the kernel, which overrides the profile. @see security/apparmor/policy_unpack.c
    const isForced = (stdout.readUInt32LE(version) & 0x800) !== 0
    const mode = isForced ? 'complain' : (MODES[stdout.readUInt32LE(flags + 5)] ?? '?')
    found[stdout.toString('utf8', start, start + length - 1)] = mode
  }
  return found
}

const flags = fc.constantFrom(
  '',
  ' flags=(complain)',
  ' flags=(audit,complain)',
  ' flags=( attach_disconnected , mediate_deleted )',
  ' flags = (kill)',
  ' (complain)',
  ' flags=(unconfined)',
  ' flags=(complain attach_disconnected)',
)
const gap = fc.constantFrom(' ', '  ', '\n', ' # {\n', '\t')
const rules = fc.array(
  fc.constantFrom(
    '/usr/{bin,sbin}/x rix,',
    'capability net_admin,',
    'deny /a/{b,c}/** w, # profile x {',
    '# ^hat {',
    '# }',
    '"/with space/{a,b}" r,',
    'mount options=(rw, bind) /a -> /b/,',
    'signal (send, receive) set=(kill, term) peer=/x,',
    'change_profile -> /y,',
    '/x cx -> kid,',
    'include if exists <nothing/here>',
    'include <rules>',
    '#include <rules>',
    '@{X}/y r,',
    'owner @{Y}{a,b}* rw,',
    'if defined @{X} { /i r, } else { /j r, }',
    'set rlimit nofile <= 10,',
    'audit deny owner /a/\\{b w,',
  ),
  { maxLength: 5 },
)

/** A profile with children, of names that no other one has. */
function profileText(index: number): fc.Arbitrary<string> {
  const id = `p${index}U`
  const names = fc.constantFrom(
    `profile ${id}`,
    `profile ${id} /usr/bin/${id}`,
    `profile "p ${id}" "/usr/b in/${id}"`,
    `/usr/bin/${id}`,
    `/usr/{bin,sbin}/${id}`,
    `"/usr/bin/p ${id}"`,
    `profile /usr/lib/**/${id}-[a-c]?`,
    `profile ${id} @{X}/${id}`,
    `profile @{Y}/${id}`,
    `profile p@{X}${id}`,
    `profile p\\ ${id} /{usr/,}bin/p`,
    `profile ${id}{a,b} /x`,
  )
  const child = fc
    .record({ start: fc.constantFrom('^h', 'hat h', 'profile c', 'profile /bin/c', '^"h '), flags, gap, rules })
    .map(({ start, ...each }) => ({ ...each, start }))
  return fc
    .record({ name: names, flags, gap, rules, children: fc.array(child, { maxLength: 2 }), after: rules })
    .map(({ name, children, ...each }) => {
      const inner = children.map(
        ({ start, ...kid }, at) =>
          `${start}${at}${start.includes('"') ? '"' : ''}${kid.flags}${kid.gap}{\n${kid.rules.join('\n')}\n}\n`,
      )
      return `${name}${each.flags}${each.gap}{\n${each.rules.join('\n')}\n${inner.join('')}${each.after.join('\n')}\n}\n`
    })
}

const HEAD = `# profile none {
abi <abi/3.0>,
include <tunables/x>
alias /nowhere/ -> /elsewhere/,
`

describe.skipIf(needsParser)('the parser of AppArmor', () => {
  const counts = { usual: 120, soak: 3000 }
  const count = cases(counts)
  test(`${count} files give the same profiles with the same modes`, () => {
    const base = temporaryDirectory()
    const texts = sample(
      fc.record({
        profiles: fc.tuple(profileText(1), profileText(2)),
        link: fc.constantFrom('', '', '', 'disable', 'force-complain'),
      }),
      counts,
      1,
    )
    put(base, {
      rules: '/usr/share/** r, # {\ndeny /b w,\n',
      'tunables/x': '@{X}=/opt /srv\n@{X}+=/home/"a b"\n@{Y}=/one/\n@{Z}=@{Y}/z\n',
      'abi/3.0': '',
    })
    spawnSync('cp', [FEATURES, join(base, 'abi/3.0')])
    const files = texts.map(({ profiles, link }, at) => {
      const name = `f${at}`
      // Names are those of their file, so that all of them can be compiled at once.
      const text = HEAD + profiles.join('').replaceAll('U', `x${at}`)
      put(base, { [`etc/apparmor.d/${name}`]: text })
      if (link !== '') put(base, { [`etc/apparmor.d/${link}/${name}`]: '' })
      return name
    })
    for (const each of ['rules', 'tunables', 'abi']) spawnSync('mv', [join(base, each), join(base, 'etc/apparmor.d')])
    const found = readStoredProfiles(machineIn(base))
    if (found.kind === 'unknown') throw new Error(found.detail)
    const ours = Object.fromEntries((found.value?.profiles ?? []).map(({ name, mode }) => [name, mode]))
    const real = compiled(files, join(base, 'etc/apparmor.d'))
    expect(Object.keys(real).length).toBeGreaterThan(count)
    const names = [...new Set([...Object.keys(ours), ...Object.keys(real)])]
    const wrong = names.filter((name) => ours[name] !== real[name])
    expectAgreement({ reader: 'profiles of AppArmor', program: 'apparmor_parser', texts: count }, wrong)
  })
})

test.each([
  ['a plain path', '/usr/bin/x', ['/usr/bin/x'], ['/usr/bin/xy', '/bin/x']],
  [
    'alternatives within a name',
    '/usr/{bin,sbin}/x{,y}',
    ['/usr/bin/x', '/usr/sbin/xy'],
    ['/usr/x', '/usr/bin,sbin/x'],
  ],
  ['one star, which stops at a slash', '/opt/*/x', ['/opt/a/x'], ['/opt/a/b/x']],
  ['two stars, which do not', '/opt/**/x', ['/opt/a/b/x'], ['/opt/x/y']],
  ['one character and a class', '/bin/?[a-c][^x]', ['/bin/zab'], ['/bin//ab', '/bin/zdb', '/bin/zax']],
  ['characters of regular expressions', '/bin/a.b+(c)$', ['/bin/a.b+(c)$'], ['/bin/aXb+(c)$']],
  ['a character behind a backslash', '/bin/\\{a\\*', ['/bin/{a*'], ['/bin/a', '/bin/{ab']],
  ['alternatives in alternatives', '/{a,b{c,d}}/x', ['/a/x', '/bd/x'], ['/b/x']],
])('the attachment of a profile: %s', (_name, expression, matching, others) => {
  const pattern = attachmentPattern(expression)
  expect(matching.filter((path) => pattern?.test(path) !== true)).toEqual([])
  expect(others.filter((path) => pattern?.test(path) !== false)).toEqual([])
})

test.each(['/a/{b', '/a/b}', '/{a,{b}'])('the expression %s is not understood', (expression) => {
  expect(attachmentPattern(expression)).toBeUndefined()
})

test.each([
  ['a brace that belongs to the word before it', 'profile a{ }\n'],
  ['a profile that does not end', 'profile a {\n'],
  ['a brace too much', 'profile a { }\n}\n'],
  ['a profile of another namespace', 'profile :ns:a { }\n'],
  ['a profile within a child', 'profile a { profile b { profile c { } } }\n'],
  ['a hat of no profile', '^a { }\n'],
  ['a profile that a condition makes one', 'profile a { if defined @{X} { ^h { } } }\n'],
  ['a variable that is nowhere', 'profile a @{X}/b { }\n'],
  ['a variable that is made of itself', '@{X}=@{X}\nprofile a @{X}/b { }\n'],
  ['an include that is not there', 'include <nothing>\n'],
  ['an unknown block', 'strange a {\n}\n'],
  ['a rule without its comma', 'profile a { /x r }\n'],
  ['a quote that does not end', 'profile a { "/x r, }\n'],
])('an unsupported text is unknown: %s', (_name, text) => {
  expect(parsed(text)).toMatchObject({ kind: 'unknown', reason: 'invalid' })
})

test('an include stands in the block that it is in, and hats come from it', () => {
  const read: Includes['read'] = (path) =>
    known(path === 'hats' ? [{ file: '/etc/apparmor.d/hats', text: '^one { }\n\n ^two flags=(complain) { }\n' }] : null)
  const found = parseProfiles({ file: 'a', text: 'profile a { include <hats>\n }\n' }, { read, idle: new Set() })
  expect(found).toMatchObject({
    value: [
      { name: 'a' },
      { name: 'a//one' },
      { name: 'a//two', mode: 'complain', file: '/etc/apparmor.d/hats', line: 3 },
    ],
  })
})

test('a file that includes itself is unknown', () => {
  const read: Includes['read'] = () => known([{ file: 'b', text: 'include <b>\n' }])
  expect(parseProfiles({ file: 'a', text: 'include <b>\n' }, { read, idle: new Set() })).toMatchObject({
    kind: 'unknown',
  })
})

test('an include that ends the profile in which it stands is unknown', () => {
  const read: Includes['read'] = () => known([{ file: 'b', text: '} profile x {\n' }])
  expect(parseProfiles({ file: 'a', text: 'profile a { include <b>\n }' }, { read, idle: new Set() })).toMatchObject({
    kind: 'unknown',
  })
})
