# Breaks what was installed since.
printf 'Defaults !use_pty\nDefaults timestamp_timeout=60\nDefaults !authenticate\ngina ALL=(ALL) NOPASSWD: ALL\n' >/etc/sudoers.d/10-site
chmod 0440 /etc/sudoers.d/10-site && chmod 0777 /etc/sudoers.d
touch /var/log/audit/audit.log && chmod 0666 /var/log/audit/audit.log && chown daemon:daemon /var/log/audit/audit.log
chmod 0777 /var/log/audit
chmod 0666 /etc/audit/auditd.conf /etc/audit/rules.d/*.rules
chown daemon:daemon /etc/audit/auditd.conf /etc/audit/rules.d/*.rules
chmod 0777 /sbin/auditctl /sbin/aureport
chown daemon:daemon /sbin/auditctl /sbin/aureport
sed -i 's/^log_group.*/log_group = users/; s/^write_logs.*/write_logs = no/; s/^local_events.*/local_events = no/' /etc/audit/auditd.conf
sed -i 's/^max_log_file .*/max_log_file = 1/; s/^max_log_file_action.*/max_log_file_action = rotate/' /etc/audit/auditd.conf
printf 'admin_group = staff\ndeny = 20\nfail_interval = 60\n' >>/etc/security/faillock.conf
printf 'dictcheck = 0\nenforcing = 0\ndcredit = 2\n' >>/etc/security/pwquality.conf
sed -i 's/pam_unix.so.*yescrypt/pam_unix.so md5 remember=5/' /etc/pam.d/common-password
