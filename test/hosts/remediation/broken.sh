# Breaks a Debian host that was just installed: what its defaults comply with is no test of a remediation.
chmod 0777 /etc/motd /etc/issue /etc/issue.net /etc/passwd /etc/group /etc/shells /etc/security/opasswd
touch /etc/passwd- /etc/group- /etc/shadow- /etc/gshadow- /etc/gshadow /etc/security/opasswd
chmod 0666 /etc/passwd- /etc/group- /etc/shadow /etc/shadow- /etc/gshadow /etc/gshadow-
chown daemon:daemon /etc/motd /etc/issue /etc/issue.net /etc/passwd- /etc/shadow- /etc/security/opasswd
chmod 0644 /etc/ssh/ssh_host_*_key
chmod 0666 /etc/ssh/ssh_host_*_key.pub
chmod 0777 /etc/ssh/sshd_config.d
echo 'APT::Get::AllowUnauthenticated "true";' >/etc/apt/apt.conf.d/99-site
touch /var/tmp/open && chmod 0666 /var/tmp/open && mkdir -p /srv/open && chmod 0777 /srv/open && touch /srv/tool && chmod 6755 /srv/tool
useradd -m -s /bin/bash gina && echo 'gina:Right-Horse-42-x' | chpasswd && chage -M 99999 -m 0 -W 0 -I -1 gina
chmod 0755 ~gina && echo x >~gina/.netrc && chmod 0666 ~gina/.netrc ~gina/.profile
gpasswd -a gina shadow
echo /usr/sbin/nologin >>/etc/shells
useradd -r -m -d /var/lib/service -s /bin/bash service
sed -i 's/^\(PASS_WARN_AGE\).*/\1 3/; s/^\(ENCRYPT_METHOD\).*/\1 MD5/' /etc/login.defs
cat >/etc/ssh/sshd_config.d/50-site.conf <<'CONF'
Ciphers aes256-ctr,aes128-cbc
KexAlgorithms curve25519-sha256,diffie-hellman-group14-sha1
GSSAPIAuthentication yes
HostbasedAuthentication yes
IgnoreRhosts no
LogLevel QUIET
MaxSessions 50
PermitEmptyPasswords yes
PermitUserEnvironment yes
AcceptEnv LD_PRELOAD
UsePAM no
CONF
printf '[Journal]\nCompress=no\n' >>/etc/systemd/journald.conf
mkdir -p /etc/default && echo enabled=1 >/etc/default/apport

# Services and clients that a server does not need.
for name in autofs avahi-daemon isc-dhcp-server named dnsmasq vsftpd slapd dovecot nfs-server ypserv cups rpcbind rsync smbd snmpd \
  tftpd-hpa squid apache2 xinetd bluetooth apport kea-dhcp4-server; do
  printf '[Unit]\nDescription=%s\n[Service]\nExecStart=/bin/sleep infinity\n[Install]\nWantedBy=multi-user.target\n' "$name" \
    >"/usr/lib/systemd/system/$name.service"
done
systemctl daemon-reload
systemctl enable -q --now $(cd /usr/lib/systemd/system && grep -l 'sleep infinity' *.service)
for name in nis rsh-client talk telnet ldap-utils ftp prelink xserver-common gdm3; do
  printf 'Package: %s\nStatus: install ok installed\nVersion: 99\nArchitecture: all\nMaintainer: x\nDescription: x\n\n' "$name" >>/var/lib/dpkg/status
done
if apt-get install -qq -y --no-install-recommends dconf-cli >/dev/null 2>&1; then
  mkdir -p /etc/gdm3 && printf '[xdmcp]\nEnable=true\n' >/etc/gdm3/daemon.conf
fi
