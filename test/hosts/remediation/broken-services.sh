# Installs nginx, PostgreSQL and Docker, and breaks them so that they still run.
apt-get install -qq -y --no-install-recommends nginx postgresql docker.io auditd ssl-cert >/dev/null 2>&1
systemctl disable -q auditd && systemctl reset-failed

# certificate NAME: a key that every account can read, and its certificate.
certificate() { openssl req -x509 -newkey ed25519 -nodes -subj /CN=localhost -keyout "$1.key" -out "$1.pem" 2>/dev/null && chmod 0644 "$1.key"; }

mkdir -p /etc/nginx/tls /srv/logs /srv/nginx && certificate /etc/nginx/tls/site && certificate /etc/nginx/tls/shared
openssl rand 80 >/srv/nginx/tickets && echo "gina:$(openssl passwd -apr1 x)" >/etc/nginx/htpasswd
cat >/srv/nginx/extra.conf <<'CONF'
location /files { autoindex on; access_log off; keepalive_timeout 65; client_max_body_size 0; }
location /up { proxy_pass https://127.0.0.1:9; proxy_ssl_protocols TLSv1 TLSv1.2; access_log /srv/logs/up.log combined if=$is_args; }
location /staff { auth_basic staff; auth_basic_user_file htpasswd; alias /var/www/html; }
CONF
cat >/etc/nginx/sites-available/default <<'CONF'
server {
  listen 80 default_server;
  root /var/www/html;
  server_tokens on;
  underscores_in_headers on;
  ignore_invalid_headers off;
  client_header_timeout 60s;
  add_header X-Site one;
  access_log /srv/logs/site.log;
  include /srv/nginx/extra.conf;
}
server {
  listen 443 ssl;
  ssl_certificate tls/site.pem;
  ssl_certificate_key tls/site.key;
  ssl_session_ticket_key /srv/nginx/tickets;
  ssl_protocols TLSv1 TLSv1.2;
  ssl_ciphers ALL:@SECLEVEL=0;
  ssl_conf_command Protocol ALL;
  ssl_conf_command CipherString ALL;
  send_timeout 100;
}
CONF
sed -i 's/^user .*/user root;/' /etc/nginx/nginx.conf
chsh -s /bin/bash www-data && echo 'www-data:Right-Horse-42-x' | chpasswd
nginx -t 2>&1 | grep -q successful && systemctl restart nginx && systemctl disable -q nginx
touch /srv/logs/site.log && chmod 0666 /var/log/nginx/*.log /srv/logs/*.log /run/nginx.pid /etc/nginx/mime.types /srv/nginx/*
chown daemon:daemon /var/log/nginx /var/log/nginx/*.log /srv/logs/*.log /run/nginx.pid /etc/nginx /etc/nginx/conf.d /srv/nginx/extra.conf
chmod 0777 /var/log/nginx /etc/nginx /etc/nginx/conf.d
chown root:www-data /etc/nginx/htpasswd && chmod 0640 /etc/nginx/htpasswd

main=$(echo /etc/postgresql/*/main)
cp /etc/ssl/private/ssl-cert-snakeoil.key /etc/ssl/private/site.key
cat - "$main/postgresql.conf" >/tmp/postgresql.conf <<'CONF'
password_encryption = md5
ssl = off
ssl_min_protocol_version = 'TLSv1'
ssl_key_file = '/etc/ssl/private/site.key'
listen_addresses = '*'
log_destination = ''
log_file_mode = 0666
log_line_prefix = ''
log_min_messages = error
log_min_error_statement = fatal
log_hostname = on
debug_print_parse = on
debug_print_plan = on
fsync = off
full_page_writes = off
zero_damaged_pages = on
ignore_system_indexes = on
allow_system_table_mods = on
authentication_timeout = 300
include '/srv/logs/database.conf'
CONF
cp /tmp/postgresql.conf "$main/postgresql.conf" && sed -i '30,$s/^\(ssl\|ssl_key_file\|listen_addresses\|log_line_prefix\)\b/#&/' "$main/postgresql.conf"
echo 'log_statement = none' >/srv/logs/database.conf
cat >"$main/pg_hba.conf" <<'CONF'
local all postgres trust
host all app 127.0.0.1/32 md5
host staff all 127.0.0.1/32 ldap ldapserver=127.0.0.1 ldapport=1389 ldapprefix="cn="
host other all 127.0.0.1/32 trust
hostnossl all all 10.0.0.0/8 password
CONF
systemctl restart 'postgresql@*' && systemctl disable -q postgresql
setpriv --reuid=postgres --regid=postgres --init-groups psql -qc "create role app login password 'Right-Horse-42-x'" -c 'create database app owner app'
echo 'postgres:Right-Horse-42-x' | chpasswd
chmod 0666 "$main"/*.conf /srv/logs/database.conf /var/log/postgresql/*.log && chmod 0777 "$main" && chown daemon:daemon /srv/logs/database.conf
chgrp daemon /var/lib/postgresql/*/main && chmod 0644 /etc/ssl/private/site.key

# A tmpfs can hold the layers of overlay2.
systemctl stop docker docker.socket && mount -t tmpfs tmpfs /var/lib/docker
mkdir -p /etc/docker/certs.d/site /etc/systemd/system/docker.service.d /etc/systemd/system/docker.socket.d
cat >/etc/docker/daemon.json <<'JSON'
{
  "icc": true, "log-level": "error", "iptables": false, "ip6tables": false, "insecure-registries": ["10.0.0.1:5000"],
  "hosts": ["fd://", "tcp://127.0.0.1:2376"], "group": "users", "experimental": true,
  "default-ulimits": { "nofile": { "Name": "nofile", "Soft": -1, "Hard": -1 } }
}
JSON
printf '[Service]\nExecStart=\nExecStart=/usr/sbin/dockerd --containerd=/run/containerd/containerd.sock $DOCKER_OPTS\n' >/etc/systemd/system/docker.service.d/site.conf
printf '[Socket]\nSocketMode=0666\nSocketGroup=users\nListenStream=127.0.0.1:2375\n' >/etc/systemd/system/docker.socket.d/site.conf
certificate /etc/docker/certs.d/site/client && certificate /etc/docker/server && touch /etc/docker/certs.d/site/ca.crt
usermod -aG docker daemon
systemctl daemon-reload && systemctl start docker.socket docker && systemctl disable -q docker
chmod 0666 /etc/docker/daemon.json /etc/docker/certs.d/site/* /etc/default/docker /etc/systemd/system/docker.*.d/* /run/docker.sock /run/containerd/containerd.sock
chmod 0777 /etc/docker /etc/docker/certs.d/site /etc/systemd/system/docker.service.d /var/lib/docker
