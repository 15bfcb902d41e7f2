import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { accounts } from '../../../../src/subjects/accounts/all/index.ts'
import { findSystemProgram } from '../../../../src/host/live/system-programs.ts'
import { auditResource } from '../../../../src/testing/index.ts'
import {
  ACCOUNT_FILES,
  accountMachine,
  findSystemLibrary,
  prepareRoot,
  runInside,
  whyNoRoot,
} from '../../../support/account-root.ts'
import { put } from '../../../support/contract.ts'
import { temporaryDirectory } from '../../../support/temporary.ts'

const missing =
  whyNoRoot() ??
  (['su', 'setpriv', 'chroot'].every((program) => findSystemProgram(program) !== undefined) ? undefined : 'needs su') ??
  (findSystemLibrary('libnss_systemd.so.2') ? undefined : 'needs libnss-systemd')

const PAM = [
  'auth required pam_unix.so nullok',
  'account required pam_unix.so',
  'session required pam_permit.so',
  '',
].join('\n')

/** What `su NAME -c id` prints to ann, who types a password. */
function su(root: string, name: string, password: string): string {
  const become = `setpriv --reuid 1000 --regid 100 --clear-groups su ${name} -c id`
  return runInside(root, `printf '%s\\n' '${password}' | chroot . ${become} 2>/dev/null || true`)
}

async function audit(root: string, properties: object): Promise<unknown> {
  const options = { workingDirectory: root, target: accountMachine(root) }
  const { verdict, drift } = await auditResource(accounts, { name: 'x', ...properties }, options)
  return { verdict, found: drift.map(({ path, note }) => `${path}: ${note}`) }
}

const ONLY_ROOT = { where_uid: 0, only: ['root'] }

test.skipIf(missing)('an account with uid 0 in two files of /etc/userdb is root to su, and to us', async () => {
  const hash = execFileSync('/usr/bin/perl', ['-e', 'print crypt("let me in", q($6$saltsalt$))'], {
    encoding: 'utf8',
  })
  const root = temporaryDirectory()
  prepareRoot(root)
  const { 'etc/userdb/eve.user': record = '', 'etc/userdb/eve.user-privileged': _, ...files } = ACCOUNT_FILES
  put(root, { ...files, 'etc/pam.d/su': PAM, 'etc/pam.d/other': PAM })
  expect(await audit(root, ONLY_ROOT)).toEqual({ verdict: 'compliant', found: [] })
  expect(su(root, 'eve', 'let me in')).toBe('')
  put(root, {
    'etc/userdb/eve.user': record,
    'etc/userdb/eve.user-privileged': JSON.stringify({ privileged: { hashedPassword: [hash] } }),
  })
  expect(su(root, 'eve', 'wrong')).toBe('')
  expect(su(root, 'eve', 'let me in')).toContain('uid=0(root)')
  expect(await audit(root, ONLY_ROOT)).toEqual({ verdict: 'drifted', found: ['eve: uid 0; /etc/userdb/eve.user'] })
})

test.skipIf(missing).each(['toor::0:0::/root', 'toor::00:0::/root:', ' toor::+0:0::/root:/bin/sh'])(
  'an account in passwd as %j is root without a password',
  async (line) => {
    const root = temporaryDirectory()
    prepareRoot(root)
    put(root, { ...ACCOUNT_FILES, 'etc/pam.d/su': PAM, 'etc/pam.d/other': PAM })
    put(root, { 'etc/passwd': `${ACCOUNT_FILES['etc/passwd']}${line}\n` })
    expect(su(root, 'toor', '')).toContain('uid=0(root)')
    const place = '/etc/passwd:4'
    expect(await audit(root, { ...ONLY_ROOT, except: ['eve'] })).toEqual({
      verdict: 'drifted',
      found: [`toor: uid 0; ${place}`],
    })
    expect(await audit(root, { password: { not: 'empty' } })).toEqual({ verdict: 'drifted', found: [`toor: ${place}`] })
  },
)
