import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { defined } from '../../../src/model/defined.ts'
import { effectiveOf, valueOf } from '../../../src/settings/effective.ts'
import { recordFiles } from '../../../src/settings/files.ts'
import { sshd } from '../../../src/subjects/sshd/index.ts'
import type { ConfigFiles } from '../../../src/settings/surface.ts'
import { createLocalTarget } from '../../../src/host/live/local-target.ts'
import { temporaryDirectory } from '../../support/temporary.ts'
import { askSshd, cannotAskSshd } from './sshd-oracle.ts'
import { hostile } from '../../support/hostile-files.ts'
import { expectAgreement } from '../../support/proof.ts'
import { sample } from '../../support/soak.ts'

const FLAG = ['yes', 'no', 'YES', '"no"', "'yes'"]
const FORWARDING = ['yes', 'no', 'all', 'local', 'remote']
const PATHS = ['/etc/issue.net', 'none', 'NONE', '"/etc/issue"', 'etc/issue']

/** Values that sshd takes, of keywords that may stand anywhere. */
const ANYWHERE: Readonly<Record<string, readonly string[]>> = {
  PermitRootLogin: ['yes', 'no', 'Without-Password', 'prohibit-password', 'forced-commands-only'],
  PasswordAuthentication: FLAG,
  PermitEmptyPasswords: FLAG,
  X11Forwarding: FLAG,
  AllowTcpForwarding: FORWARDING,
  AllowStreamLocalForwarding: FORWARDING,
  AllowAgentForwarding: FLAG,
  DisableForwarding: FLAG,
  GSSAPIAuthentication: FLAG,
  HostbasedAuthentication: FLAG,
  IgnoreRhosts: ['yes', 'no', 'shosts-only'],
  KbdInteractiveAuthentication: FLAG,
  ChallengeResponseAuthentication: FLAG,
  MaxAuthTries: ['4', '6', '"3"', '0010'],
  MaxSessions: ['4', '10'],
  ClientAliveInterval: ['15', '30s', '1m', '1h30m', '0'],
  ClientAliveCountMax: ['0', '3'],
  LogLevel: ['INFO', 'verbose', 'DEBUG', 'debug3'],
  Banner: PATHS,
  AllowUsers: ['alice bob', 'carol', '"dave" eve@10.0.0.0/8'],
  DenyGroups: ['wheel', 'staff "other"'],
  AcceptEnv: ['LANG LC_*', 'FOO'],
  AuthenticationMethods: ['publickey', 'publickey,password publickey'],
  ForceCommand: ['/bin/true', 'internal-sftp -l INFO', 'none'],
  PubkeyAcceptedAlgorithms: ['+ssh-rsa', '-ecdsa-*', 'ssh-ed25519', '^rsa-sha2-512'],
  PermitTTY: FLAG,
}

const GLOBAL: Readonly<Record<string, readonly string[]>> = {
  UsePAM: FLAG,
  LoginGraceTime: ['60', '2m', '1h', '0'],
  MaxStartups: ['10:30:60', '5:30:5', '10:50:100'],
  Ciphers: ['aes256-ctr,aes128-ctr', '-aes128-*', '+aes128-cbc', '^aes256-ctr', '-*gcm*,aes192-ctr'],
  MACs: ['hmac-sha2-512', '-umac-*,hmac-sha1*', '^hmac-sha2-256'],
  KexAlgorithms: ['curve25519-sha256', '-*sha1,ecdh-*', '+diffie-hellman-group14-sha1'],
  PermitUserEnvironment: ['yes', 'no', 'LANG'],
  PrintMotd: FLAG,
  StrictModes: FLAG,
  TCPKeepAlive: FLAG,
  KeepAlive: FLAG,
  UseDNS: FLAG,
  Compression: ['yes', 'no', 'delayed'],
  SyslogFacility: ['AUTH', 'authpriv'],
  GatewayPorts: ['yes', 'no', 'clientspecified'],
  VersionAddendum: ['none', 'hello there # no'],
}

const CRITERIA = [
  'User bob',
  'User root',
  'user alice,!root,r*',
  'User=root',
  'User "root"',
  'Group root,wheel',
  'Group daemon',
  'Host *.example.org',
  'host !a.example.org,*.EXAMPLE.org',
  'Address 10.0.0.0/8',
  'Address 10.0.0.0/8,!10.1.2.3',
  'address 192.168.*',
  'Address fe80::/10,::1',
  'LocalAddress 127.0.0.1',
  'LocalPort 22',
  'LocalPort 2222',
  'all',
  'User root Address 10.1.0.0/16',
  'User root Host b.example.org LocalPort 22',
  'All # everybody',
  'User bob # a comment',
]

/** As `sshd -C` takes them, but for the groups, which it asks the system for. */
const CONNECTIONS = [
  'user=root,group=root,host=a.example.org,addr=10.1.2.3,laddr=127.0.0.1,lport=22',
  'user=root,group=root,host=b.example.org,addr=192.168.0.7,laddr=10.0.0.1,lport=2222',
  'user=daemon,group=daemon,host=c.elsewhere.net,addr=fe80::1,laddr=::1,lport=22',
  'user=bob,group=bob,host=A.EXAMPLE.ORG,addr=10.9.9.9,laddr=127.0.0.1,lport=2222',
]

const keyword = (table: Readonly<Record<string, readonly string[]>>): fc.Arbitrary<string> => {
  return fc
    .constantFrom(...Object.entries(table))
    .chain(([name, values]) =>
      fc.tuple(
        fc.constantFrom(name, name.toLowerCase(), name.toUpperCase()),
        fc.constantFrom(' ', '\t', '=', ' = ', '  ', '= '),
        fc.constantFrom(...values),
        fc.constantFrom('', '', '  ', '\t'),
      ),
    )
    .map(([name, separator, value, end]) => `${end}${name}${separator}${value}${end}`)
}

const anywhere = keyword(ANYWHERE)
const global = keyword(GLOBAL)
const noise = fc.constantFrom('', '# PermitRootLogin no', '   # comment', '\t')

/** What sshd passes over with a warning. */
const deprecated = fc.constantFrom('Protocol 2', 'UseLogin no', 'RSAAuthentication yes')

/** What has sshd refuse all of its configuration. */
const refused = fc.constantFrom('UseDNS false', 'NoSuchKeyword yes', 'PrintMotd no extra', 'LoginGraceTime soon')
const lines = (most: number, ...kinds: readonly fc.Arbitrary<string>[]): fc.Arbitrary<readonly string[]> => {
  return fc.array(fc.oneof(...kinds, noise), { maxLength: most })
}
const match = fc.constantFrom(...CRITERIA).map((criteria) => `Match ${criteria}`)

/** A file: lines for all, and then blocks, which may include what is not only for all. */
const file = (head: fc.Arbitrary<string>, include: fc.Arbitrary<string>): fc.Arbitrary<string> => {
  const block = fc.tuple(match, lines(4, anywhere, include)).map(([condition, body]) => [condition, ...body])
  return fc
    .tuple(
      lines(6, anywhere, head),
      fc.array(block, { maxLength: 3 }),
      fc.oneof(
        { weight: 60, arbitrary: fc.constant([]) },
        { weight: 1, arbitrary: fc.oneof(global, refused).map((line) => [line]) },
      ),
    )
    .map(([before, blocks, misplaced]) => [...before, ...blocks.flat(), ...misplaced].join('\n'))
}

const fromBlocks = fc.constantFrom('Include DIR/m/*.conf', 'include "DIR/m/1.conf"', 'Include DIR/none/*.conf')
const fromAll = fc.constantFrom(
  'Include DIR/d/*.conf',
  'Include=DIR/d/2.conf',
  'Include DIR/d/1.conf DIR/m/2.conf',
  'Include DIR/d/[a-z]?.conf',
)

const inBlocks = file(noise, noise)
const drop = file(global, fromBlocks)

const tree = fc.record({
  main: file(fc.oneof(global, fromAll, deprecated), fromBlocks),
  'd/1.conf': drop,
  'd/10.conf': drop,
  'd/2.conf': drop,
  'd/az.conf': drop,
  'd/.hidden.conf': drop,
  'd/not-read': drop,
  'm/1.conf': inBlocks,
  'm/2.conf': inBlocks,
})

/** What `sshd -T` prints in place of what we say. */
const PRINTED: Readonly<Record<string, string>> = { 'prohibit-password': 'without-password' }

/** It prints nothing at all for an empty list. */
const asPrinted = (value: string | undefined): string | undefined =>
  value === '' ? undefined : (PRINTED[value ?? ''] ?? value)

const { files } = recordFiles(createLocalTarget())

/** This machine, with another main file. */
function withMain(main: string): ConfigFiles {
  return { ...files, text: (path) => files.text(path === '/etc/ssh/sshd_config' ? main : path) }
}

const KEYS = [...Object.keys(ANYWHERE), ...Object.keys(GLOBAL)].filter((name) => !/^(Challenge|KeepAlive)/.test(name))

test.skipIf(cannotAskSshd)('the values of sshd -T for generated configurations, for all and for a connection', () => {
  const directory = temporaryDirectory()
  const trees = sample(hostile(tree), { usual: 600, soak: 6_000 }, 1)
  const questions = trees.map((texts, index) => {
    const connection = CONNECTIONS[index % (CONNECTIONS.length + 1)]
    for (const [name, text] of Object.entries(texts)) {
      const path = join(directory, String(index), name)
      mkdirSync(dirname(path), { recursive: true })
      // Without a connection sshd -T refuses every LocalPort.
      const askable = connection === undefined ? text.replace(/LocalPort \d+/gi, 'User carol') : text
      writeFileSync(path, `${askable.replaceAll('DIR', join(directory, String(index)))}\n`)
    }
    return { file: join(directory, String(index), 'main'), ...defined({ connection }) }
  })
  const answers = askSshd(directory, questions)
  const rules = new Map(KEYS.map((key) => [key, sshd.rulesOf({ section: '', key }, withMain('/dev/null'))]))
  const differences: string[] = []
  let compared = 0
  for (const [index, { file: main, connection }] of questions.entries()) {
    const answer = answers[index]
    const read = sshd.read(withMain(main))
    if (read.kind === 'unknown' || answer === undefined) {
      // What no line certainly means may be unknown, and what is refused must be.
      if (read.kind === 'known') differences.push(`not refused, though sshd refuses ${JSON.stringify(trees[index])}`)
      continue
    }
    compared += 1
    for (const key of KEYS) {
      // "Match all" applies to all connections, and not to the global value.
      if (
        connection === undefined &&
        read.value.some((each) => each.key === key && /^Match all/i.test(each.scope ?? ''))
      )
        continue
      const name = { section: '', key }
      const effective = effectiveOf(sshd, read.value, name, defined({ match: connection }))
      const ours =
        effective.kind === 'known'
          ? asPrinted(valueOf(effective.value[0], rules.get(key) ?? sshd.rulesOf(name)))
          : effective.detail
      // To a relative path it adds the directory that it is started in, here the root.
      const theirs = answer.get(key.toLowerCase())?.replace(/^\/\//, '')
      if (ours !== theirs) differences.push(`${main} ${connection ?? ''}: ${key} is ${theirs}, not ${ours}`)
    }
  }
  expectAgreement({ reader: 'sshd_config', program: 'sshd', texts: trees.length }, differences)
  // Otherwise nothing was compared.
  expect(compared).toBeGreaterThan(trees.length * 0.5)
})
