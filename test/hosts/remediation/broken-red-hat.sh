# Lays files as Red Hat has them below /srv/root, with the programs of this host, and breaks them.
root=/srv/root
mkdir -p $root/{usr,var/log,var/spool/cron,proc,dev,tmp,run,root,home} $root/etc/{selinux,dnf,sysconfig,cron.d,sudoers.d,crypto-policies/back-ends}
apt-get install -qq -y --no-install-recommends sudo libpam-pwquality >/dev/null 2>&1
mkdir -p /tmp/usr/upper /tmp/usr/work && mount -t overlay -o lowerdir=/usr,upperdir=/tmp/usr/upper,workdir=/tmp/usr/work overlay $root/usr
for link in bin sbin lib lib64; do ln -s usr/$link $root/$link; done
cp -a /etc/{alternatives,passwd,group,shadow,gshadow,login.defs,shells,ssh,security,sudoers} $root/etc
mount --bind /dev $root/dev
printf 'ID="rhel"\nID_LIKE="fedora"\nVERSION_ID="9.4"\nNAME="Red Hat Enterprise Linux"\n' >$root/usr/lib/os-release
rm -rf $root/usr/lib/pam.d && ln -s ../usr/lib/os-release $root/etc/os-release
printf 'SELINUX=disabled\nSELINUXTYPE=minimum\n' >$root/etc/selinux/config
printf '[main]\ngpgcheck=0\n' >$root/etc/dnf/dnf.conf
echo 'driftfile /var/lib/chrony/drift' >$root/etc/chrony.conf
printf 'Defaults exempt_group=users\ngina ALL=(ALL) NOPASSWD: ALL\n' >$root/etc/sudoers.d/site && chmod 0440 $root/etc/sudoers.d/site
echo CRYPTO_POLICY= >$root/etc/sysconfig/sshd
printf '*.info /var/log/messages\n' >$root/etc/rsyslog.conf
touch $root/var/log/{messages,wtmp,btmp,dnf.log} && chmod 0666 $root/var/log/* && chown daemon:daemon $root/var/log/{messages,wtmp}
