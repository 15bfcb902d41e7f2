import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readPassword } from '../../../../src/subjects/accounts/account-files.ts'
import type { AccountSet } from '../../../../src/subjects/accounts/accounts.ts'
import { parseNsswitch, sourcesOf } from '../../../../src/host/nsswitch.ts'
import { accountsIn, findSystemLibrary, prepareRoot, runInside, whyNoRoot } from '../../../support/account-root.ts'
import { put } from '../../../support/contract.ts'
import { hostile } from '../../../support/hostile-files.ts'
import { expectAgreement } from '../../../support/proof.ts'
import { PATIENCE, sample } from '../../../support/soak.ts'
import { temporaryDirectory } from '../../../support/temporary.ts'

const NAMES = ['ann', 'bob', 'eve']
const DIRECTORIES = ['etc/userdb', 'run/userdb']

/** What perl prints of each name as glibc finds it; as root it shows the field of shadow for a password. */
const ASK = String.raw`
for my $name (qw(ann bob eve)) {
  my @p = getpwnam $name; print join("|", "p", @p[0, 2, 3, 6, 7, 8, 1]), "\n" if @p;
  my @g = getgrnam $name; print join("|", "g", @g[0, 2, 3]), "\n" if @g;
}
`

const name = fc.constantFrom(...NAMES)
const id = fc.constantFrom(0, 1, 1000, 4711, 62_000, 600_000, 65_534, 2_147_483_648)
const hash = fc.constantFrom('', '!', '*', '!$6$a$b', '$y$a$b', '$6$c$d')
const services = fc.constantFrom(
  'files',
  'files systemd',
  'systemd files',
  'systemd',
  'files [NOTFOUND=return] systemd',
  'files [!UNAVAIL=return] systemd',
  'files [UNAVAIL=continue] systemd # last',
  'files[notfound=return]systemd',
  'files [ !SUCCESS = return ] systemd',
  'files [SUCCESS=return NOTFOUND=return UNAVAIL=return] systemd',
  'files [NOTFOUND=return NOTFOUND=continue] systemd',
  'files [!NOTFOUND=continue] systemd',
  'files [NOTFOUND=nothing] systemd',
  'files [NOTFOUND] systemd',
  'files [TRYAGAIN=return UNAVAIL=return',
  '[NOTFOUND=return] files',
  'files # systemd',
  'files # [x]',
  'files [NOTFOUND=return] [UNAVAIL=return] systemd',
  'systemd [NOTFOUND=return] files',
  '',
)
const line = fc.tuple(
  fc.constantFrom('passwd', 'group', 'shadow', ' passwd', 'shadow ', '#group', 'hosts', 'PASSWD'),
  fc.constantFrom(':', ': ', ':\t', ' : ', ' ', '::', ''),
  services,
)
const record = fc.record(
  {
    userName: name,
    uid: id,
    gid: id,
    realName: fc.constantFrom('Eve', 'E F'),
    homeDirectory: fc.constant('/srv/x'),
    shell: fc.constantFrom('/bin/sh', '/bin/false'),
    disposition: fc.constantFrom('regular', 'system'),
  },
  { requiredKeys: ['userName'] },
)
const machine = fc.record({
  passwd: fc.array(fc.tuple(name, id, id), { maxLength: 2 }),
  shadow: fc.array(fc.tuple(name, hash), { maxLength: 2 }),
  group: fc.array(fc.tuple(name, id, fc.constantFrom('', 'ann', 'ann,bob')), { maxLength: 2 }),
  users: fc.array(fc.tuple(fc.constantFrom(...DIRECTORIES), record, fc.option(hash)), { maxLength: 3 }),
  groups: fc.array(fc.tuple(fc.constantFrom(...DIRECTORIES), name, id, fc.subarray(NAMES)), { maxLength: 2 }),
  nsswitch: fc.array(line, { minLength: 2, maxLength: 4 }),
})
type Machine = typeof machine extends fc.Arbitrary<infer Value> ? Value : never

function filesOf({ passwd, shadow, group, users, groups, nsswitch }: Machine): Record<string, string> {
  const records = users.flatMap(([directory, each, password]) => [
    [`${directory}/${each.userName}.user`, JSON.stringify(each)],
    ...(password === null
      ? []
      : [
          [
            `${directory}/${each.userName}.user-privileged`,
            JSON.stringify({ privileged: { hashedPassword: [password] } }),
          ],
        ]),
  ])
  const groupRecords = groups.map(([directory, groupName, gid, members]) => [
    `${directory}/${groupName}.group`,
    JSON.stringify({ groupName, gid, members }),
  ])
  return {
    'etc/nsswitch.conf': nsswitch.map((parts) => `${parts.join('')}\n`).join(''),
    'etc/passwd': passwd.map(([called, uid, gid]) => `${called}:x:${uid}:${gid}:c:/h:/bin/sh\n`).join(''),
    'etc/shadow': shadow.map(([called, password]) => `${called}:${password}:1:0:9:7:::\n`).join(''),
    'etc/group': group.map(([called, gid, members]) => `${called}:x:${gid}:${members}\n`).join(''),
    ...(Object.fromEntries([...records, ...groupRecords]) as Record<string, string>),
  }
}

const noSystemd = whyNoRoot() ?? (findSystemLibrary('libnss_systemd.so.2') ? undefined : 'needs libnss-systemd')

test.skipIf(noSystemd)('an account is found where the system finds it', { timeout: PATIENCE }, () => {
  const generated = sample(hostile(machine.map(filesOf), /nsswitch/), { usual: 200, soak: 5_000 }, 1)
  const root = temporaryDirectory()
  prepareRoot(root)
  writeFileSync(join(root, 'ask.pl'), ASK)
  for (const [index, files] of generated.entries()) {
    mkdirSync(join(root, 'cases', String(index), 'etc'), { recursive: true })
    put(join(root, 'cases', String(index)), files)
  }
  const printed = runInside(
    root,
    `for i in $(seq 0 ${generated.length - 1}); do echo "== $i"; rm -rf etc run; mkdir etc run; cp -r cases/$i/* .; chroot . perl /ask.pl; done`,
  )
  const answers = printed.split(/^== \d+\n/m).slice(1)
  expect(answers).toHaveLength(generated.length)
  const wrong = generated.flatMap((files, index) => {
    const set = accountsIn(join(root, 'cases', String(index))).read()
    const [ours, theirs] = [set.kind === 'unknown' ? [] : seen(set.value), answered(answers[index] ?? '')]
    // It is unknown whether a source that is not asked ends the search.
    if (set.kind === 'known' && set.value.notAsked.length > 0) return []
    return ours.join('\n') === theirs.join('\n') ? [] : [{ files, ours, theirs }]
  })
  expectAgreement({ reader: 'nsswitch.conf', program: 'getent', texts: generated.length }, wrong)
})

/** Passwords by the login they allow. */
function answered(printed: string): readonly string[] {
  return printed
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => (line.startsWith('p') ? line.replace(/[^|]*$/, (field) => readPassword(field).class) : line))
}

function seen({ users, groups }: AccountSet): readonly string[] {
  return NAMES.flatMap((called) => {
    const found = users.find((user) => user.name === called)
    const group = groups.find((each) => each.name === called)
    const password = found?.secret.kind === 'known' ? found.secret.value.password.class : 'unknown'
    return [
      ...(found === undefined
        ? []
        : [['p', called, found.uid, found.gid, found.comment, found.home, found.shell, password].join('|')]),
      ...(group === undefined ? [] : [['g', called, group.gid, group.members.join(' ')].join('|')]),
    ]
  })
}

function read(files: Readonly<Record<string, string>>): AccountSet {
  const root = temporaryDirectory()
  put(root, files)
  const set = accountsIn(root).read()
  if (set.kind === 'unknown') throw new Error(set.detail)
  return set.value
}

test.each([
  ['passwd: files # systemd\n', ['files', 'systemd']],
  ['passwd: files # by hand\n', ['files']],
  ['passwd: files\npasswd: files systemd', ['files']],
  ['passwd:\n', []],
  ['passwd files\nhosts: files [NOTFOUND]\n', undefined],
  ['passwd: files [SUCCESS=continue] systemd\n', ['systemd']],
])('%j has the sources %j', (text, sources) => {
  const found = parseNsswitch(text)
  expect(found && sourcesOf(found, 'passwd')).toEqual(sources)
})

test('members that only records name are members of a group of the file', () => {
  const { groups } = read({
    'etc/nsswitch.conf': 'group: files systemd\n',
    'etc/group': 'sudo:x:27:ann\n',
    'etc/userdb/bob.user': '{"userName":"bob","uid":5,"memberOf":["sudo"]}',
    'run/userdb/eve:sudo.membership': '',
  })
  expect(groups.map(({ members }) => members)).toEqual([['ann', 'bob', 'eve']])
})

test('a record may say something else on this machine', () => {
  const machineId = '0123456789abcdef0123456789abcdef'
  const records = {
    a: {
      userName: 'a',
      uid: 5,
      perMachine: [
        { matchMachineId: machineId, uid: 0 },
        { matchMachineId: ['x'], uid: 9 },
      ],
    },
    b: { userName: 'b', uid: 5, binding: { [machineId]: { uid: 6 }, x: { uid: 7 } } },
    c: { userName: 'c', uid: 5, perMachine: 'x', binding: [] },
  }
  const { users } = read({
    'etc/nsswitch.conf': 'passwd: systemd\n',
    'etc/machine-id': `${machineId}\n`,
    ...Object.fromEntries(
      Object.entries(records).map(([key, value]) => [`etc/userdb/${key}.user`, JSON.stringify(value)]),
    ),
  })
  expect(users.map(({ name: called, uid }) => [called, uid])).toEqual([
    ['a', 0],
    ['b', 6],
    ['c', 5],
  ])
})

test('ages of a record are days, and a locked account has ended', () => {
  const day = 86_400_000_000
  const aged = {
    userName: 'a',
    uid: 5,
    locked: true,
    lastPasswordChangeUSec: 20_000 * day + 5,
    notAfterUSec: day * 30_000,
    passwordChangeMinUSec: day,
    passwordChangeMaxUSec: 90 * day,
    passwordChangeWarnUSec: 7 * day,
    passwordChangeInactiveUSec: 30 * day,
  }
  const { users } = read({
    'etc/nsswitch.conf': 'passwd: systemd\nshadow: systemd\n',
    'etc/userdb/a.user': JSON.stringify(aged),
    'etc/userdb/a.user-privileged': '{"privileged":{"hashedPassword":["$y$a"]}}',
  })
  // The numbers that getent shadow printed of such a record: a:$y$a:20000:1:90:7:30:1:
  expect(users[0]?.secret).toEqual({
    kind: 'known',
    value: {
      password: { class: 'set', scheme: 'yescrypt' },
      ageing: { lastChange: 20_000, min: 1, max: 90, warn: 7, inactive: 30, expires: 1 },
    },
  })
})

test('of a field that a record says twice the first counts, and numbers may be written otherwise', () => {
  const records = {
    // What getent printed of each: systemd 252.
    a: ['{"userName":"a","uid":0,"uid":4005}', 0],
    b: ['{"userName":"b","uid":4005,"x":{"uid":1,"uid":2},"y":["uid"],"uid":0,"uid":7}', 4005],
    c: ['{"userName":"c","uid":0.0}', 0],
    d: ['{"userName":"d","uid":-0}', 0],
    e: ['{"userName":"e","uid":0e5}', 0],
    f: ['{"userName":"f","uid":"0"}', 4_294_967_295],
    g: ['{"userName":"g","realName":"\\\"uid\\\": {","\\u0075id":0,"uid":5}', 0],
  } as const
  const { users } = read({
    'etc/nsswitch.conf': 'passwd: systemd\n',
    ...Object.fromEntries(Object.entries(records).map(([key, [text]]) => [`etc/userdb/${key}.user`, text])),
  })
  expect(Object.fromEntries(users.map(({ name: called, uid }) => [called, uid]))).toEqual(
    Object.fromEntries(Object.entries(records).map(([key, [, uid]]) => [key, uid])),
  )
})

test('omitted lines and unqueried services are reported', () => {
  const root = temporaryDirectory()
  put(root, {
    'etc/nsswitch.conf': 'passwd: files systemd sss\ngroup: files nis\n',
    'etc/passwd': 'root:x:0:0:::\nbad:x:0\n+@admins\n',
    'etc/group': '+\nbroken\n',
    'etc/userdb/a.user': '{"userName":"b","uid":5}',
    'etc/userdb/c.user': '{"userName":"c"}',
    'etc/userdb/d.user': '{',
    'etc/userdb/e.group': '[]',
    'run/systemd/userdb/io.systemd.Home': '',
    'run/systemd/userdb/io.systemd.DropIn': '',
  })
  symlinkSync('c.user', join(root, 'etc/userdb/5.user'))
  expect(accountsIn(root).read()).toMatchObject({
    kind: 'known',
    value: {
      users: [
        { name: 'root', origin: { file: '/etc/passwd', line: 1 } },
        { name: 'c', uid: 4_294_967_295 },
      ],
      groups: [],
      notAsked: ['sss (passwd)', 'nis (group)', 'io.systemd.Home'],
      leftOut: [
        '/etc/userdb/a.user is not a record of a and is ignored',
        '/etc/userdb/d.user is not a record of d and is ignored',
        '/etc/userdb/e.group is not a record of e and is ignored',
        '/etc/passwd:2 is malformed and ignored',
        '/etc/passwd:3 refers to NIS, which is not queried',
        '/etc/group:2 is malformed and ignored',
        '/etc/group:1 refers to NIS, which is not queried',
      ],
    },
  })
})

test('a malformed line of shadow makes its values unknown', () => {
  const { users } = read({
    'etc/passwd': 'ann:x:1000:100:::\nbob::1001:100:::\n',
    'etc/shadow': 'ann:!:20000:0:-1:7:::\nann:$6$a:::::::\nbob:$6$a:::::::\n',
  })
  expect(users.map(({ secret }) => (secret.kind === 'known' ? secret.value.password.class : secret.detail))).toEqual([
    '/etc/shadow:1 is malformed: rewrite it',
    'empty',
  ])
})

test.each([
  ['$2b$05$x', 'set', 'bcrypt'],
  ['$gy$x', 'set', 'gost-yescrypt'],
  ['$6$7$x', 'set', 'sha512'],
  ['$9$x', 'set', 'unknown'],
  ['ab01FAX.bQRSU', 'set', 'descrypt'],
  ['!!', 'unusable', undefined],
  ['*LK*', 'unusable', undefined],
  ['!*', 'unusable', undefined],
  ['*0', 'unusable', undefined],
  ['!!$1$x', 'locked', 'md5'],
  ['', 'empty', undefined],
])('the field %j is %s, %s', (field, what, scheme) => expect(readPassword(field)).toEqual({ class: what, scheme }))

test('shells and the first uid of people, and their defaults without the files', () => {
  const root = temporaryDirectory()
  expect(accountsIn(root).shells()).toEqual({ kind: 'known', value: [] })
  expect(accountsIn(root).uidMin()).toEqual({ kind: 'known', value: 1000 })
  put(root, {
    'etc/shells': '# /bin/no\n/bin/sh # yes\n  /bin/bash\n\nx/bin/zsh\n',
    'etc/login.defs': 'UID_MIN 500\n#UID_MIN 1\nUID_MIN\t0x1F4\nUID_MIN 01750\n',
  })
  expect(accountsIn(root).shells()).toEqual({ kind: 'known', value: ['/bin/sh', '/bin/bash', '/bin/zsh'] })
  expect(accountsIn(root).uidMin()).toEqual({ kind: 'known', value: 1000 })
  // shadow: "configuration error - cannot parse UID_MIN value", and takes its default.
  put(root, { 'etc/login.defs': 'UID_MIN 500 # people\n' })
  expect(accountsIn(root).uidMin()).toEqual({ kind: 'known', value: 1000 })
})
