import { expect, test } from 'vitest'
import { DEBIAN, type Files, type Host, needsRoot, type Row, verdictOf } from './host.ts'

/** A host whose sessions take their umask from these lines of login.defs and this argument of pam_umask. */
function umaskWith(definitions: string, argument = '', more: Files = {}): Host {
  const files = {
    ...DEBIAN,
    'bin/bash': 'x\0/etc/bash.bashrc\0',
    'etc/login.defs': `${definitions}\n`,
    'etc/profile': 'umask 027\n',
    'etc/bash.bashrc': 'umask 027\n',
    'etc/pam.d/login': 'session include common-session\n',
    'etc/pam.d/common-session': `session optional /lib/security/pam_umask.so ${argument}\n`,
    'lib/security/pam_umask.so': 'x',
    ...more,
  }
  return { files }
}

test.skipIf(needsRoot).each<Row>([
  // pam_umask(8); shadow's getdef.c
  ['@cis-debian-12 5.4.3.3', 'the umask of login.defs', umaskWith('UMASK 027'), 'compliant'],
  ['@cis-debian-12 5.4.3.3', 'an argument of pam_umask', umaskWith('UMASK 027', 'umask=022'), 'drifted'],
  ['@cis-debian-12 5.4.3.3', 'groups of their own', umaskWith('UMASK 027', 'usergroups'), 'drifted'],
  ['@cis-debian-12 5.4.3.3', 'an earlier line of login.defs', umaskWith('UMASK 022\nUMASK 027'), 'drifted'],
  ['@cis-debian-12 5.4.3.3', 'an earlier line with =', umaskWith('UMASK=022\nUMASK 027'), 'drifted'],
  ['@cis-debian-12 5.4.3.3', 'a decimal umask', umaskWith('UMASK 27'), 'drifted'],
  // systemd.exec(5), UMask=
  ...(
    [
      ['a unit of sshd', 'ssh.service.d/a.conf', '', 'drifted'],
      [
        'a unit of sshd before pam_umask',
        'ssh.service.d/a.conf',
        'session optional pam_umask.so umask=027\n',
        'compliant',
      ],
      ['another unit', 'cups.service.d/a.conf', '', 'compliant'],
      ['a unit of login', 'getty@.service.d/a.conf', '', 'compliant'],
    ] as const
  ).map(([title, path, stack, verdict]): Row => [
    '@cis-debian-12 5.4.3.3',
    `UMask= of ${title}`,
    umaskWith('UMASK 027', '', {
      'usr/lib/systemd/system/ssh.service': '[Service]\nExecStart=/usr/sbin/sshd -D\nUMask=0027\n',
      [`etc/systemd/system/${path}`]: '[Service]\nUMask=0000\n',
      'etc/pam.d/sshd': `${stack}session required pam_permit.so\n`,
      'lib/security/pam_permit.so': 'x',
    }),
    verdict,
  ]),
  // As su with pam_umask runs: the GECOS field counts before the argument.
  ...(
    [
      ['GECOS', 'Bob,,,umask=022', 'drifted'],
      ['another case', 'Umask=22', 'drifted'],
      ['a stricter one', 'Bob,umask=077', 'compliant'],
      ['no number', 'Bob,umask=', 'drifted'],
      ['a blank before it', 'Bob, umask=0', 'compliant'],
    ] as const
  ).map(([title, gecos, verdict]): Row => [
    '@cis-debian-12 5.4.3.3',
    `an umask in GECOS: ${title}`,
    umaskWith('UMASK 027', '', {
      'etc/passwd': `root:x:0:0:root:/root:/bin/bash\nbob:x:1001:1001:${gecos}:/home/bob:/bin/bash\n`,
    }),
    verdict,
  ]),
])('%s, %s', async (control, _title, host, verdict) => {
  expect(await verdictOf(control, host)).toBe(verdict)
})
