/** What breaks the documented condition of each control, by its id. */
export type Violations = Readonly<Record<string, string>>

/** A package that the database of dpkg says is there. */
function installed(name: string): string {
  return `printf 'Package: ${name}\\nStatus: install ok installed\\nVersion: 99\\nArchitecture: all\\nMaintainer: x\\nDescription: x\\n\\n' >>/var/lib/dpkg/status`
}

function parameter(name: string, value: number): string {
  return `echo ${value} >/proc/sys/${name.replaceAll('.', '/')}`
}

/** Parameters of the network of the host, which is its own. Those of the whole kernel are left alone. */
const PARAMETERS: Violations = Object.fromEntries(
  (
    [
      ['01', 'net.ipv4.ip_forward', 1],
      ['02', 'net.ipv4.conf.all.rp_filter', 0],
      ['03', 'net.ipv4.icmp_ignore_bogus_error_responses', 0],
      ['04', 'net.ipv4.icmp_echo_ignore_broadcasts', 0],
      ['05', 'net.ipv4.icmp_ratelimit', 10],
      ['06', 'net.ipv4.icmp_ratemask', 0],
      ['07', 'net.ipv4.tcp_timestamps', 1],
      ['08', 'net.ipv4.conf.all.arp_ignore', 0],
      ['09', 'net.ipv4.conf.all.arp_announce', 0],
      ['10', 'net.ipv4.tcp_rfc1337', 0],
      ['11', 'net.ipv4.tcp_syncookies', 0],
      ['12', 'net.ipv4.conf.default.shared_media', 0],
      ['13', 'net.ipv6.conf.all.accept_source_route', 1],
      ['14', 'net.ipv4.conf.default.accept_redirects', 1],
      ['15', 'net.ipv4.conf.all.secure_redirects', 1],
      ['16', 'net.ipv4.conf.all.send_redirects', 1],
      ['17', 'net.ipv4.conf.default.log_martians', 0],
      ['19', 'net.ipv6.conf.all.forwarding', 1],
      ['20', 'net.ipv6.conf.default.accept_redirects', 1],
      ['21', 'net.ipv6.conf.default.router_solicitations', 3],
      ['22', 'net.ipv6.conf.default.accept_ra_rtr_pref', 1],
      ['23', 'net.ipv6.conf.default.accept_ra_pinfo', 1],
      ['24', 'net.ipv6.conf.default.accept_ra_defrtr', 1],
      ['25', 'net.ipv6.conf.default.accept_ra', 1],
      ['26', 'net.ipv6.conf.default.autoconf', 1],
      ['27', 'net.ipv6.conf.default.dad_transmits', 1],
      ['28', 'net.ipv6.conf.default.max_addresses', 16],
    ] as const
  ).map(([id, name, value]) => [`sysctl-${id}`, parameter(name, value)]),
)

/** Of the Linux baseline. os-05b is about Red Hat; os-10, os-12 and sysctl-29 to sysctl-35 are about the kernel. */
export const LINUX: Violations = {
  'os-01': 'echo other >/etc/hosts.equiv',
  'os-02': 'chmod 0644 /etc/shadow',
  'os-03': 'chmod 0664 /etc/passwd',
  'os-03b': `echo 'odd:$1$salt$hashhashhashhashhashha:4001:4001::/nonexistent:/usr/sbin/nologin' >>/etc/passwd`,
  'os-04': `echo 'PATH=.:$PATH' >>/root/.profile`,
  'os-05': `echo 'PASS_MAX_DAYS 99999' >>/etc/login.defs`,
  'os-06': 'install -m 4755 /bin/true /usr/bin/mtr',
  'os-07': `echo 'twin:x:1:1::/nonexistent:/usr/sbin/nologin' >>/etc/passwd`,
  'os-09': 'echo >/root/.netrc',
  'os-11': 'chown daemon /var/log',
  'os-13': 'chmod 0644 /etc/crontab',
  'os-14': 'mount -o remount,exec /dev/shm',
  'os-15': 'mount -o remount,suid /run',
  'os-16': 'mount -t tmpfs -o nosuid tmpfs /home',
  'package-01': installed('xinetd'),
  'package-02': installed('telnetd'),
  'package-03': installed('rsh-server'),
  'package-05': installed('ypserv'),
  'package-06': installed('tftpd-hpa'),
  'package-08': `echo 'disk_full_action = IGNORE' >>/etc/audit/auditd.conf`,
  'package-09': installed('prelink'),
  ...PARAMETERS,
}

/** A line that is read before all others. */
function server(line: string): string {
  return `echo '${line}' >>/etc/ssh/sshd_config.d/00-a.conf`
}

/** Of the SSH baseline, about the server. Those of its version are below. */
export const SERVER: Violations = {
  'sshd-01': server('Ciphers aes256-ctr,aes128-cbc'),
  'sshd-02': server('KexAlgorithms curve25519-sha256,diffie-hellman-group14-sha1'),
  'sshd-03': server('MACs hmac-sha2-256,hmac-md5'),
  'sshd-04': 'chmod 0777 /etc/ssh',
  'sshd-05': 'chmod 0644 /etc/ssh/sshd_config',
  'sshd-06': server('PermitRootLogin yes'),
  'sshd-07': server('Port 2222'),
  'sshd-08': `sed -i '/AddressFamily/d' /etc/ssh/sshd_config.d/*.conf`,
  'sshd-09': `sed -i '/ListenAddress/d' /etc/ssh/sshd_config.d/*.conf`,
  'sshd-11': server('StrictModes no'),
  'sshd-12': server('SyslogFacility USER'),
  'sshd-13': server('LogLevel QUIET'),
  'sshd-14': 'chmod 0644 /etc/ssh/ssh_host_ed25519_key',
  'sshd-17': server('PermitUserEnvironment yes'),
  'sshd-18': server('LoginGraceTime 2m'),
  'sshd-19': server('MaxAuthTries 6'),
  'sshd-20': server('MaxSessions 50'),
  // Up to 9.2 the last line of this one counts.
  'sshd-21': `echo 'MaxStartups 10:30:200' | tee -a /etc/ssh/sshd_config.d/00-a.conf >/etc/ssh/sshd_config.d/99-z.conf`,
  'sshd-22': server('PubkeyAuthentication no'),
  'sshd-23': server('IgnoreRhosts no'),
  'sshd-24': server('IgnoreUserKnownHosts no'),
  'sshd-25': server('HostbasedAuthentication yes'),
  'sshd-27': server('PasswordAuthentication yes'),
  'sshd-28': server('PermitEmptyPasswords yes'),
  'sshd-29': server('ChallengeResponseAuthentication yes'),
  'sshd-30': server('KerberosAuthentication yes'),
  'sshd-31': server('KerberosOrLocalPasswd yes'),
  'sshd-32': server('KerberosTicketCleanup no'),
  'sshd-33': server('GSSAPIAuthentication yes'),
  'sshd-34': server('GSSAPICleanupCredentials no'),
  'sshd-35': server('TCPKeepAlive yes'),
  'sshd-36': server('ClientAliveInterval 0'),
  'sshd-37': server('ClientAliveCountMax 0'),
  'sshd-38': server('PermitTunnel yes'),
  'sshd-39': server('AllowTcpForwarding local'),
  'sshd-40': server('AllowAgentForwarding yes'),
  'sshd-41': server('GatewayPorts clientspecified'),
  'sshd-42': server('X11Forwarding yes'),
  'sshd-43': server('X11UseLocalhost no'),
  'sshd-44': server('PrintMotd yes'),
  'sshd-45': server('PrintLastLog yes'),
  'sshd-46': server('Banner /etc/issue'),
  'sshd-47': server('DebianBanner yes'),
  'sshd-48': `echo '20120821044040 2 6 100 1023 2 ABCDEF' >>/etc/ssh/moduli`,
  'sshd-49': server('HostKeyAlgorithms ssh-rsa'),
}

function client(line: string): string {
  return `echo '${line}' >>/etc/ssh/ssh_config.d/00-a.conf`
}

/** Of the SSH baseline, about the client. */
export const CLIENT: Violations = {
  'ssh-01': 'chmod 0666 /etc/ssh/ssh_config',
  'ssh-02': `sed -i '/AddressFamily/d' /etc/ssh/ssh_config.d/50-site.conf`,
  'ssh-03': client('Port 2222'),
  'ssh-05': client('BatchMode yes'),
  'ssh-06': client('CheckHostIP no'),
  'ssh-07': client('StrictHostKeyChecking accept-new'),
  'ssh-08': client('Ciphers aes256-ctr,aes128-cbc'),
  'ssh-09': client('KexAlgorithms diffie-hellman-group14-sha1'),
  'ssh-10': client('MACs hmac-sha2-256,hmac-md5'),
  'ssh-11': client('ForwardAgent yes'),
  'ssh-12': client('ForwardX11 yes'),
  'ssh-13': client('HostbasedAuthentication yes'),
  'ssh-16': client('PasswordAuthentication yes'),
  'ssh-17': client('GSSAPIAuthentication yes'),
  'ssh-18': client('GSSAPIDelegateCredentials yes'),
  'ssh-19': client('Tunnel ethernet'),
  'ssh-20': client('PermitLocalCommand yes'),
  'ssh-22': client('Ciphers 3des-cbc'),
}

function older(program: string, version: string): string {
  return `printf '#!/bin/sh\\necho ${version} >&2\\n' >/tmp/older && chmod 0755 /tmp/older && mv /tmp/older ${program}`
}

/** Of the SSH baseline, about versions that are long gone. */
export const PROGRAMS: Violations = {
  'sshd-10': older('/usr/sbin/sshd', 'OpenSSH_7.3p1'),
  'sshd-15': 'true',
  'sshd-16': 'true',
  'ssh-04': older('/usr/bin/ssh', 'OpenSSH_7.1p2'),
  'ssh-14': 'true',
  'ssh-15': 'true',
  'ssh-21': 'true',
}
