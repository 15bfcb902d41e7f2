import { expect, test } from 'vitest'
import { surfaces } from '../../src/subjects/index.ts'
import { valueOn } from '../support/surface-oracle.ts'

/** libpwquality and chronyd take nothing of such a file. */
const REFUSED = expect.stringContaining('unknown: ') as string

// As their programs read them: apt-config dump, useradd, chronyd -p, postconf, pwscore and sh.
test.each([
  ['login.defs:PASS_MAX_DAYS', { '/etc/login.defs': 'PASS_MAX_DAYS\u00a090\n' }, '-1'],
  ['apt:APT::Install-Recommends', { '/etc/apt/apt.conf.d/x': 'APT::Install-Recommends\u00a0"false";\n' }, '1'],
  ['chrony:pool', { '/etc/chrony/chrony.conf': 'pool\u00a0ntp.example.net\n' }, REFUSED],
  ['postfix:inet_interfaces', { '/etc/postfix/main.cf': 'inet_interfaces\u2003= loopback-only\n' }, 'all'],
  ['pwquality:minlen', { '/etc/security/pwquality.conf': 'minlen\u00a0= 14\n' }, REFUSED],
])('to %s a no-break space is no blank', (name, files, value) => {
  const [, own = '', key = ''] = /^([^:]+):(.*)$/.exec(name) ?? []
  const surface = surfaces.find((each) => each.name === own)
  expect(surface && valueOn(surface, files, key)).toEqual(value)
})
