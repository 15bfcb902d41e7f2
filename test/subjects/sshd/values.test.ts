import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { recordFiles } from '../../../src/settings/files.ts'
import { createLocalTarget } from '../../../src/host/live/local-target.ts'
import { sshd } from '../../../src/subjects/sshd/index.ts'
import { expectAgreement } from '../../support/proof.ts'
import { sample } from '../../support/soak.ts'
import { temporaryDirectory } from '../../support/temporary.ts'
import { askSshd, cannotAskSshd } from './sshd-oracle.ts'

const WORDS = `none any yes no YES ask 10 -1 0x10 0177 99999999999999999999 1h 1h2m 1k 1x *  % = == ~/x /x a=b default
zz INFO AUTH NONE Any DEFAULT True 15 16 1H 08 +5 0 lowdelay af11 inet md5 aes128-ctr +aes128-ctr "" "yes 'yes' #x 8080 [::1]:80 h:80 a:b touch-required`.split(
  /\s+/,
)

// ListenAddress needs a resolver, RDomain a kernel that has such; of a pattern sshd alone can say what it matches.
const KEYS = `AcceptEnv AllowGroups AllowUsers AuthenticationMethods AuthorizedKeysCommand AuthorizedKeysFile
AuthorizedPrincipalsCommand AuthorizedPrincipalsFile Banner ChrootDirectory Ciphers ClientAliveCountMax ClientAliveInterval
Compression DenyGroups DenyUsers FingerprintHash GatewayPorts HostCertificate HostKey HostKeyAgent IgnoreRhosts IPQoS
KexAlgorithms LoginGraceTime LogLevel LogVerbose MACs MaxAuthTries MaxSessions MaxStartups PermitListen PermitOpen
PermitRootLogin PermitTunnel PerSourceMaxStartups PerSourceNetBlockSize PidFile Port PubkeyAuthOptions RekeyLimit SetEnv
StreamLocalBindMask Subsystem SyslogFacility UnusedConnectionTimeout UsePAM VersionAddendum X11DisplayOffset`.split(
  /\s+/,
)

const line = fc
  .tuple(fc.constantFrom(...KEYS), fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 2 }))
  .map(([key, words]) => `${key} ${words.join(' ')}\nPrintMotd yes\n`)
  .filter((text) => !/\*|\+aes/.test(text))

test.skipIf(cannotAskSshd)('a configuration with a value that sshd refuses is not accepted', () => {
  const directory = temporaryDirectory()
  const files = sample(line, { usual: 200, soak: 5_000 }).map((text, index) => {
    const file = join(directory, String(index))
    writeFileSync(file, text)
    return { file, text }
  })
  const answers = askSshd(directory, files)
  const { files: machine } = recordFiles(createLocalTarget())
  const wrong = files.flatMap(({ file, text }, index) => {
    const read = sshd.read({ ...machine, text: (path) => machine.text(path === '/etc/ssh/sshd_config' ? file : path) })
    return read.kind === 'known' && answers[index] === undefined ? [text] : []
  })
  expect(answers.filter((answer) => answer === undefined).length).toBeGreaterThan(20)
  expectAgreement({ reader: 'values of sshd_config', program: 'sshd', texts: files.length }, wrong)
})
