import { expect, test } from 'vitest'
import { createLocalTarget } from '../../../../src/host/live/local-target.ts'
import { decideBootPassword } from '../../../../src/subjects/boot/password/decide.ts'
import { bootPassword } from '../../../../src/subjects/boot/password/index.ts'
import { auditResource } from '../../../../src/testing/index.ts'
import { grubMenu } from '../../../support/grub-machine.ts'
import { machineOf } from '../../../support/setting-machine.ts'
import { temporaryDirectory } from '../../../support/temporary.ts'

type Files = Readonly<Record<string, string>>

const HASH = `grub.pbkdf2.sha512.10000.${'AB'.repeat(8)}.${'CD'.repeat(8)}`

async function audit(files: Files, wanted: object = {}) {
  const local = createLocalTarget()
  const { probe, files: given } = machineOf(files)
  const target = { ...local, probe, files: { ...local.files, ...given } }
  return auditResource(bootPassword, { name: 'grub', ...wanted }, { workingDirectory: temporaryDirectory(), target })
}

/** A menu with these lines from a script of /etc/grub.d that writes them again. */
function menuWith(lines: string, script = '40_custom'): Files {
  return {
    '/boot/grub/grub.cfg': `### BEGIN /etc/grub.d/${script} ###\n${lines}\n### END /etc/grub.d/${script} ###\n${grubMenu('')}`,
    [`/etc/grub.d/${script}`]: `#!/bin/sh\ncat << EOF\n${lines}\nEOF\n`,
  }
}

async function found(files: Files, wanted: object = {}): Promise<string> {
  const { verdict, drift, unknown } = await audit(files, wanted)
  return [
    verdict,
    ...drift.map(({ property, observed }) => `${property} ${JSON.stringify(observed)}`.replaceAll('"', '')),
    ...(unknown ?? []).map(({ property }) => property),
  ].join('; ')
}

const OPEN_SUBMENU = 'submenu "More" --unrestricted {\nmenuentry old {\nlinux /v\n}\n}'
const SET = `set superusers="root"\npassword_pbkdf2 root ${HASH}`

test.each<[string, string, string]>([
  ['set', SET, 'compliant'],
  ['of two', `set superusers="root,admin"\npassword_pbkdf2 root ${HASH}\npassword_pbkdf2 admin ${HASH}`, 'compliant'],
  ['nothing', '', 'drifted; password no superusers'],
  ['an empty list of superusers', `set superusers=""\npassword_pbkdf2 root ${HASH}`, 'drifted; password no superusers'],
  ['taken away again', `${SET}\nset superusers=`, 'drifted; password no superusers'],
  ['unset again', `${SET}\nunset superusers`, 'drifted; password no superusers'],
  ['without set', `superusers="root"\npassword_pbkdf2 root ${HASH}`, 'compliant'],
  ['not known in submenus', `${SET}\n${OPEN_SUBMENU}`, 'drifted; password superusers not exported to submenus'],
  ['known in submenus', `${SET}\nexport superusers\n${OPEN_SUBMENU}`, 'compliant'],
  [
    'exported by a function that nothing calls',
    `${SET}\nfunction f {\nexport superusers\n}\n${OPEN_SUBMENU}`,
    'drifted; password superusers not exported to submenus',
  ],
  [
    'exported on a condition',
    `${SET}\nif [ -n "$x" ]; then\nexport superusers\nfi\n${OPEN_SUBMENU}`,
    'drifted; password superusers not exported to submenus',
  ],
  [
    'beside another export',
    `${SET}\nexport prefix\necho superusers\n${OPEN_SUBMENU}`,
    'drifted; password superusers not exported to submenus',
  ],
  ['beside commands with the same words', `${SET}\nunset prefix\necho root`, 'compliant'],
  ['a comment', `#set superusers="root"\n#password_pbkdf2 root ${HASH}`, 'drifted; password no superusers'],
  ['no password', 'set superusers="root"', 'drifted; password root has no password'],
  ['of another', `set superusers="root"\npassword_pbkdf2 admin ${HASH}`, 'drifted; password root has no password'],
  [
    'of one of two superusers',
    `set superusers="root admin"\npassword_pbkdf2 root ${HASH}`,
    'drifted; password admin has no password',
  ],
  ['in plain text', 'set superusers="root"\npassword root secret', 'drifted; password root has a plain-text password'],
  [
    'no hash',
    'set superusers="root"\npassword_pbkdf2 root secret',
    'drifted; password the password of root is not a PBKDF2 hash',
  ],
  [
    'more than the hash of a file',
    `set superusers="root"\npassword_pbkdf2 root \${GRUB2_PASSWORD}x`,
    'drifted; password the password of root is not a PBKDF2 hash',
  ],
  [
    'no hash at all',
    'set superusers="root"\npassword_pbkdf2 root',
    'drifted; password the password of root is not a PBKDF2',
  ],
  [
    'text before a hash',
    SET.replace('grub.', 'x.grub.'),
    'drifted; password the password of root is not a PBKDF2 hash',
  ],
  ['text behind a hash', `${SET}.xy`, 'drifted; password the password of root is not a PBKDF2 hash'],
  ['within a submenu', `submenu a {\n${SET}\n}`, 'drifted; password no superusers'],
  ['within an entry', `menuentry a {\n${SET}\n}`, 'drifted; password no superusers'],
  ['in a function', `function f {\n${SET}\n}`, 'error'],
  ['in braces', `{\n${SET}\n}`, 'compliant'],
  ['before an entry that begins behind its brace', `${SET}\nmenuentry a { linux /v\n}`, 'compliant'],
  ['on a condition', `if [ -n "$x" ]; then\n${SET}\nfi`, 'error'],
  ['of whom', `set superusers="$x"\npassword_pbkdf2 root ${HASH}`, 'error'],
])('%s', async (_, lines, expected) => {
  expect(await found(menuWith(lines))).toMatch(new RegExp(`^${expected}`))
})

const USERS = `if [ -f \${prefix}/user.cfg ]; then
  source \${prefix}/user.cfg
  if [ -n "\${GRUB2_PASSWORD}" ]; then
    set superusers="root"
    export superusers
    password_pbkdf2 root \${GRUB2_PASSWORD}
  fi
fi`

test('Red Hat has it in a file of its own', async () => {
  const menu = menuWith(USERS, '01_users')
  expect(await found(menu)).toBe('drifted; password no superusers')
  expect(await found({ ...menu, '/boot/grub/user.cfg': `GRUB2_PASSWORD=${HASH}\n` })).toBe('compliant')
  expect(await found({ ...menu, '/boot/grub/user.cfg': 'GRUB2_PASSWORD=\n' })).toBe('drifted; password no superusers')
})

test('a password written by hand, or no longer generated, is lost at the next update', async () => {
  const byHand = { '/boot/grub/grub.cfg': `${SET}\n${grubMenu('')}` }
  const { drift } = await audit(byHand)
  expect(drift).toMatchObject([{ property: 'source', note: expect.stringMatching(/^lost at next update: line 1 /) }])
  expect(await found({ ...menuWith(SET), '/etc/grub.d/40_custom': '#!/bin/sh\n' })).toBe('drifted; source not set')
  const commented = `#!/bin/sh\ncat << EOF\n#${SET.replaceAll('\n', '\n#')}\nEOF\n`
  expect(await found({ ...menuWith(SET), '/etc/grub.d/40_custom': commented })).toBe('drifted; source not set')
  const ended = `#!/bin/sh\nexit 0\ncat << EOF\n${SET}\nEOF\n`
  expect(await found({ ...menuWith(SET), '/etc/grub.d/40_custom': ended })).toBe('drifted; source not set')
  const remark = `#!/bin/sh\n# no exit before this\ncat << EOF\n${SET}\nEOF\nexit 0\n`
  expect(await found({ ...menuWith(SET), '/etc/grub.d/40_custom': remark })).toBe('compliant')
  const notRun = `cat << EOF\n${SET}\nEOF\n`
  expect(await found({ ...menuWith(SET), '/etc/grub.d/40_custom': notRun })).toBe('drifted; source not set')
})

test('each menu with entries counts, that of EFI too', async () => {
  const { drift } = await audit({ ...menuWith(SET), '/boot/efi/EFI/redhat/grub.cfg': grubMenu('') })
  expect(drift).toMatchObject([{ property: 'password', path: '/boot/efi/EFI/redhat/grub.cfg' }])
  const stub = 'search.fs_uuid 1 root\nset prefix=($root)/grub\nconfigfile $prefix/grub.cfg\n'
  expect(await found({ ...menuWith(SET), '/boot/efi/EFI/debian/grub.cfg': stub })).toBe('compliant')
})

test('entries that start without it', async () => {
  const entries = "menuentry 'A' --unrestricted {\n linux /v\n}\nmenuentry 'B' {\n linux /v\n}\n"
  const own = `### BEGIN /etc/grub.d/40_custom ###\n${SET}\n### END /etc/grub.d/40_custom ###\n`
  const files = { ...menuWith(SET), '/boot/grub/grub.cfg': `${own}${entries}` }
  expect(await found(files)).toBe('compliant')
  expect(await found(files, { unrestricted: true })).toBe('drifted; unrestricted false')
  expect(await found(files, { unrestricted: false })).toBe('drifted; unrestricted true')
})

test('an entry starts without it only where every menu that it stands in is open without it', async () => {
  const inside = "menuentry 'A' --unrestricted {\n linux /v\n}\n"
  const own = `### BEGIN /etc/grub.d/40_custom ###\n${SET}\nexport superusers\n### END /etc/grub.d/40_custom ###\n`
  const files = (submenu: string): Files => ({
    ...menuWith(SET),
    '/boot/grub/grub.cfg': `${own}if true; then\n${submenu} {\n${inside}}\nfi\n`,
  })
  expect(await found(files("submenu 'More' --unrestricted"), { unrestricted: true })).toBe('compliant')
  expect(await found(files("submenu 'More'"), { unrestricted: true })).toBe('drifted; unrestricted false')
})

test('without a menu nothing is known, and a script that cannot be read is an error', async () => {
  expect(await found({})).toBe('error')
  const observed = { menus: [], generators: new Map() }
  expect(decideBootPassword({}, observed).drift).toEqual([])
})

test('a menu of a script that is gone is right until it is made again', async () => {
  const { '/boot/grub/grub.cfg': menu = '' } = menuWith(SET)
  expect(await found({ '/boot/grub/grub.cfg': menu, '/etc/grub.d/00_header': '#!/bin/sh\n' })).toBe(
    'drifted; source not set',
  )
})

test('the hash is shown nowhere', async () => {
  const results = [await audit(menuWith(`${SET}x`)), await audit(menuWith(`if true; then\n${SET}\nfi`))]
  expect(JSON.stringify(results)).not.toContain('ABABAB')
})
