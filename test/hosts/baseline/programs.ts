import { LOCKED_APART } from './pam.ts'
import type { Rule } from './rule.ts'

/** A setting that has one wrong value, and what makes it so. */
type Row = readonly [key: string, value: unknown, violation: string, found: unknown, ...apart: Rule['drift']]

const setting = ([name, value, violation, found, ...apart]: Row): Rule => {
  return { type: 'setting', name, properties: { value }, violation, drift: [['value', found], ...apart] }
}

const LIMITS_D = '/etc/security/limits.d'
const SUDOERS_D = '/etc/sudoers.d'
const QUALITY = '/etc/security/pwquality.conf'

/** sshd asks no PAM once another violation has switched that off. */
const WITHOUT_PAM: Rule['drift'][number] = ['value', null, 'sessions of sshd, which have no limits']

/** Others who have a file, too, and lines of the main file that are read last. */
const access: readonly Row[] = [
  [
    'limits:hard.nproc',
    { at_most: 4096 },
    `rm -f ${LIMITS_D}/*driftgate*; printf '%s\\n' '* hard nproc 9999' 'root hard nproc 512' > ${LIMITS_D}/60-build.conf`,
    '9999',
    WITHOUT_PAM,
  ],
  [
    'sudoers:Defaults.use_pty',
    'true',
    `rm -f ${SUDOERS_D}/*driftgate*; echo 'Defaults !use_pty' > ${SUDOERS_D}/50-batch; chmod 0440 ${SUDOERS_D}/50-batch`,
    'false',
  ],
  [
    'sudoers:Defaults.timestamp_timeout',
    { at_least: 0, at_most: 15 },
    `echo 'Defaults timestamp_timeout=-1' > ${SUDOERS_D}/60-lazy; chmod 0440 ${SUDOERS_D}/60-lazy`,
    '-1',
  ],
  [
    'sudoers:Defaults.logfile',
    '/var/log/sudo.log',
    `printf 'Defaults \\\\\\n  logfile=/dev/null\\n' > ${SUDOERS_D}/70-quiet; chmod 0440 ${SUDOERS_D}/70-quiet`,
    '/dev/null',
  ],
  [
    'faillock:deny',
    { at_least: 1, at_most: 5 },
    `echo 'deny=0' >> /etc/security/faillock.conf`,
    '0',
    LOCKED_APART('deny'),
  ],
  [
    'faillock:unlock_time',
    { at_least: 900 },
    `sed -i '/^unlock_time/d' /etc/security/faillock.conf`,
    '600',
    LOCKED_APART('unlock_time'),
  ],
  [
    'faillock:even_deny_root',
    'true',
    `sed -i 's/^even_deny_root/# &/' /etc/security/faillock.conf`,
    'false',
    LOCKED_APART('even_deny_root'),
  ],
  [
    'pwquality:minlen',
    { at_least: 14 },
    `sed -i '/^minlen/d' ${QUALITY}; mkdir -p ${QUALITY}.d; echo 'minlen = 6' > ${QUALITY}.d/50-short.conf`,
    '6',
  ],
  ['pwquality:dcredit', { at_most: -1 }, `echo 'DCREDIT = 2' >> ${QUALITY}`, '2'],
  ['pwquality:maxrepeat', { at_least: 1, at_most: 3 }, `sed -i 's/^maxrepeat.*/maxrepeat = 0/' ${QUALITY}`, '0'],
  ['pwquality:enforce_for_root', 'true', `sed -i '/^enforce_for_root/d' ${QUALITY}`, 'false'],
  ['useradd:INACTIVE', { at_least: 0, at_most: 30 }, `echo 'INACTIVE=-1' >> /etc/default/useradd`, '-1'],
  ['useradd:HOME', '/home', `echo 'HOME=/var/tmp' >> /etc/default/useradd`, '/var/tmp'],
  ['login.defs:LOG_OK_LOGINS', 'yes', `sed -i 's/^LOG_OK_LOGINS.*/LOG_OK_LOGINS no/' /etc/login.defs`, 'no'],
  [
    'login.defs:LOGIN_TIMEOUT',
    { at_least: 1, at_most: 60 },
    `sed -i 's/^LOGIN_TIMEOUT.*/LOGIN_TIMEOUT 0x258/' /etc/login.defs`,
    '0x258',
  ],
]

const JOURNALD = 'systemd/journald.conf'
const LOGIND = '/etc/systemd/logind.conf'
const MANAGER = '/etc/systemd/system.conf'

/** Files of vendors and administrators in all the places that systemd has. */
const systemd: readonly Row[] = [
  [
    'journald:SystemMaxUse',
    { at_most: '500M' },
    `mkdir -p /usr/lib/${JOURNALD}.d; printf '[Journal]\\nSystemMaxUse=8G\\n' > /usr/lib/${JOURNALD}.d/60-vendor.conf`,
    '8G',
  ],
  [
    'journald:MaxRetentionSec',
    { at_most: '1month', at_least: '1s' },
    `mkdir -p /usr/local/lib/${JOURNALD}.d; printf '[Journal]\\nMaxRetentionSec=1year\\n' > /usr/local/lib/${JOURNALD}.d/60-local.conf`,
    '1year',
  ],
  [
    'logind:KillUserProcesses',
    'yes',
    `mkdir -p ${LOGIND}.d; rm -f ${LOGIND}.d/*driftgate*; printf '[Login]\\nKillUserProcesses=off\\n' > ${LOGIND}.d/50-tmux.conf`,
    'off',
  ],
  ['logind:IdleAction', 'lock', `printf '[Login]\\nIdleAction=\\\\\\nignore\\n' > ${LOGIND}.d/60-awake.conf`, 'ignore'],
  [
    'logind:StopIdleSessionSec',
    { at_most: '15min', at_least: '1s' },
    `printf '[Login]\\nStopIdleSessionSec=2h 30min\\n' > ${LOGIND}.d/70-idle.conf`,
    '2h 30min',
  ],
  ['logind:RemoveIPC', 'yes', `printf '[Login]\\n;RemoveIPC=yes\\nRemoveIPC=0\\n' >> ${LOGIND}`, '0'],
  ['system.conf:CtrlAltDelBurstAction', 'none', `rm -f ${MANAGER}.d/*driftgate*`, 'reboot-force'],
  [
    'system.conf:DumpCore',
    'no',
    `mkdir -p ${MANAGER}.d; printf '[Manager]\\nDumpCore=1\\n' > ${MANAGER}.d/50-core.conf`,
    '1',
  ],
  [
    'system.conf:CrashShell',
    'no',
    `printf '[Other]\\nCrashShell=no\\n[Manager]\\nCrashShell=yes\\n' > ${MANAGER}.d/60-shell.conf`,
    'yes',
  ],
]

const APT = '/etc/apt/apt.conf.d'
const CHRONY = '/etc/chrony'

/** Programs with a language of their own for what they are told. */
const others: readonly Row[] = [
  [
    'apt:APT::Get::AllowUnauthenticated',
    'false',
    `rm -f ${APT}/*driftgate*; echo 'APT { Get { AllowUnauthenticated "1"; }; };' > ${APT}/50hurry`,
    '1',
  ],
  [
    'apt:Acquire::AllowInsecureRepositories',
    'false',
    `echo 'Acquire::AllowInsecureRepositories "true";' > ${APT}/60mirror`,
    'true',
  ],
  [
    'rsyslog:$FileCreateMode',
    { at_most: '0640' },
    `sed -i 's/^\\$FileCreateMode.*/$filecreatemode 0644/' /etc/rsyslog.conf`,
    '0644',
  ],
  [
    'rsyslog:$DirCreateMode',
    { at_most: '0750' },
    `sed -i 's/^\\$DirCreateMode.*/$DirCreateMode 0775/' /etc/rsyslog.conf`,
    '0775',
  ],
  ['chrony:cmdport', '0', `sed -i '/^cmdport/d' ${CHRONY}/chrony.conf`, '323'],
  [
    'chrony:maxupdateskew',
    { at_most: 100 },
    `sed -i 's/^maxupdateskew.*/maxupdateskew 500.0/' ${CHRONY}/chrony.conf`,
    '500.0',
  ],
  [
    'auditd:max_log_file_action',
    'keep_logs',
    `sed -i 's/^max_log_file_action.*/MAX_LOG_FILE_ACTION = ROTATE/' /etc/audit/auditd.conf`,
    'ROTATE',
  ],
  [
    'auditd:space_left_action',
    { one_of: ['email', 'syslog', 'halt'] },
    `echo 'space_left_action = ignore' >> /etc/audit/auditd.conf`,
    'ignore',
  ],
]

/** Settings of programs that a minimal host has not, and of more files than one. */
export const programs: readonly Rule[] = [
  ...[...access, ...systemd, ...others].map(setting),
  {
    type: 'setting',
    name: 'limits:hard.core',
    properties: { value: 0 },
    violation: `rm -f ${LIMITS_D}/*driftgate*; echo '* - core unlimited' > ${LIMITS_D}/50-dev.conf`,
    // On Debian a line for all users does not apply to root.
    drift: [['value', 'unlimited'], ['value', null, 'root'], WITHOUT_PAM],
  },
]
