import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { effectiveOf, valueOf } from '../../../src/settings/effective.ts'
import { recordFiles } from '../../../src/settings/files.ts'
import type { ConfigFiles } from '../../../src/settings/surface.ts'
import { sshd } from '../../../src/subjects/sshd/index.ts'
import { createLocalTarget } from '../../../src/host/live/local-target.ts'
import { temporaryDirectory } from '../../support/temporary.ts'
import { askSshd, cannotAskSshd } from './sshd-oracle.ts'

/** Values that sshd takes, in all the ways in which it writes and prints them. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  PermitTunnel: ['yes', 'no', 'point-to-point', 'ethernet'],
  FingerprintHash: ['md5', 'sha256', 'SHA256'],
  ExposeAuthInfo: ['yes'],
  LogLevel: ['SILENT', 'QUIET', 'FATAL', 'ERROR', 'INFO', 'VERBOSE', 'DEBUG', 'DEBUG1', 'DEBUG2', 'DEBUG3'],
  SyslogFacility: ['DAEMON', 'USER', 'AUTH', 'AUTHPRIV', 'LOCAL0', 'LOCAL7'],
  PubkeyAuthOptions: ['none', 'touch-required', 'verify-required'],
  MaxStartups: ['10', '10:30:100', '5:50:5'],
  PerSourceNetBlockSize: ['24', '24:64', '32:128'],
  PerSourceMaxStartups: ['10', 'none'],
  StreamLocalBindMask: ['177', '0177', '0000'],
  StreamLocalBindUnlink: ['yes'],
  UnusedConnectionTimeout: ['5m', 'none', '0', '300'],
  ChannelTimeout: ['session=5m', 'session=5m agent-connection=1m', 'none'],
  RequiredRSASize: ['2048', '0'],
  X11DisplayOffset: ['0', '10', '010'],
  X11UseLocalhost: ['yes', 'no'],
  AuthorizedKeysFile: ['.ssh/authorized_keys', '"/etc/ssh/k e" .ssh/b', 'none'],
  AuthorizedPrincipalsFile: ['none', '/etc/x'],
  AuthorizedKeysCommand: ['none'],
  AuthorizedKeysCommandUser: ['nobody', '"nobody"'],
  ChrootDirectory: ['none', '/srv/%u', '"/srv/a b"'],
  TrustedUserCAKeys: ['none', '/etc/k'],
  RevokedKeys: ['none', '/etc/k'],
  HostKeyAgent: ['none', '/x', 'SSH_AUTH_SOCK'],
  KerberosAuthentication: ['yes', 'no'],
  KerberosOrLocalPasswd: ['yes', 'no'],
  KerberosTicketCleanup: ['no'],
  GSSAPICleanupCredentials: ['no'],
  GSSAPIStrictAcceptorCheck: ['no'],
  PrintLastLog: ['no'],
  PrintMotd: ['no'],
  PermitUserRC: ['no'],
  PermitUserEnvironment: ['yes', 'no', 'LANG,LC_*', '"LANG"'],
  VersionAddendum: ['none', 'x y', '"x y"'],
  PidFile: ['/x', 'none', '"/x y"'],
  Banner: ['none', '/x', '"/x y"'],
  ForceCommand: ['none', '"a b"', 'internal-sftp -f AUTH'],
  LoginGraceTime: ['1h30m', '0', '120'],
  ClientAliveInterval: ['1w', '0'],
  AllowUsers: ['a b', 'a,b', '"a b" c'],
  DenyUsers: ['x@y'],
  AllowGroups: ['"dom users" b'],
  AcceptEnv: ['LANG LC_*', 'A,B'],
  AuthenticationMethods: ['any', 'publickey,password keyboard-interactive'],
  HostbasedAcceptedAlgorithms: ['+ssh-rsa'],
  HostKeyAlgorithms: ['ssh-ed25519', '-ssh-rsa'],
  CASignatureAlgorithms: ['ssh-ed25519'],
  ModuliFile: ['/x'],
  UseDNS: ['yes'],
  UsePAM: ['yes'],
  Compression: ['delayed', 'yes', 'no'],
  GatewayPorts: ['yes', 'clientspecified', 'no'],
  IgnoreUserKnownHosts: ['yes'],
  DisableForwarding: ['yes'],
  SecurityKeyProvider: ['internal', '/x'],
  XAuthLocation: ['/x', 'none'],
  IgnoreRhosts: ['yes', 'no', 'shosts-only'],
  MaxAuthTries: ['007'],
  MaxSessions: ['0'],
  PermitRootLogin: ['yes', 'no', 'without-password', 'prohibit-password', 'forced-commands-only'],
  TCPKeepAlive: ['no'],
}

const { files } = recordFiles(createLocalTarget())

function withMain(main: string): ConfigFiles {
  return { ...files, text: (path) => files.text(path === '/etc/ssh/sshd_config' ? main : path) }
}

test.skipIf(cannotAskSshd)('of every value, what sshd prints is what was read, or sshd is not asked', () => {
  const directory = temporaryDirectory()
  const questions = Object.entries(VALUES).flatMap(([key, values]) =>
    values.map((value, index) => {
      const file = join(directory, `${key}-${index}`)
      writeFileSync(file, `${key} ${value}\n`)
      return { file, key, value }
    }),
  )
  const answers = askSshd(directory, questions)
  const differences: string[] = []
  let compared = 0
  for (const [index, { file, key, value }] of questions.entries()) {
    const config = withMain(file)
    const name = { section: '', key }
    const answer = answers[index]
    const read = sshd.read(config)
    if (answer === undefined || read.kind === 'unknown') {
      differences.push(`${key} ${value}: ${answer === undefined ? 'sshd refuses it' : JSON.stringify(read)}`)
      continue
    }
    const [question] = sshd.witness?.(config, name, {}) ?? []
    const stdout = [...answer].map(([keyword, printed]) => `${keyword} ${printed}`).join('\n')
    const heard = question?.hear([{ exitCode: 0, stdout, stderr: '' }])
    const effective = effectiveOf(sshd, read.value, name)
    const rules = sshd.rulesOf(name, config)
    const ours = effective.kind === 'known' ? valueOf(effective.value[0], rules) : undefined
    if (heard?.kind !== 'said' || ours === undefined) continue
    compared += 1
    if (!rules.order.equals(ours, heard.value)) differences.push(`${key} ${value}: ${ours}, not ${heard.value}`)
  }
  expect(differences).toEqual([])
  expect(compared).toBeGreaterThan(questions.length * 0.8)
})
