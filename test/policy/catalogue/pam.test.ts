import { expect, test } from 'vitest'
import { put } from '../../support/contract.ts'
import { runInProcess } from '../../support/command-line.ts'
import { temporaryDirectory } from '../../support/temporary.ts'
import { type Files, policyOf, RHEL, type Row, verdictOf } from './controls/host.ts'

const MODULES = [
  'unix',
  'deny',
  'permit',
  'faillock',
  'pwquality',
  'pwhistory',
  'rootok',
  'wheel',
  'succeed_if',
  'sss',
  'fprintd',
  'userdb',
  'radius_auth',
]

const LOCKING = `auth required pam_faillock.so preauth
auth [success=2 default=ignore] pam_unix.so
auth [default=die] pam_faillock.so authfail
auth requisite pam_deny.so
auth required pam_permit.so
`
const ALL = ['account', 'auth', 'password', 'session'].map((type) => `@include common-${type}\n`).join('')
const SU = `auth sufficient pam_rootok.so\nauth required pam_wheel.so use_uid group=sugroup\n${ALL}`

const RIGHT: Files = {
  'usr/lib/os-release': 'ID=debian\nVERSION_ID="12"\n',
  'etc/passwd': 'root:x:0:0:root:/root:/bin/bash\nbob:x:1001:1001::/home/bob:/bin/bash\n',
  'etc/group': 'root:x:0:\nbob:x:1001:\nsugroup:x:900:\n',
  'etc/gshadow': 'root:*::\n',
  'etc/login.defs': 'ENCRYPT_METHOD YESCRYPT\n',
  'etc/security/faillock.conf': 'deny = 5\nunlock_time = 900\neven_deny_root\n',
  'etc/security/pwquality.conf': 'minlen = 14\nminclass = 4\n',
  'etc/pam.d/common-account': 'account required pam_unix.so\naccount required pam_faillock.so\n',
  'etc/pam.d/common-auth': LOCKING,
  'etc/pam.d/common-password': `password requisite pam_pwquality.so
password required pam_pwhistory.so remember=24 use_authtok enforce_for_root
password sufficient pam_unix.so sha512 use_authtok
password requisite pam_deny.so
`,
  'etc/pam.d/common-session': 'session required pam_unix.so\n',
  'etc/pam.d/login': ALL,
  'etc/pam.d/passwd': '@include common-password\n',
  'etc/pam.d/su': SU,
  'etc/pam.d/su-l': '@include su\n',
  ...Object.fromEntries(MODULES.map((name) => [`usr/lib/security/pam_${name}.so`, 'pwhistory.conf'])),
}

/** A pam_unix that takes its scheme from login.defs. */
const UNIX_ALONE: Files = {
  'etc/pam.d/common-password': (RIGHT['etc/pam.d/common-password'] ?? '').replace(' sha512', ''),
}

const CONTROLS = `5.2.7 5.3.2.1 5.3.2.2 5.3.2.3 5.3.2.4 5.3.3.1.1 5.3.3.1.3 5.3.3.2.2 5.3.3.2.3 5.3.3.3.1 5.3.3.3.2
5.3.3.3.3 5.3.3.4.1 5.3.3.4.3 5.3.3.4.4 5.4.1.4`.split(/\s/)

/** The controls that these files do not meet. */
async function wrongWith(files: Files): Promise<unknown> {
  const root = temporaryDirectory()
  put(root, { ...RIGHT, ...files })
  const scan = ['scan', policyOf('cis-debian-12', ...CONTROLS), '--offline-as', 'not-applicable']
  const { stdout } = await runInProcess(...scan, '--target', `root:${root}`, '--report', 'json')
  const { policies } = JSON.parse(stdout) as {
    policies: [{ controls: readonly { id: string; verdict: string }[] }]
  }
  const asked = policies[0].controls.filter(({ id }) => CONTROLS.includes(id))
  expect(asked).toHaveLength(CONTROLS.length)
  return asked.filter(({ verdict }) => verdict !== 'compliant').map(({ id, verdict }) => `${id} ${verdict}`)
}

test.each<[title: string, files: Files, wrong: readonly string[]]>([
  ['the required configuration', {}, []],
  [
    'one module of a directory service beside pam_unix',
    {
      'etc/pam.d/common-auth': LOCKING.replace('success=2', 'success=3').replace(
        'auth [default=die]',
        'auth [success=2 default=ignore] pam_sss.so use_first_pass\nauth [default=die]',
      ),
    },
    [],
  ],
  ['SHA-512 in login.defs', { 'etc/login.defs': 'ENCRYPT_METHOD SHA512\n' }, []],
  [
    'four credits in place of classes, and a time of its own for root',
    {
      'etc/security/pwquality.conf': 'minlen = 14\ndcredit = -1\nucredit = -1\nlcredit = -1\nocredit = -1\n',
      'etc/security/faillock.conf': 'deny = 5\nroot_unlock_time = 60\n',
    },
    [],
  ],
  [
    'a service whose own line takes an empty password past the lock',
    { 'etc/pam.d/sshd': `auth sufficient pam_unix.so nullok\n${ALL}` },
    ['5.3.2.2 drifted', '5.3.3.4.1 drifted'],
  ],
  [
    // pam_unix(8): a blank password is accepted where its reset is enforced.
    'empty passwords of accounts whose password has expired',
    { 'etc/pam.d/common-auth': LOCKING.replace('pam_unix.so', 'pam_unix.so nullresetok') },
    ['5.3.3.4.1 drifted'],
  ],
  [
    'another module that lets in',
    { 'etc/pam.d/login': `auth sufficient pam_succeed_if.so uid >= 1000\n${ALL}` },
    ['5.3.2.1 drifted', '5.3.2.2 drifted'],
  ],
  [
    'another module that lets in through a service of its own',
    { 'etc/pam.d/xrdp': `auth sufficient pam_succeed_if.so uid >= 1000\n${ALL}` },
    ['5.3.2.1 drifted', '5.3.2.2 drifted'],
  ],
  [
    'a module that lets all in before pam_unix',
    { 'etc/pam.d/xrdp': `auth sufficient pam_permit.so\n${ALL}` },
    ['5.3.2.1 drifted', '5.3.2.2 drifted'],
  ],
  ...['vsftpd', 'sudo', 'site'].map((name): [string, Files, string[]] => [
    `a service ${name} that lets all in without pam_unix`,
    { [`etc/pam.d/${name}`]: 'auth required pam_permit.so\n' },
    ['5.3.2.1 drifted'],
  ]),
  [
    'another module with its name',
    { 'etc/pam.d/login': ALL.replace('@include common-auth', 'auth required /srv/pam_unix.so'), 'srv/pam_unix.so': '' },
    ['5.3.2.1 drifted'],
  ],
  [
    'the module by its path',
    { 'etc/pam.d/login': `auth optional /usr/lib/security/pam_unix.so\n${ALL}` },
    ['5.3.2.2 drifted'],
  ],
  // sshd(8), AUTHENTICATION
  [
    'an account stack for keys that takes all',
    { 'etc/pam.d/sshd': 'account required pam_permit.so\n' },
    ['5.3.2.1 drifted'],
  ],
  // pam_rootok(8): it asks for the UID of the calling process, which is 0 in a daemon.
  [
    'a daemon that pam_rootok lets all into',
    { 'etc/pam.d/vsftpd': `auth sufficient pam_rootok.so\n${ALL}` },
    ['5.3.2.1 drifted'],
  ],
  [
    'services as packages install them',
    {
      'etc/pam.d/runuser': 'auth sufficient pam_rootok.so\nsession optional pam_keyinit.so revoke\n',
      'etc/pam.d/runuser-l': 'auth include runuser\n',
      'etc/pam.d/lightdm-greeter': 'auth required pam_permit.so\n',
      'etc/pam.d/gdm-fingerprint': 'auth required pam_succeed_if.so user != root\nauth required pam_fprintd.so\n',
      'etc/pam.d/gdm-smartcard': 'auth required pam_sss.so allow_missing_name require_cert_auth\n',
      'etc/pam.d/frr': 'auth sufficient pam_permit.so\nauth sufficient pam_rootok.so\n',
      'etc/pam.d/cron': ALL,
    },
    [],
  ],
  // pam_userdb(8), pam_radius_auth(8)
  ...['userdb', 'radius_auth'].map((name): [string, Files, string[]] => [
    `a service whose passwords pam_${name} verifies`,
    { 'etc/pam.d/vsftpd': ['auth', 'account'].map((type) => `${type} required pam_${name}.so db=/etc/v\n`).join('') },
    [],
  ]),
  [
    'a module that ignores users without a password of the service',
    { 'etc/pam.d/vsftpd': 'auth required pam_userdb.so db=/etc/v unknown_ok\nauth required pam_permit.so\n' },
    ['5.3.2.1 drifted'],
  ],
  // pam_sss(8)
  [
    'a module that ignores users that it does not know',
    {
      'etc/pam.d/gdm-smartcard':
        'auth required pam_succeed_if.so user != root\nauth required pam_sss.so ignore_unknown_user\n',
    },
    ['5.3.2.1 drifted'],
  ],
  // pam.d(5): other is the service of programs without a file.
  ['a service other that lets all in', { 'etc/pam.d/other': 'auth required pam_permit.so\n' }, ['5.3.2.1 drifted']],
  ['a service other that lets none in', { 'etc/pam.d/other': 'auth required pam_deny.so\n' }, []],
  [
    'a display manager that lets all in',
    { 'etc/pam.d/gdm-password': 'auth required pam_permit.so\n' },
    ['5.3.2.1 drifted'],
  ],
  ['a service that lets none in', { 'etc/pam.d/xrdp': `auth requisite pam_deny.so\n${ALL}` }, []],
  ['a service for root', { 'etc/pam.d/chfn': `auth sufficient pam_rootok.so\n${ALL}` }, []],
  ['su past pam_wheel', { 'etc/pam.d/su': `auth sufficient pam_unix.so\n${SU}` }, ['5.2.7 drifted', '5.3.2.2 drifted']],
  ['su -l past pam_wheel', { 'etc/pam.d/su-l': ALL }, ['5.2.7 drifted']],
  [
    'pam_wheel that is about root alone',
    { 'etc/pam.d/su': SU.replace('use_uid', 'use_uid root_only') },
    ['5.2.7 drifted'],
  ],
  [
    'a primary group of a user',
    { 'etc/passwd': 'root:x:0:0:root:/root:/bin/bash\nbob:x:1001:900::/home/bob:/bin/bash\n' },
    ['5.2.7 drifted'],
  ],
  [
    'modules behind pam_unix that judge new passwords',
    {
      'etc/pam.d/common-password': `password sufficient pam_unix.so sha512
password requisite pam_pwquality.so
password requisite pam_pwhistory.so remember=24 enforce_for_root
password requisite pam_deny.so
`,
    },
    ['5.3.2.3 drifted', '5.3.2.4 drifted', '5.3.3.3.1 drifted', '5.3.3.3.3 drifted', '5.3.3.4.4 drifted'],
  ],
  [
    'a service with a weak hash of its own and no rules',
    { 'etc/pam.d/passwd': 'password required pam_unix.so md5\n' },
    ['5.3.2.3 drifted', '5.3.2.4 drifted', '5.3.3.4.3 drifted'],
  ],
  [
    'a service with a history and a prompt of its own',
    {
      'etc/pam.d/passwd': `password requisite pam_pwquality.so
password requisite pam_pwhistory.so remember=1
password required pam_unix.so
`,
    },
    ['5.3.3.3.1 drifted', '5.3.3.3.2 drifted', '5.3.3.3.3 drifted', '5.3.3.4.4 drifted'],
  ],
  [
    'credits that shorten a password',
    { 'etc/security/pwquality.conf': 'minlen = 14\nminclass = 4\nocredit = 2\n' },
    ['5.3.3.2.2 drifted'],
  ],
  [
    'another file of pam_faillock',
    {
      'etc/pam.d/common-auth': LOCKING.replaceAll(/(preauth|authfail)/g, '$1 conf=/etc/security/own.conf'),
      'etc/security/own.conf': 'deny = 1000\n',
    },
    ['5.3.3.1.1 drifted', '5.3.3.1.3 drifted'],
  ],
  ['a cheap hash', { 'etc/login.defs': 'ENCRYPT_METHOD YESCRYPT\nYESCRYPT_COST_FACTOR 1\n' }, ['5.4.1.4 drifted']],
  // Without a scheme on its line pam_unix takes that of the first line, with `=` or without a value: MD5, and DES.
  [
    'a scheme behind =',
    { ...UNIX_ALONE, 'etc/login.defs': 'ENCRYPT_METHOD=MD5\nENCRYPT_METHOD SHA512\n' },
    ['5.3.3.4.3 drifted'],
  ],
  [
    'a first line without a scheme',
    { ...UNIX_ALONE, 'etc/login.defs': 'ENCRYPT_METHOD\nENCRYPT_METHOD SHA512\n' },
    ['5.3.3.4.3 drifted'],
  ],
  ['a scheme of login.defs', { ...UNIX_ALONE, 'etc/login.defs': 'ENCRYPT_METHOD SHA512\n' }, []],
  ['few rounds', { 'etc/login.defs': 'ENCRYPT_METHOD SHA512\nSHA_CRYPT_MAX_ROUNDS 1000\n' }, ['5.4.1.4 drifted']],
])('%s', async (_title, files, wrong) => {
  expect(await wrongWith(files)).toEqual(wrong)
})

/** The stacks of authselect, and services of Red Hat, of which sshd begins with this line. */
function authselectWith(line: string): Files {
  const stack = `auth sufficient pam_unix.so
auth required pam_deny.so
account required pam_unix.so
session [success=1 default=ignore] pam_succeed_if.so service in crond quiet use_uid
session required pam_unix.so
`
  const modules = ['unix', 'permit', 'deny', 'succeed_if', 'rootok', 'selinux_permit']
  return {
    ...RHEL,
    'etc/pam.d/system-auth': stack,
    'etc/pam.d/password-auth': stack,
    'etc/pam.d/other': 'auth required pam_deny.so\n',
    'etc/pam.d/sshd': `${line}auth substack password-auth\n`,
    'etc/pam.d/su':
      'auth sufficient pam_rootok.so\nauth substack system-auth\naccount sufficient pam_succeed_if.so uid = 0 use_uid quiet\naccount include system-auth\n',
    'etc/pam.d/gdm-password':
      'auth [success=done ignore=ignore default=bad] pam_selinux_permit.so\nauth substack password-auth\n',
    ...Object.fromEntries(modules.map((name) => [`usr/lib64/security/pam_${name}.so`, ''])),
  }
}

test.each<Row>([
  [
    '@cis-rhel-9 5.3.2.5',
    'a service that lets all in',
    { files: { ...authselectWith(''), 'etc/pam.d/sshd': 'auth required pam_permit.so\n' } },
    'drifted',
  ],
  [
    '@cis-rhel-9 5.3.2.5',
    'a line before the stack that lets all in',
    { files: authselectWith('auth sufficient pam_permit.so\n') },
    'drifted',
  ],
  ['@cis-rhel-9 5.3.2.5', 'services of Red Hat', { files: authselectWith('') }, 'compliant'],
])('%s, %s', async (control, _title, host, verdict) => {
  expect(await verdictOf(control, host)).toBe(verdict)
})
