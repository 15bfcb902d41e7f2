import { execFileSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { expect, test } from 'vitest'
import type { Run } from '../../src/model/run.ts'
import { driftgate, PROGRAM } from '../support/driftgate.ts'
import { cannotMount } from '../support/mount.ts'
import { temporaryDirectory } from '../support/temporary.ts'

interface Case {
  readonly policy: string
  /** What is there before: the program as it should be. */
  readonly sound: string
  /** What breaks the condition of each control. */
  readonly violations: Readonly<Record<string, string>>
}

const http = (line: string): string => `sed -i '/^http/a ${line}' /etc/nginx/nginx.conf`
const database = (line: string): string => `echo "${line}" >> /etc/postgresql/15/main/conf.d/z.conf`
const client = (line: string): string => `echo "${line}" >> /etc/postgresql/15/main/pg_hba.conf`
const KEY = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
const privateKey = (path: string): string => `echo '${KEY}' > ${path}; chmod 0644 ${path}`
const daemon = (json: string): string => `echo '${json}' > /etc/docker/daemon.json`

const NGINX: Case = {
  policy: 'nginx',
  sound: `rm -rf /etc/nginx; mkdir -p /etc/nginx/sites; cat > /etc/nginx/nginx.conf <<'END'
user www-data;
events {}
http {
server_tokens off; keepalive_timeout 5; send_timeout 5; client_header_timeout 5; client_body_timeout 5;
ssl_protocols TLSv1.2; ssl_session_tickets off; add_header X-Frame-Options DENY; add_header X-Content-Type-Options nosniff;
include sites/*;
server { listen 80; }
}
END
chmod -R go-w /etc/nginx`,
  violations: {
    'nginx-config': 'chmod 0666 /etc/nginx/nginx.conf',
    'nginx-keys': privateKey('/etc/nginx/site.crt'),
    'nginx-user': `sed -i 's/^user .*/user root;/' /etc/nginx/nginx.conf`,
    'nginx-version': `echo 'server { server_tokens on; }' > /etc/nginx/sites/a`,
    'nginx-autoindex': `echo 'server { location /x { autoindex on; } }' > /etc/nginx/sites/b`,
    'nginx-keepalive': `echo 'server { keepalive_timeout 2m; }' > /etc/nginx/sites/c`,
    'nginx-send-timeout': `echo 'server { send_timeout 0; }' > /etc/nginx/sites/d`,
    'nginx-request-timeouts': `echo 'server { client_body_timeout 1h; }' > /etc/nginx/sites/e`,
    'nginx-body-size': `echo 'server { client_max_body_size 0; }' > /etc/nginx/sites/f`,
    'nginx-tls-protocols': `echo 'server { listen 443 ssl; ssl_protocols TLSv1.1 TLSv1.2; }' > /etc/nginx/sites/g`,
    'nginx-tls-ciphers': `echo 'server { listen 444 ssl; ssl_ciphers HIGH:RC4; }' > /etc/nginx/sites/h`,
    'nginx-tls-tickets': `echo 'server { listen 445 ssl; ssl_session_tickets on; }' > /etc/nginx/sites/i`,
    // One header of its own takes all others away.
    'nginx-frame-options': `echo 'server { add_header X-Own 1; }' > /etc/nginx/sites/j`,
    'nginx-content-type-options': `echo 'server { location / { add_header X-Own 1; } }' > /etc/nginx/sites/k`,
    'nginx-headers': http('underscores_in_headers on;'),
    'nginx-logs': `echo 'server { access_log off; }' > /etc/nginx/sites/l`,
  },
}

const POSTGRESQL: Case = {
  policy: 'postgresql',
  sound: `rm -rf /etc/postgresql; mkdir -p /etc/postgresql/15/main/conf.d; cd /etc/postgresql/15/main
printf "data_directory = '/var/lib/nowhere'\\ninclude_dir = 'conf.d'\\n" > postgresql.conf
printf 'ssl = on\\nlog_connections = on\\nlog_disconnections = on\\nlog_statement = ddl\\nshared_preload_libraries = pgaudit\\n' > conf.d/a.conf
printf "log_line_prefix = '%%m [%%p] %%q%%u@%%d '\\n" >> conf.d/a.conf
printf 'local all all peer\\nhostssl all all 0.0.0.0/0 scram-sha-256\\n' > pg_hba.conf; chmod 0640 pg_hba.conf; cd /`,
  violations: {
    'postgresql-config': 'chmod 0777 /etc/postgresql/15/main/conf.d',
    'postgresql-hba-files': 'chmod 0644 /etc/postgresql/15/main/pg_hba.conf',
    'postgresql-trust': client('local all all trust'),
    'postgresql-passwords': client('hostssl all all 10.0.0.0/8 md5'),
    'postgresql-tls-clients': client('host all all 10.0.0.0/8 scram-sha-256'),
    'postgresql-scram': database('password_encryption = md5'),
    'postgresql-tls': database('ssl = off'),
    'postgresql-tls-version': database(`ssl_min_protocol_version = 'TLSv1'`),
    'postgresql-key': `touch /etc/postgresql/a.key; ${database("ssl_key_file = '/etc/postgresql/a.key'")}`,
    'postgresql-addresses': database(`listen_addresses = '*'`),
    'postgresql-log-collector': database(`log_destination = ''`),
    'postgresql-log-mode': database('log_file_mode = 0644'),
    'postgresql-log-connections': database('log_connections = no'),
    'postgresql-log-disconnections': database('log_disconnections = 0'),
    'postgresql-log-statements': database('log_statement = none'),
    'postgresql-log-prefix': database(`log_line_prefix = '%m '`),
    'postgresql-log-messages': database('log_min_messages = panic'),
    'postgresql-log-hostnames': database('log_hostname = on'),
    'postgresql-debug': database('debug_print_plan = on'),
    'postgresql-audit': database(`shared_preload_libraries = ''`),
    'postgresql-safety': database('fsync = off'),
    'postgresql-system-tables': database('allow_system_table_mods = on'),
    'postgresql-login-seconds': database('authentication_timeout = 5min'),
  },
}

const DOCKER: Case = {
  policy: 'docker-host',
  sound: `mkdir -p /etc/docker/certs.d; chmod 0755 /etc/docker; touch /etc/default/docker
${daemon('{"icc": false, "live-restore": true, "userland-proxy": false, "no-new-privileges": true, "userns-remap": "default", "default-ulimits": {"nofile": {"Name": "nofile", "Soft": 64000, "Hard": 64000}}}')}`,
  violations: {
    'docker-group': `sed -i '/^docker:/d' /etc/group; echo 'docker:x:997:daemon' >> /etc/group`,
    'docker-icc': daemon(
      '{"icc": true, "log-level": "fatal", "iptables": false, "insecure-registries": ["a:5000"], "storage-driver": "aufs", "hosts": ["tcp://0.0.0.0:4243"], "experimental": true, "live-restore": false}',
    ),
    ...Object.fromEntries(
      'log-level iptables registries storage tcp ulimits userns live-restore userland-proxy new-privileges experimental'
        .split(' ')
        .map((name) => [`docker-${name}`, ':']),
    ),
    'docker-config': 'chmod 0777 /etc/docker',
    'docker-certificates': privateKey('/etc/docker/ca.pem'),
    'docker-default': 'chmod 0666 /etc/default/docker',
  },
}

/** The verdicts of the controls before and after, in a private copy of /etc. */
function verdictsOf({ policy, sound, violations }: Case): readonly Readonly<Record<string, string>>[] {
  const directory = temporaryDirectory()
  mkdirSync(join(directory, 'over'))
  const scan = `${PROGRAM.join(' ')} scan @${policy} --report json`
  const script = [
    `mount -t tmpfs none ${directory}/over && mkdir ${directory}/over/up ${directory}/over/work`,
    `mount -t overlay none -o lowerdir=/etc,upperdir=${directory}/over/up,workdir=${directory}/over/work /etc`,
    sound,
    `${scan} > ${directory}/before`,
    ...Object.values(violations),
    `${scan} > ${directory}/after`,
    'true',
  ].join('\n')
  writeFileSync(join(directory, 'script'), script)
  execFileSync('unshare', ['--mount', '--net', 'sh', join(directory, 'script')], {
    stdio: 'pipe',
    env: { ...process.env, HOME: directory },
  })
  return ['before', 'after'].map((name) => {
    const { policies } = JSON.parse(readFileSync(join(directory, name), 'utf8')) as Run
    const controls = policies.flatMap((each) => each.controls).filter(({ id }) => id in violations)
    return Object.fromEntries(controls.map(({ id, verdict }) => [id, verdict]))
  })
}

const why = cannotMount === undefined ? '' : ` (${cannotMount})`

test.skipIf(cannotMount).each([NGINX, POSTGRESQL, DOCKER])(
  `@$policy finds what breaks each condition, and nothing where it is sound${why}`,
  (each) => {
    const ids = Object.keys(each.violations)
    const [before, after] = verdictsOf(each)
    expect(before).toEqual(Object.fromEntries(ids.map((id) => [id, 'compliant'])))
    expect(after).toEqual(Object.fromEntries(ids.map((id) => [id, 'drifted'])))
  },
)

const ABSENT = [
  ['nginx', ['/usr/sbin/nginx', '/etc/nginx/nginx.conf']],
  ['postgresql', ['/etc/postgresql']],
  ['docker-host', ['/usr/bin/dockerd', '/usr/sbin/dockerd', '/etc/docker/daemon.json']],
] as const

test.each(ABSENT.filter(([, paths]) => !paths.some((path) => existsSync(path))))(
  '@%s proves nothing where the program is not there',
  async (policy) => {
    const { code, stdout } = await driftgate(['scan', `@${policy}`, '--report', 'json'], { cwd: temporaryDirectory() })
    const { policies } = JSON.parse(stdout) as Run
    const verdicts = policies.flatMap(({ resources }) => resources.map(({ verdict }) => verdict))
    expect({ code, verdicts: new Set(verdicts) }).toEqual({ code: 5, verdicts: new Set(['not-applicable']) })
  },
)
