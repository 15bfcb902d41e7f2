import { expect } from 'vitest'
import type { Rule } from './rule.ts'

const OPEN_FILE = [['mode', '0644']] as const
const OPEN_DIRECTORY = [['mode', '0755']] as const
const NOTHING = [['value', null]] as const
const NOBODY = [
  ['value', null],
  ['value', null, 'root'],
] as const

/**
 * What a Debian 12 as debootstrap makes it lacks of these rules, from Debian's packages and the manual pages of the programs; what
 * a network namespace starts with is the kernel's. A rule that is not here is met.
 */
export const FRESH: Readonly<Record<string, Rule['drift']>> = {
  'file#/etc/ssh/sshd_config': OPEN_FILE,
  'file#/etc/crontab': OPEN_FILE,
  'file#/etc/cron.d': OPEN_DIRECTORY,
  'file#/etc/cron.daily': OPEN_DIRECTORY,
  'file#/etc/cron.hourly': OPEN_DIRECTORY,
  'file#/etc/cron.monthly': OPEN_DIRECTORY,
  'file#/etc/cron.weekly': OPEN_DIRECTORY,
  'user#alice': [['ensure', 'absent']],
  'user#bob': [['ensure', 'absent']],
  'user#carol': [['ensure', 'absent']],
  'mount#/srv/dev-allowed': withoutOption('nodev'),
  'mount#/srv/suid-allowed': withoutOption('nosuid'),
  'mount#/srv/exec-allowed': withoutOption('noexec'),
  'mount#/dev/shm': withoutOption('noexec'),
  'setting#login.defs:PASS_MAX_DAYS': [['value', '99999']],
  'setting#login.defs:PASS_MIN_DAYS': [['value', '0']],
  'setting#login.defs:UMASK': [['value', '022']],
  'setting#journald:Storage': [['value', 'auto']],
  // Debian builds journald with another default than its manual page tells, so that it is not known.
  'setting#journald:ForwardToSyslog': [['value', null]],
  'setting#sshd:PermitRootLogin': [['value', 'prohibit-password']],
  'setting#sshd:MaxAuthTries': [['value', '6']],
  'setting#sshd:MaxStartups': [['value', '10:30:100']],
  'setting#sshd:LoginGraceTime': [['value', '120']],
  'setting#sshd:ClientAliveInterval': [['value', '0']],
  'setting#sshd:DisableForwarding': [['value', 'no']],
  'setting#sshd:Banner': [['value', 'none']],
  'setting#sshd:X11Forwarding': [['value', 'yes']],
  'setting#sshd:AllowAgentForwarding': [['value', 'yes']],
  'setting#sshd:Ciphers': [['value', expect.stringContaining('chacha20-poly1305@openssh.com')]],
  'setting#sshd:MACs': [['value', expect.stringContaining('hmac-sha1')]],
  'setting#dconf:locks/org/gnome/desktop/session/idle-delay': [['ensure', 'absent']],
  'setting#dconf:org/gnome/desktop/media-handling/automount': [['value', 'true']],
  'setting#limits:hard.core': NOBODY,
  'setting#limits:hard.nproc': NOBODY,
  'setting#sudoers:Defaults.logfile': NOTHING,
  'setting#faillock:unlock_time': [['value', '600']],
  'setting#faillock:even_deny_root': [['value', 'false']],
  'setting#pwquality:minlen': [['value', '8']],
  'setting#pwquality:dcredit': [['value', '0']],
  'setting#pwquality:maxrepeat': [['value', '0']],
  'setting#pwquality:enforce_for_root': [['value', 'false']],
  'setting#useradd:INACTIVE': [['value', '-1']],
  'setting#login.defs:LOG_OK_LOGINS': [['value', 'no']],
  'setting#journald:SystemMaxUse': NOTHING,
  'setting#journald:MaxRetentionSec': [['value', '0']],
  'setting#logind:KillUserProcesses': NOTHING,
  'setting#logind:IdleAction': [['value', 'ignore']],
  'setting#logind:StopIdleSessionSec': [['value', 'infinity']],
  'setting#system.conf:CtrlAltDelBurstAction': [['value', 'reboot-force']],
  'setting#system.conf:DumpCore': [['value', 'yes']],
  'setting#rsyslog:$DirCreateMode': [['value', '0755']],
  'setting#chrony:cmdport': [['value', '323']],
  'setting#auditd:max_log_file_action': [['value', 'ROTATE']],
  'setting#shell:TMOUT': [
    ['value', '0', 'a login shell of a user'],
    ['value', '0', 'an interactive non-login shell of a user'],
    ['value', '0', 'a login shell of root'],
    ['value', '0', 'an interactive non-login shell of root'],
  ],
}

function withoutOption(option: string): Rule['drift'] {
  const lacking: unknown = expect.not.stringContaining(option)
  return [
    ['options', lacking],
    ['stored_options', lacking],
  ]
}
