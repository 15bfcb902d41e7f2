import { GRUB_PROBE } from '../../support/grub-machine.ts'
import type { LayeredRule } from './layered.ts'

const GRUB = '/etc/default/grub'
const MENU = '/boot/grub/grub.cfg'
const NORMAL = 'Debian GNU/Linux, with Linux 6.1.0-1-amd64'
const RECOVERY = `${NORMAL} (recovery mode)`
const ARGUMENTS = 'audit=1 audit_backlog_limit=8192 slab_nomerge vsyscall=none l1tf=full,force'

/**
 * A kernel to start, GRUB's real generator with a grub-probe that answers for a disk, and in place of the boot loader a unit
 * that shows the first entry of the menu as the command line of the kernel.
 */
export const GRUB_OF_HOST = `touch /boot/vmlinuz-6.1.0-1-amd64 /boot/initrd.img-6.1.0-1-amd64
cat > /usr/sbin/grub-probe <<'END'
${GRUB_PROBE}END
printf '%s\\n' GRUB_DEFAULT=0 GRUB_DISTRIBUTOR=Debian GRUB_DISABLE_SUBMENU=y GRUB_CMDLINE_LINUX_DEFAULT=quiet 'GRUB_CMDLINE_LINUX="${ARGUMENTS}"' > ${GRUB}
mkdir -p /boot/grub ${GRUB}.d
rm -f /etc/grub.d/30_* /etc/grub.d/20_* /etc/grub.d/05_*
update-grub 2>/dev/null
cat > /usr/local/sbin/boot-loader <<'END'
#!/bin/sh
sed -n 's/^\\s*linux\\s*\\S* //p' ${MENU} | sed 1q > /run/cmdline
mount --bind /run/cmdline /proc/cmdline
END
chmod 0755 /usr/local/sbin/boot-loader
printf '%s\\n' '[Service]' Type=oneshot ExecStart=/usr/local/sbin/boot-loader '[Install]' WantedBy=multi-user.target > /etc/systemd/system/boot-loader.service
systemctl enable -q --now boot-loader`

/** What is in each entry of the menu, with its title. */
const inEntries = (normal: unknown, recovery?: unknown): LayeredRule['drift'] => [
  ['entries', normal, NORMAL],
  ...(recovery === undefined ? [] : [['entries', recovery, RECOVERY] as const]),
]

const rule = (
  name: string,
  properties: LayeredRule['properties'],
  rest: Pick<LayeredRule, 'violation' | 'drift' | 'untilStart'>,
): LayeredRule => ({ type: 'boot_argument', name, properties, ...rest })

/** Arguments in GRUB's menu and in what it is generated from; the last of these rules generate nothing. */
export const bootArguments: readonly LayeredRule[] = [
  rule(
    'audit',
    { value: '1' },
    {
      violation: `sed -i 's/audit=1 //' ${GRUB}`,
      drift: [...inEntries('absent', 'absent'), ['source', 'absent', GRUB]],
    },
  ),
  rule(
    'audit_backlog_limit',
    { value: { at_least: 8192 } },
    {
      violation: `echo 'GRUB_CMDLINE_LINUX="$GRUB_CMDLINE_LINUX audit_backlog_limit=64"' > ${GRUB}.d/50-small.cfg`,
      drift: [...inEntries('64', '64'), ['source', '64', GRUB]],
    },
  ),
  rule(
    'slab-nomerge',
    {},
    {
      violation: `sed -i 's/slab_nomerge //' ${GRUB}`,
      drift: [...inEntries('absent', 'absent'), ['source', 'absent', GRUB]],
    },
  ),
  rule(
    'vsyscall',
    { value: 'none' },
    {
      violation: `sed -i 's/vsyscall=none/vsyscall=emulate/' ${GRUB}`,
      drift: [...inEntries('emulate', 'emulate'), ['source', 'emulate', GRUB]],
    },
  ),
  rule(
    'apparmor',
    { value: { not: '0' }, if_absent: 'compliant' },
    {
      violation: `sed -i 's/=quiet/="quiet apparmor=0"/' ${GRUB}`,
      drift: [...inEntries('0'), ['source', '0', GRUB]],
    },
  ),
  rule(
    'init',
    { ensure: 'absent' },
    {
      violation: `echo 'GRUB_CMDLINE_LINUX_DEFAULT="$GRUB_CMDLINE_LINUX_DEFAULT init=/bin/sh"' > ${GRUB}.d/60-shell.cfg; update-grub 2>/dev/null`,
      drift: [...inEntries('present'), ['source', 'present', GRUB]],
    },
  ),
  rule(
    'systemd.debug-shell',
    { ensure: 'absent' },
    {
      violation: `sed -i '0,/^\\s*linux\\s.*/s//& systemd.debug-shell=1/' ${MENU}`,
      drift: [['entries', 'present', NORMAL]],
    },
  ),
  rule(
    'mitigations',
    { value: { not: 'off' }, if_absent: 'compliant' },
    {
      violation: `echo 'GRUB_CMDLINE_LINUX="$GRUB_CMDLINE_LINUX mitigations=off"' > ${GRUB}.d/70-fast.cfg`,
      drift: [['source', 'off', GRUB]],
    },
  ),
  rule(
    'l1tf',
    { value: 'full,force' },
    {
      violation: `sed 's/ l1tf=full,force//' /proc/cmdline > /run/typed; mount --bind /run/typed /proc/cmdline`,
      drift: [['value', 'absent']],
      untilStart: ['value'],
    },
  ),
]

const USERS = '/etc/grub.d/40_users'

const script = (file: string, lines: readonly string[]): string =>
  `printf '%s\\n' '#!/bin/sh' ${lines.map((line) => `"echo '${line}'"`).join(' ')} > ${file}; chmod 0755 ${file}; update-grub 2>/dev/null`

const HASHED = 'password_pbkdf2 root $(cat /root/hash)'

/** The password as it has to be, hashed by GRUB's own program; no entry asks for it. */
export const WITH_PASSWORD = `[ -e /root/hash ] || printf 'x\\nx\\n' | grub-mkpasswd-pbkdf2 -c 10 | sed -n 's/.* is //p' > /root/hash
rm -f /etc/grub.d/99_more; sed -i 's/--class os"/--class os --unrestricted"/' /etc/grub.d/10_linux
${script(USERS, ['set superusers=root', HASHED])}`

/** Ways in which the boot loader lacks a password; each by itself. */
export const bootPasswords: Readonly<Record<string, Pick<LayeredRule, 'violation' | 'drift'>>> = {
  'no script': { violation: `rm ${USERS}; update-grub 2>/dev/null`, drift: [['password', 'no superusers', MENU]] },
  'a script that is not executable': {
    violation: `chmod 0644 ${USERS}; update-grub 2>/dev/null`,
    drift: [['password', 'no superusers', MENU]],
  },
  'a password in plain text': {
    violation: script(USERS, ['set superusers=root', 'password root secret']),
    drift: [['password', 'root has a plain-text password', MENU]],
  },
  'another superuser': {
    violation: script(USERS, ['set superusers=root,admin', HASHED]),
    drift: [['password', 'admin has no password', MENU]],
  },
  'something else than a hash': {
    violation: script(USERS, ['set superusers=root', 'password_pbkdf2 root secret']),
    drift: [['password', 'the password of root is not a PBKDF2 hash', MENU]],
  },
  'a later script': {
    violation: script('/etc/grub.d/99_more', ['set superusers=']),
    drift: [['password', 'no superusers', MENU]],
  },
  'a menu that was written by hand': {
    violation: `rm ${USERS}; update-grub 2>/dev/null; printf '%s\\n' 'set superusers=root' "${HASHED}" >> ${MENU}`,
    drift: [['source', 'not set', MENU]],
  },
  'a script that says so no more': {
    violation: `printf '%s\\n' '#!/bin/sh' > ${USERS}`,
    drift: [['source', 'not set', MENU]],
  },
  'entries that ask for it': {
    violation: `sed -i 's/ --unrestricted"/"/' /etc/grub.d/10_linux; update-grub 2>/dev/null`,
    drift: [NORMAL, RECOVERY].map((title) => ['unrestricted', false, `${MENU}: ${title}`] as const),
  },
}
