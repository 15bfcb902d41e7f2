import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createLocalTarget } from '../../../src/host/live/local-target.ts'
import { effectiveOf, valueOf } from '../../../src/settings/effective.ts'
import { recordFiles } from '../../../src/settings/files.ts'
import type { ConfigFiles } from '../../../src/settings/surface.ts'
import { sshClient } from '../../../src/subjects/sshd/client/index.ts'
import { hostile } from '../../support/hostile-files.ts'
import { expectAgreement } from '../../support/proof.ts'
import { machineOf } from '../../support/setting-machine.ts'
import { PATIENCE } from '../../support/soak.ts'
import { cannotAsk, type Files, machines, named, REFUSED, truths } from '../../support/surface-oracle.ts'

const MAIN = '/etc/ssh/ssh_config'
const DROP_IN = '/etc/ssh/ssh_config.d/a.conf'
const INCLUDE = 'Include /etc/ssh/ssh_config.d/*.conf\n'

const needsSsh = cannotAsk(['ssh', 'unshare'], 'root')

const program = recordFiles(createLocalTarget()).files

/** The value for hosts without a block first, then those of blocks, `unknown` where there is no certain one. */
function valuesOf(texts: Files, key: string): readonly string[] {
  const { files: machine } = recordFiles(machineOf(texts))
  const files: ConfigFiles = { ...machine, textsIn: (path, words) => program.textsIn(path, words) }
  const read = sshClient.read(files)
  if (read.kind === 'unknown') return [`unknown: ${read.detail}`]
  const name = { section: '', key }
  const effective = effectiveOf(sshClient, read.value, name)
  if (effective.kind === 'unknown') return [`unknown: ${effective.detail}`]
  return effective.value.map((each) => valueOf(each, sshClient.rulesOf(name, files)) ?? 'unset')
}

/** What `ssh -G` prints for these hosts, and nothing where it refuses the files. */
function askSsh(all: readonly Files[], hosts: readonly string[]): readonly (readonly string[] | undefined)[] {
  // Links lead to the files of each text, so that nothing is mounted for it.
  const before = `mount -t tmpfs none /root; mkdir s; mount --bind s /etc/ssh
ln -s now/ssh_config s/ssh_config; ln -s now/ssh_config.d s/ssh_config.d`
  const each = `ln -sfn $PWD/$count/etc/ssh s/now
for host in ${hosts.join(' ')}; do
  echo "== $host"; (ulimit -t 5; exec ssh -G $host 2>/dev/null) || echo ${REFUSED.trim()}
done > $count/truth`
  return truths(all, { before, each }).map((said) =>
    said.includes(REFUSED) ? undefined : said.split(/^== .*\n/m).slice(1),
  )
}

/** What the answer says of a keyword, in our spelling. */
function printed(answer: string, key: string): string {
  const value = new RegExp(`^${key.toLowerCase()} (.*)$`, 'm').exec(answer)?.[1] ?? ''
  const heard = sshClient
    .witness?.({ ...recordFiles(machineOf({ [MAIN]: '' })).files }, { section: '', key }, {})[0]
    ?.hear([{ exitCode: 0, stdout: `${key.toLowerCase()} ${value}\n`, stderr: '' }])
  return heard?.kind === 'said' ? heard.value : value
}

test.skipIf(needsSsh).each<[main: string, key: string, values: readonly string[], dropIn?: string]>([
  ['', 'ForwardAgent', ['no']],
  ['ForwardAgent yes\nForwardAgent no\n', 'ForwardAgent', ['yes']],
  ['ForwardAgent false\n', 'ForwardAgent', ['no']],
  ['ForwardAgent $SSH_AUTH_SOCK\n', 'ForwardAgent', ['$SSH_AUTH_SOCK']],
  [`${INCLUDE}ForwardAgent no\n`, 'ForwardAgent', ['yes'], 'ForwardAgent=yes\n'],
  ['include "ssh_config.d/a.conf"\n', 'ForwardAgent', ['yes'], 'ForwardAgent yes\n'],
  ['Host bastion\n  ForwardAgent yes\n', 'ForwardAgent', ['no', 'yes']],
  ['ForwardAgent no\nHost bastion\n  ForwardAgent yes\n', 'ForwardAgent', ['no']],
  ['Host bastion\n  ForwardAgent yes\nHost *\n  ForwardAgent no\n', 'ForwardAgent', ['no', 'yes']],
  ['Host * !bastion\n  ForwardAgent yes\n', 'ForwardAgent', ['no', 'yes']],
  ['Match all\n  Tunnel true\n', 'Tunnel', ['point-to-point']],
  ['Match final all\n  StrictHostKeyChecking off\n', 'StrictHostKeyChecking', ['no']],
  ['Match final all\n  BatchMode yes\nHost *\n  BatchMode no\n', 'BatchMode', ['no']],
  [`Host bastion\n${INCLUDE}`, 'Port', ['22', '2222'], 'Port 2222\n'],
  [INCLUDE, 'Port', ['22', '2222'], 'Host bastion\nPort 2222\n'],
  ['Ciphers aes256-ctr,aes128-ctr\n', 'Ciphers', ['aes256-ctr,aes128-ctr']],
  ['HashKnownHosts yes # for all\n', 'HashKnownHosts', ['yes']],
])(named('%j: %s is %j', needsSsh), (main, key, values, dropIn = '') => {
  const files = { [MAIN]: main, [DROP_IN]: dropIn }
  expect(valuesOf(files, key)).toEqual(values)
  const [answers = []] = askSsh(
    [files],
    main.includes('!bastion') ? ['bastion', 'host.invalid'] : ['host.invalid', 'bastion'],
  )
  expect([...new Set(answers.map((answer) => printed(answer, key)))]).toEqual(values)
})

test.each([
  ['ForwardAgent\n', 'has no value'],
  ['Host bastion\nTunnel maybe\n', 'Tunnel maybe is not a valid value'],
  ['Match nobody\nTunnel no\n', 'invalid condition'],
  ['IgnoreUnknown = #*\n', 'is not a valid value'],
  ['SendEnv L=C_*\n', 'is not a valid value'],
  ['IgnoreUnknown a b\n', 'is not a valid value'],
  ['Host bastion\nHostName a b\n', 'is not a valid value'],
  ['Compression true\n', 'is not a valid value'],
  ['ServerAliveInterval 5x\n', 'is not a valid value'],
  ['UpdateHostKeys maybe\n', 'is not a valid value'],
  ['LogLevel chatty\n', 'is not a valid value'],
  ['Host bastion\nLocalForward 8080 app\n', 'is not a valid value'],
  ['UserKnownHostsFile none /etc/ssh/hosts\n', 'is not a valid value'],
  ['RekeyLimit 15\n', 'is not a valid value'],
])('%j is unknown, as ssh does not connect', (main, why) => {
  const [value] = valuesOf({ [MAIN]: main }, 'Tunnel')
  expect(value).toContain(why)
  expect(value).toContain('so ssh does not connect')
})

test.skipIf(needsSsh)(
  named('algorithms that the installed ssh does not support keep it from connecting', needsSsh),
  () => {
    const [value] = valuesOf({ [MAIN]: 'PubkeyAcceptedKeyTypes ssh-none\n' }, 'Tunnel')
    expect(value).toContain('this version does not support')
    expect(value).toContain('so ssh does not connect')
  },
)

const KEYS = ['ForwardAgent', 'Port', 'StrictHostKeyChecking', 'Tunnel', 'Ciphers', 'PasswordAuthentication'] as const

const VALUES: Readonly<Record<string, readonly string[]>> = {
  ForwardAgent: ['yes', 'No', 'true', '"no"', '/run/agent', '$AGENT', 'x #y'],
  forwardagent: ['yes', 'no'],
  Port: ['22', '2222', '0', '"22"', '070', 'ssh', '-1', '65536', '22 23'],
  StrictHostKeyChecking: ['yes', 'ask', 'Off', 'accept-new', 'false', '22', 'yes no'],
  Tunnel: ['yes', 'no', 'ethernet', 'point-to-point', 'true', 'both'],
  Ciphers: [
    'aes128-ctr',
    'aes256-ctr,aes128-ctr',
    '-aes128-*',
    '+aes128-cbc',
    '^aes128-ctr',
    '-*-cbc',
    'aes0',
    '"aes128-ctr"',
  ],
  PasswordAuthentication: ['yes', 'no', 'TRUE', '"yes" no', '1'],
  SendEnv: ['LANG LC_*', '-LC_*', 'L=C'],
  SetEnv: ['A=b', 'A=b C=d', 'A=b C', 'A'],
  Compression: ['yes', 'No', 'true', 'delayed'],
  IdentitiesOnly: ['yes', 'TRUE', 'ask', 'yes no'],
  HostName: ['a', '"a b"', 'a b', '%h', '""'],
  UserKnownHostsFile: ['none', '/a /b', 'none /a', '/a none', '""'],
  AddKeysToAgent: ['ask', 'confirm 5m', '5m', '5m 5m', 'Yes', '1h 2'],
  CanonicalizeHostname: ['no', 'always'],
  ControlMaster: ['autoask', 'AUTO', 'never'],
  ControlPersist: ['yes', '1h30m', 'none', '5x', '0'],
  PubkeyAuthentication: ['unbound', 'host-bound', 'yes', 'maybe'],
  RequestTTY: ['force', 'ask'],
  SessionType: ['none', 'default', 'shell'],
  UpdateHostKeys: ['ask', 'yes', 'auto'],
  ServerAliveCountMax: ['0', '3', '-1', '+5', '08', 'none'],
  ConnectionAttempts: ['0', '1', '010', '00'],
  ServerAliveInterval: ['none', 'NONE', '5m', '5 m', '5x', '-1', '1h5', '+5'],
  FingerprintHash: ['MD5', 'sha256', 'sha3'],
  LogLevel: ['quiet', 'DEBUG4', 'debug1', '"info"'],
  SyslogFacility: ['auth', 'local8', 'mail'],
  EscapeChar: ['none', '~', '^A', '^AB', 'ab', '^', '"~"'],
  IPQoS: ['af11 cs1', 'ef', '0x10', 'af11 cs1 ef', 'high'],
  RekeyLimit: ['1G 1h', '15', '16', '0', 'default none', '1x', '1K'],
  StreamLocalBindMask: ['0177', '1000', '888', '08', '0x1'],
  TunnelDevice: ['any', 'any:1', '3:any', 'tun0', '1:'],
  DynamicForward: ['1080', '0', 'localhost:1080', '*:1080', '/s', '[::1]:1080', '1080 x', '65536'],
  LocalForward: ['8080 a:80', '8080 a', '/s /t', '*:8080 /t', '8080', '[::1]:80 [::1]:80', '0 a:1', '80:a:80'],
  RemoteForward: ['0', '8080 a:80', '/s a:80', '*:80', '80 a', '80 /t x'],
  PubkeyAcceptedKeyTypes: ['+ssh-rsa', 'ssh-none', 'ssh-*', '-ssh-*', 'aes128-ctr'],
  IgnoreUnknown: ['Nonsense', '*', 'non*,x'],
  Nonsense: ['yes', ''],
  Host: ['*', 'bastion', 'bastion !b', '!bastion *', 'x?', '"bastion"', 'a bastion', ''],
  host: ['*', 'bastion'],
  Match: [
    'all',
    'final all',
    'host bastion',
    'host b*,!x',
    'originalhost=bastion',
    'user nobody',
    'nobody',
    '!host bastion',
    'all host x',
  ],
  Include: ['ssh_config.d/*', '/etc/ssh/ssh_config.d/a.conf', '/nowhere', 'ssh_config.d', ''],
}

const lines = fc
  .array(
    fc
      .constantFrom(...Object.entries(VALUES))
      .chain(([keyword, values]) =>
        fc
          .tuple(
            fc.constantFrom('', '  ', '\t', '#'),
            fc.constantFrom(' ', '=', ' = ', '\t'),
            fc.constantFrom(...values),
          )
          .map(([indent, between, value]) => `${indent}${keyword}${between}${value}\n`),
      ),
    { maxLength: 7 },
  )
  .map((all) => all.join(''))

const trees: fc.Arbitrary<Files> = fc.record({ [MAIN]: lines, [DROP_IN]: lines })

test.skipIf(needsSsh)(
  named('the configuration of the client is read as ssh -G prints it', needsSsh),
  { timeout: PATIENCE },
  () => {
    const all = machines(hostile(trees))
    const answers = askSsh(all, ['host.invalid', 'bastion'])
    const wrong = all.flatMap((files, index): unknown[] => {
      const [common = '', bastion = ''] = answers[index] ?? []
      return KEYS.flatMap((key): unknown[] => {
        const [ours = '', ...others] = valuesOf(files, key)
        if (ours.startsWith('unknown: ')) return []
        if (answers[index] === undefined) return [{ files, key, ours, truth: 'refused' }]
        const [truth, within] = [printed(common, key), printed(bastion, key)]
        if (key === 'ForwardAgent' && ![truth, within].every((each) => /^(?:yes|no)$/.test(each))) return []
        // Blocks that are not for one host are for the other.
        const isCommon = ours === truth || (others.includes(truth) && /!|x\?|user|b\*/.test(JSON.stringify(files)))
        return isCommon && [ours, ...others].includes(within) ? [] : [{ files, key, ours, others, truth, within }]
      })
    })
    expectAgreement({ reader: 'ssh_config', program: 'ssh', texts: all.length }, wrong)
  },
)
