# What still works on a host whose nginx, PostgreSQL and Docker the texts have changed, after they start again.
systemctl reset-failed
systemctl stop docker docker.socket
systemctl restart nginx "postgresql@*" docker.socket docker
nginx -t
status() { node -e "fetch('http://127.0.0.1/${1-}', { headers: { authorization: 'Basic ' + btoa('gina:x') } }).then(({ status }) => console.log(status))"; }
[ "$(status)" = 200 ] && [ "$(status staff/index.nginx-debian.html)" = 200 ]
as_postgres psql -Atc 'select 1' >/dev/null
PGPASSWORD=Right-Horse-42-x psql -h 127.0.0.1 -U app -Atc 'select 1' >/dev/null
[ -z "$(as_postgres psql -Atc 'select error from pg_file_settings where error is not null union select error from pg_hba_file_rules where error is not null')" ]
as_postgres /usr/lib/postgresql/*/bin/postgres -C shared_preload_libraries -c config_file="$(postgresql_main)/postgresql.conf" >/dev/null
docker info >/dev/null 2>&1
