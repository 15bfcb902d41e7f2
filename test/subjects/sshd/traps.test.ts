import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { defined } from '../../../src/model/defined.ts'
import { decideSetting, type SettingDesired } from '../../../src/subjects/settings/decide.ts'
import { observeSetting } from '../../../src/subjects/settings/observe.ts'
import { recordFiles } from '../../../src/settings/files.ts'
import { SERVER_DESTINATION, writingFor } from '../../../src/subjects/sshd/writes.ts'
import { loadSurfaces } from '../../../src/subjects/index.ts'
import { machineOf } from '../../support/setting-machine.ts'
import { temporaryDirectory } from '../../support/temporary.ts'
import { askSshd, cannotAskSshd } from './sshd-oracle.ts'

const surfaces = await loadSurfaces()

/** A configuration that is easily misread. */
interface Trap {
  readonly files: Readonly<Record<string, string>>
  readonly key: string
  readonly wanted: SettingDesired['value']
  readonly match?: string
  /** What sshd goes by, as `sshd -T` prints it. */
  readonly used: string
  /** What we find that differs, each with its note; none where the wanted value is used. */
  readonly drift: readonly { readonly observed: string; readonly path?: string; readonly note: string }[]
}

const DEBIAN = 'Include /etc/ssh/sshd_config.d/*.conf\nKbdInteractiveAuthentication no\nUsePAM yes\nX11Forwarding yes\n'
const UNIT = '[Service]\nEnvironmentFile=-/etc/default/ssh\nExecStart=/usr/sbin/sshd -D $SSHD_OPTS\n'

const TRAPS: Readonly<Record<string, Trap>> = {
  'a drop-in that is read before the line of the main file': {
    files: {
      sshd_config: `${DEBIAN}PermitRootLogin no\n`,
      'sshd_config.d/50-cloud.conf': 'PermitRootLogin yes\n',
    },
    key: 'PermitRootLogin',
    wanted: 'no',
    used: 'yes',
    drift: [{ observed: 'yes', note: 'shadowed by /etc/ssh/sshd_config.d/50-cloud.conf:1' }],
  },
  'of two drop-ins the first by name': {
    files: {
      sshd_config: DEBIAN,
      'sshd_config.d/10.conf': 'PermitRootLogin no\n',
      'sshd_config.d/20.conf': 'PermitRootLogin yes\n',
    },
    key: 'PermitRootLogin',
    wanted: 'no',
    used: 'no',
    drift: [],
  },
  'a drop-in that nothing includes': {
    files: { sshd_config: 'UsePAM yes\n', 'sshd_config.d/10.conf': 'PermitRootLogin no\n' },
    key: 'PermitRootLogin',
    wanted: 'no',
    used: 'without-password',
    drift: [{ observed: 'prohibit-password', note: 'not set: this is the default' }],
  },
  'a file from elsewhere': {
    files: { sshd_config: 'Include more/*.cfg\nPermitRootLogin no\n', 'more/x.cfg': 'permitrootlogin=yes\n' },
    key: 'PermitRootLogin',
    wanted: 'no',
    used: 'yes',
    drift: [{ observed: 'yes', note: 'shadowed by /etc/ssh/more/x.cfg:1' }],
  },
  'a line that is only in a Match block does not hold for all': {
    files: { sshd_config: 'UsePAM yes\nMatch User bob\n  PermitRootLogin no\n' },
    key: 'PermitRootLogin',
    wanted: 'no',
    used: 'without-password',
    drift: [{ observed: 'prohibit-password', note: 'not set: this is the default' }],
  },
  'a Match block that weakens what holds for all': {
    files: { sshd_config: 'PasswordAuthentication no\nMatch Address 10.0.0.0/8\n  PasswordAuthentication yes\n' },
    key: 'PasswordAuthentication',
    wanted: 'no',
    used: 'no',
    drift: [{ observed: 'yes', path: 'Match Address 10.0.0.0/8', note: 'set by /etc/ssh/sshd_config:3' }],
  },
  'the same block for a connection from elsewhere': {
    files: { sshd_config: 'PasswordAuthentication no\nMatch Address 10.0.0.0/8\n  PasswordAuthentication yes\n' },
    key: 'PasswordAuthentication',
    wanted: 'no',
    match: 'user=root,group=root,host=x,addr=192.0.2.1,laddr=127.0.0.1,lport=22',
    used: 'no',
    drift: [],
  },
  'the same block for a connection that it is about': {
    files: { sshd_config: 'PasswordAuthentication no\nMatch Address 10.0.0.0/8\n  PasswordAuthentication yes\n' },
    key: 'PasswordAuthentication',
    wanted: 'no',
    match: 'user=root,group=root,host=x,addr=10.0.0.1,laddr=127.0.0.1,lport=22',
    used: 'yes',
    drift: [{ observed: 'yes', note: 'shadowed by /etc/ssh/sshd_config:3' }],
  },
  'a network of IPv6, for an address of it in which one group is left out': {
    files: { sshd_config: 'PasswordAuthentication no\nMatch Address 2001:DB8::/32\n  PasswordAuthentication yes\n' },
    key: 'PasswordAuthentication',
    wanted: 'no',
    match: 'user=root,group=root,host=x,addr=2001:db8:1:2:3:4::5,laddr=::1,lport=22',
    used: 'yes',
    drift: [{ observed: 'yes', note: 'shadowed by /etc/ssh/sshd_config:3' }],
  },
  'a block for everybody but one, for that one': {
    files: { sshd_config: 'PasswordAuthentication no\nMatch User *,!bob\n  PasswordAuthentication yes\n' },
    key: 'PasswordAuthentication',
    wanted: 'no',
    match: 'user=bob,group=bob,host=x,addr=192.0.2.1,laddr=127.0.0.1,lport=22',
    used: 'no',
    drift: [],
  },
  'Match all, which beats what stands before it for everybody who connects': {
    files: { sshd_config: 'PermitRootLogin no\nMatch all\nPermitRootLogin yes\n' },
    key: 'PermitRootLogin',
    wanted: 'no',
    match: 'user=root,group=root,host=x,addr=10.0.0.1,laddr=127.0.0.1,lport=22',
    used: 'yes',
    drift: [{ observed: 'yes', note: 'shadowed by /etc/ssh/sshd_config:3' }],
  },
  'an equals sign, quotes and a unit of time': {
    files: { sshd_config: 'LoginGraceTime="1m"\n' },
    key: 'LoginGraceTime',
    wanted: { at_least: '1', at_most: '60' },
    used: '60',
    drift: [],
  },
  'no grace time at all is no limit': {
    files: { sshd_config: 'LoginGraceTime 0\n' },
    key: 'LoginGraceTime',
    wanted: { at_most: '60' },
    used: '0',
    drift: [{ observed: '0', note: 'set by /etc/ssh/sshd_config:1' }],
  },
  'no sessions at all are the fewest': {
    files: { sshd_config: 'MaxSessions 0\n' },
    key: 'MaxSessions',
    wanted: { at_most: '10' },
    used: '0',
    drift: [],
  },
  'each field of MaxStartups by itself': {
    files: { sshd_config: 'MaxStartups 10:30:100\n' },
    key: 'MaxStartups',
    wanted: { at_most: '10:30:60' },
    used: '10:30:100',
    drift: [{ observed: '10:30:100', note: 'set by /etc/ssh/sshd_config:1' }],
  },
  'a higher share of refused connections is stricter': {
    files: { sshd_config: 'MaxStartups 10:100:60\n' },
    key: 'MaxStartups',
    wanted: { at_most: '10:30:60' },
    used: '10:100:60',
    drift: [],
  },
  'a lower share of refused connections is laxer': {
    files: { sshd_config: 'MaxStartups 10:1:60\n' },
    key: 'MaxStartups',
    wanted: { at_most: '10:30:60' },
    used: '10:1:60',
    drift: [{ observed: '10:1:60', note: 'set by /etc/ssh/sshd_config:1' }],
  },
  'algorithms that are taken away from the ones built in': {
    files: { sshd_config: 'Ciphers -chacha20*,*gcm*\n' },
    key: 'Ciphers',
    wanted: { at_most: 'aes256-ctr,aes192-ctr,aes128-ctr' },
    used: 'aes128-ctr,aes192-ctr,aes256-ctr',
    drift: [],
  },
  'of several algorithms one is allowed': {
    files: { sshd_config: 'Ciphers aes128-ctr,aes128-gcm@openssh.com\n' },
    key: 'Ciphers',
    wanted: { at_most: 'aes256-ctr,aes128-ctr' },
    used: 'aes128-ctr,aes128-gcm@openssh.com',
    drift: [{ observed: 'aes128-ctr,aes128-gcm@openssh.com', note: 'set by /etc/ssh/sshd_config:1' }],
  },
  'what is built in is what is wanted': {
    files: { sshd_config: 'UsePAM yes\n' },
    key: 'PermitEmptyPasswords',
    wanted: 'no',
    used: 'no',
    drift: [],
  },
  'an option of the service': {
    files: { sshd_config: 'PermitRootLogin no\n', '/etc/default/ssh': 'SSHD_OPTS="-o PermitRootLogin=yes"\n' },
    key: 'PermitRootLogin',
    wanted: 'no',
    used: 'yes',
    drift: [{ observed: 'yes', note: 'shadowed by /etc/default/ssh:1' }],
  },
}

/** What the program has written in it, as that of Debian 12 does. */
const PROGRAM = [
  'OpenSSH_9.2p1 Debian-2',
  'chacha20-poly1305@openssh.com,aes128-ctr,aes192-ctr,aes256-ctr,aes128-gcm@openssh.com,aes256-gcm@openssh.com',
]

/** The options that are in the file for the environment of the service, for the shell. */
const optionsOf = ({ files }: Trap): readonly string[] =>
  /"(.*)"/.exec(files['/etc/default/ssh'] ?? '')?.[1]?.split(' ') ?? []

const machine = ({ files }: Trap): ReturnType<typeof machineOf> =>
  machineOf({
    '/usr/sbin/sshd': `\0${PROGRAM.join('\0')}\0`,
    '/usr/lib/systemd/system/ssh.service': UNIT,
    ...Object.fromEntries(
      Object.entries(files).map(([name, text]) => [name.startsWith('/') ? name : `/etc/ssh/${name}`, text]),
    ),
  })

function decide(trap: Trap): ReturnType<typeof decideSetting> {
  const { key, wanted, match } = trap
  const desired: SettingDesired = {
    name: `sshd:${key}`,
    ensure: 'present',
    value: wanted,
    explicit: false,
    match,
    if_absent: 'drift',
  }
  const seen = observeSetting(machine(trap), desired, surfaces)
  if (seen instanceof Promise) throw new Error('sshd is looked at at once')
  if (seen.kind === 'unknown') throw new Error(seen.detail)
  return decideSetting(desired, seen)
}

test.each(Object.entries(TRAPS))('%s', (_name, trap) => {
  const { drift } = trap
  const found = decide(trap).drift.map(({ observed, path, note }) => ({ observed, ...defined({ path }), note }))
  expect(found).toEqual(drift)
})

/** The texts that a fix writes; none where it refuses. */
function fixOf(trap: Trap): Readonly<Record<string, string>> {
  const { plan } = decide(trap)
  if (plan.kind !== 'act') return {}
  return Object.fromEntries(plan.action.writes.map(({ file, text }) => [file.replace('/etc/ssh/', ''), text]))
}

function ask(traps: readonly Trap[]): readonly (string | undefined)[] {
  const directory = temporaryDirectory()
  const questions = traps.map((trap, index) => {
    const etc = join(directory, String(index))
    for (const [name, text] of Object.entries(trap.files)) {
      if (name.startsWith('/')) continue
      mkdirSync(dirname(join(etc, name)), { recursive: true })
      writeFileSync(join(etc, name), text)
    }
    return { file: '/etc/ssh/sshd_config', etc, options: optionsOf(trap), ...defined({ connection: trap.match }) }
  })
  return askSshd(directory, questions).map((answer, index) => answer?.get(traps[index]?.key.toLowerCase() ?? ''))
}

test.skipIf(cannotAskSshd)('what sshd goes by is what is said here', () => {
  const traps = Object.values(TRAPS)
  expect(ask(traps)).toEqual(traps.map(({ used }) => used))
})

test.skipIf(cannotAskSshd)('what sshd goes by once the fix is written', () => {
  const fixed = Object.entries(TRAPS).flatMap(([name, trap]) => {
    const texts = fixOf(trap)
    return Object.keys(texts).length === 0
      ? []
      : [{ name, texts, trap: { ...trap, files: { ...trap.files, ...texts } } }]
  })
  const used = ask(fixed.map(({ trap }) => trap))
  const first = ({ texts }: { readonly texts: Readonly<Record<string, string>> }): string =>
    Object.entries(texts).join('\n')
  expect(Object.fromEntries(fixed.map((each, index) => [each.name, [used[index], first(each)]]))).toEqual({
    'a drop-in that is read before the line of the main file': [
      'no',
      'sshd_config.d/00-driftgate.conf,# Written by driftgate.\nPermitRootLogin no\n',
    ],
    'a drop-in that nothing includes': ['no', 'sshd_config,PermitRootLogin no\nUsePAM yes\n'],
    'a file from elsewhere': ['no', 'sshd_config,PermitRootLogin no\nInclude more/*.cfg\nPermitRootLogin no\n'],
    'a line that is only in a Match block does not hold for all': [
      'no',
      'sshd_config,PermitRootLogin no\nUsePAM yes\nMatch User bob\n  PermitRootLogin no\n',
    ],
    'no grace time at all is no limit': ['60', 'sshd_config,LoginGraceTime 60\n'],
    'each field of MaxStartups by itself': ['10:30:60', 'sshd_config,MaxStartups 10:30:60\n'],
    'a lower share of refused connections is laxer': ['10:30:60', 'sshd_config,MaxStartups 10:30:60\n'],
    'of several algorithms one is allowed': ['aes128-ctr', 'sshd_config,Ciphers aes128-ctr\n'],
  })
})

test.skipIf(cannotAskSshd)('a candidate is read as it would be, and refused where sshd would not start', () => {
  const directory = temporaryDirectory()
  const main = join(directory, 'main')
  writeFileSync(main, DEBIAN)
  const outcomes = ['PermitRootLogin no\n', 'PermitRootLogin perhaps\n', 'PermitRootLogin no\nMatch bob\n'].flatMap(
    (text) => {
      const candidate = join(directory, 'candidate.conf')
      writeFileSync(candidate, text)
      const ask = (files: Readonly<Record<string, string>>): number | null => {
        const [program, ...words] = writingFor(recordFiles(machineOf(files)).files, SERVER_DESTINATION).check?.(
          candidate,
        ) ?? ['false']
        return spawnSync(program, words, { encoding: 'utf8' }).status
      }
      return [ask({ [main]: DEBIAN }), ask({ [main]: '' })]
    },
  )
  expect(outcomes).toEqual([0, 0, 1, 1, 1, 1])
})
