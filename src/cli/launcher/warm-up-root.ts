import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Configuration as a Debian has it, enough that most readers of a baseline find something to read. */
const FILES: Readonly<Record<string, string>> = {
  'etc/apt/sources.list': 'deb http://deb.example.org/debian bookworm main\n',
  'etc/audit/auditd.conf': 'log_file = /var/log/audit/audit.log\nmax_log_file = 8\nmax_log_file_action = rotate\n',
  'etc/audit/rules.d/audit.rules': `-D
-b 8192
-w /etc/passwd -p wa -k identity
-a always,exit -F arch=b64 -S adjtimex,settimeofday -k time-change
-a always,exit -F path=/usr/bin/su -F perm=x -F auid>=1000 -F auid!=unset -k privileged
`,
  'etc/bash.bashrc':
    'case "$-" in *i*) ;; *) return ;; esac\nif [ -z "${X:-}" ] && [ -r /etc/x ]; then X=$(cat /etc/x); fi\n',
  'etc/chrony/chrony.conf': 'pool 2.debian.pool.ntp.org iburst\nuser _chrony\n',
  'etc/crontab': 'SHELL=/bin/sh\n17 * * * * root cd / && run-parts --report /etc/cron.hourly\n',
  'etc/default/grub': 'GRUB_CMDLINE_LINUX="audit=1"\n',
  'etc/fstab': '/dev/sda1 / ext4 defaults 0 1\n',
  'etc/group': 'root:x:0:\nshadow:x:42:\nsudo:x:27:user\nuser:x:1000:\n',
  'etc/gshadow': 'root:*::\nsudo:*::user\n',
  'etc/hostname': 'host\n',
  'etc/hosts': '127.0.0.1 localhost\n',
  'etc/issue': 'Debian\n',
  'etc/login.defs': 'UMASK 022\nPASS_MAX_DAYS 99999\nPASS_MIN_DAYS 0\nENCRYPT_METHOD YESCRYPT\nUSERGROUPS_ENAB yes\n',
  'etc/modprobe.d/block.conf': 'install cramfs /bin/false\nblacklist cramfs\n',
  'etc/nftables.conf': `flush ruleset
table inet filter {
  chain input { type filter hook input priority 0; policy drop; iif lo accept; tcp dport { 22 } accept; }
}
`,
  'etc/nsswitch.conf': 'passwd: files\ngroup: files\nshadow: files\n',
  'etc/os-release': 'ID=debian\nVERSION_ID="12"\n',
  'etc/pam.d/common-account':
    'account [success=1 new_authtok_reqd=done default=ignore] pam_unix.so\naccount requisite pam_deny.so\n',
  'etc/pam.d/common-auth':
    'auth [success=1 default=ignore] pam_unix.so nullok\nauth requisite pam_deny.so\nauth required pam_permit.so\n',
  'etc/pam.d/common-password':
    'password [success=1 default=ignore] pam_unix.so obscure yescrypt\npassword requisite pam_deny.so\n',
  'etc/pam.d/common-session':
    'session [default=1] pam_permit.so\nsession optional pam_umask.so\nsession required pam_unix.so\n',
  'etc/pam.d/login':
    '@include common-auth\n@include common-account\n@include common-session\n@include common-password\n',
  'etc/pam.d/sshd':
    '@include common-auth\naccount required pam_nologin.so\n@include common-account\n@include common-session\n',
  'etc/pam.d/su':
    'auth sufficient pam_rootok.so\n@include common-auth\n@include common-account\n@include common-session\n',
  'etc/passwd':
    'root:x:0:0:root:/root:/bin/bash\ndaemon:x:1:1::/usr/sbin:/usr/sbin/nologin\nuser:x:1000:1000::/home/user:/bin/bash\n',
  'etc/profile':
    'if [ "$(id -u)" -eq 0 ]; then PATH="/usr/bin:/bin"; else PATH="/bin"; fi\nexport PATH\nfor i in /etc/profile.d/*.sh; do . $i; done\n',
  'etc/profile.d/umask.sh': 'umask 027\nreadonly TMOUT=900; export TMOUT\n',
  'etc/rsyslog.conf':
    'module(load="imuxsock")\n$FileCreateMode 0640\nauth,authpriv.* /var/log/auth.log\n*.*;auth.none -/var/log/syslog\n',
  'etc/security/faillock.conf': 'deny = 5\nunlock_time = 900\n',
  'etc/security/limits.conf': '* hard core 0\n',
  'etc/security/pwquality.conf': 'minlen = 14\n',
  'etc/shadow': 'root:*:19000:0:99999:7:::\nuser:$y$j9T$a$b:19000:0:99999:7:::\n',
  'etc/shells': '/bin/sh\n/bin/bash\n',
  'etc/ssh/sshd_config':
    'Include /etc/ssh/sshd_config.d/*.conf\nUsePAM yes\nX11Forwarding yes\nMatch User user\n  X11Forwarding no\n',
  'etc/sudoers': 'Defaults use_pty\nroot ALL=(ALL:ALL) ALL\n%sudo ALL=(ALL:ALL) ALL\n@includedir /etc/sudoers.d\n',
  'etc/sysctl.d/99.conf': 'net.ipv4.ip_forward = 0\nkernel.randomize_va_space = 2\n',
  'etc/systemd/journald.conf': '[Journal]\nStorage=persistent\n',
  'etc/systemd/timesyncd.conf': '[Time]\nNTP=pool.ntp.org\n',
  'home/user/.bashrc': 'umask 077\n',
  'root/.profile': 'if [ -f ~/.bashrc ]; then . ~/.bashrc; fi\n',
  'usr/lib/systemd/system/multi-user.target': '[Unit]\nRequires=basic.target\n',
  'usr/lib/systemd/system/ssh.service':
    '[Service]\nExecStart=/usr/sbin/sshd -D\n[Install]\nWantedBy=multi-user.target\nAlias=sshd.service\n',
  'usr/lib/systemd/system/tmp.mount': '[Mount]\nWhat=tmpfs\nWhere=/tmp\nType=tmpfs\nOptions=mode=1777,nosuid,nodev\n',
  'var/lib/dpkg/status': [
    'auditd',
    'chrony',
    'libpam-modules',
    'nftables',
    'openssh-server',
    'rsyslog',
    'sudo',
    'systemd',
  ]
    .map((name) => `Package: ${name}\nStatus: install ok installed\nArchitecture: amd64\nVersion: 1.0-1\n\n`)
    .join(''),
}

/** Writes a small system below a directory. */
export function plantRoot(root: string): void {
  for (const [path, text] of Object.entries(FILES)) {
    const file = join(root, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
}
