import { chmodSync, chownSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { put } from '../../../support/contract.ts'
import { temporaryDirectory } from '../../../support/temporary.ts'
import { DEBIAN, type Files, type Host, needsRoot, type Row, verdictOf } from './host.ts'

/** A host with a cluster and these lines of its configuration. */
function postgresqlWith(lines: string, more: Files = {}): Host {
  const main = {
    'etc/postgresql/15/main/postgresql.conf': `data_directory = '/var/lib/postgresql/15/main'\n${lines}\n`,
  }
  return { files: { ...DEBIAN, ...main, ...more } }
}

test.skipIf(needsRoot).each<Row>([
  [
    '@postgresql postgresql-tls',
    'a cluster that a script starts',
    postgresqlWith('ssl = on', {
      'usr/lib/systemd/system/postgresql@.service': '[Service]\nExecStart=/usr/local/bin/start-pg %i\n',
    }),
    'error',
  ],
  [
    '@postgresql postgresql-tls',
    'the unit of Debian that starts nothing itself',
    postgresqlWith('ssl = on', {
      'usr/lib/systemd/system/postgresql.service': '[Service]\nType=oneshot\nExecStart=/bin/true\n',
      'usr/lib/systemd/system/postgresql@.service':
        '[Service]\nExecStart=-/usr/bin/pg_ctlcluster --skip-systemctl-redirect %i start\n',
    }),
    'compliant',
  ],
  // pg_ctlcluster(1), pg_ctl(1), postgres(1)
  ...['-s -o -cssl=off', '--options=--ssl=off', '-t 60 -o -i -o -cssl=off'].map((options): Row => [
    '@postgresql postgresql-tls',
    `pg_ctl.conf with ${options}`,
    postgresqlWith('ssl = on', { 'etc/postgresql/15/main/pg_ctl.conf': `pg_ctl_options = '${options}'\n` }),
    'drifted',
  ]),
  [
    '@postgresql postgresql-tls',
    'pg_ctl.conf with quotes, at whose blanks it is split',
    postgresqlWith('ssl = on', { 'etc/postgresql/15/main/pg_ctl.conf': `pg_ctl_options = '-o "-c ssl=off"'\n` }),
    'error',
  ],
  [
    '@postgresql postgresql-tls',
    'pg_ctl.conf of another cluster',
    postgresqlWith('ssl = on', { 'etc/postgresql/15/other/pg_ctl.conf': "pg_ctl_options = '-o -cssl=off'\n" }),
    'compliant',
  ],
  [
    '@postgresql postgresql-tls',
    'an option of a drop-in of its unit',
    postgresqlWith('ssl = on', {
      'usr/lib/systemd/system/postgresql@.service': '[Service]\nExecStart=-/usr/bin/pg_ctlcluster %i start\n',
      'etc/systemd/system/postgresql@.service.d/a.conf':
        '[Service]\nExecStart=\nExecStart=-/usr/bin/pg_ctlcluster -o "-c ssl=off" %i start\n',
    }),
    'drifted',
  ],
  [
    '@postgresql postgresql-tls',
    'a data directory of the environment of its unit',
    {
      files: {
        ...DEBIAN,
        'usr/lib/systemd/system/postgresql.service':
          '[Service]\nEnvironment=PGDATA=/var/lib/pgsql/data\nExecStart=/usr/bin/postgres -D ${PGDATA}\n',
        'etc/systemd/system/postgresql.service.d/a.conf': '[Service]\nEnvironment=PGDATA=/srv/pg\n',
        'srv/pg/postgresql.conf': 'ssl = off\n',
        'srv/pg/PG_VERSION': '15\n',
      },
    },
    'drifted',
  ],
  [
    '@postgresql postgresql-tls',
    'a log of pg_ctl, whose letter is that of TLS',
    {
      files: {
        ...DEBIAN,
        'usr/lib/systemd/system/postgresql-16.service':
          '[Service]\nExecStart=/usr/bin/pg_ctl start -D /var/lib/pgsql/16/data -l /srv/log -o "-p 5433"\n',
        'var/lib/pgsql/16/data/postgresql.conf': 'ssl = off\n',
        'var/lib/pgsql/16/data/PG_VERSION': '16\n',
      },
    },
    'drifted',
  ],
  ...(
    [
      ['a log elsewhere', "log_directory = '/srv/pg'", 'srv/pg/a.log', 'drifted'],
      ['a log of another name', "log_directory = '/srv/pg'\nlog_filename = 'pg-%a'", 'srv/pg/pg-Mon', 'drifted'],
      [
        'its log beside those of others',
        "log_directory = '/var/log'\nlog_filename = 'pg.log'",
        'var/log/pg.csv',
        'drifted',
      ],
      ['a log of another program', "log_directory = '/var/log'", 'var/log/syslog.log', 'compliant'],
      ['a log in its data', '', 'var/lib/postgresql/15/main/log/postgresql-2026-01-01_000000.log', 'drifted'],
      ['a log that is not collected', 'logging_collector = off', 'var/lib/postgresql/15/main/log/a.log', 'compliant'],
    ] as const
  ).map(([title, lines, log, verdict]): Row => [
    '@postgresql postgresql-log-mode',
    title,
    {
      files: {
        ...postgresqlWith(`logging_collector = on\n${lines}`, { [log]: '' }).files,
        'etc/passwd': 'root:x:0:0::/root:/bin/sh\npostgres:x:1001:1001::/:/bin/sh\n',
        'etc/group': 'root:x:0:\npostgres:x:1001:\nadm:x:4:\n',
      },
      modes: { [log]: 0o666 },
      owned: [log],
    },
    verdict,
  ]),
  ...['pg_wal', 'pg_tblspc/16385'].map((link): Row => [
    '@postgresql postgresql-data',
    `${link} that leads to another directory`,
    {
      files: {
        ...DEBIAN,
        'etc/passwd': `${DEBIAN['etc/passwd']}postgres:x:1001:1001::/:/bin/sh\n`,
        'etc/group': `${DEBIAN['etc/group']}postgres:x:1001:\n`,
        'etc/postgresql/15/main/postgresql.conf': "data_directory = '/srv/pg'\n",
        'srv/pg/PG_VERSION': '15\n',
        'srv/pg/pg_tblspc/.keep': '',
        'srv/other/.keep': '',
      },
      modes: { 'srv/pg': 0o700, 'srv/other': 0o777 },
      links: { [`srv/pg/${link}`]: '/srv/other' },
      owned: ['srv/pg', 'srv/other'],
    },
    'drifted',
  ]),
  [
    '@postgresql postgresql-data',
    'a directory elsewhere',
    {
      files: {
        ...DEBIAN,
        'etc/passwd': `${DEBIAN['etc/passwd']}postgres:x:1001:1001::/:/bin/sh\n`,
        'etc/group': `${DEBIAN['etc/group']}postgres:x:1001:\n`,
        'etc/postgresql/15/main/postgresql.conf': "data_directory = '/srv/pg'\n",
        'srv/pg/PG_VERSION': '15\n',
      },
      modes: { 'srv/pg': 0o755 },
      owned: ['srv/pg'],
    },
    'drifted',
  ],
  // As `postgres -C log_connections` of PostgreSQL 15 and 18 accepts the values; with one that both reject, neither starts.
  ...(
    [
      ['15', 'y', 'compliant'],
      ['15', 'all', 'drifted'],
      ['18', 'yes', 'compliant'],
      ['18', 'all', 'compliant'],
      ['18', 'receipt,authentication,authorization', 'compliant'],
      ['18', 'Authorization, "receipt" ,AUTHENTICATION,setup_durations', 'compliant'],
      ['18', 'receipt,authentication', 'drifted'],
      ['18', 'y', 'drifted'],
      ['18', 'on,receipt', 'error'],
      ['18', 'receipt,,authentication,authorization', 'error'],
      ['18', '', 'drifted'],
    ] as const
  ).map(([version, value, verdict]): Row => [
    '@postgresql postgresql-log-connections',
    `log_connections = '${value}' in PostgreSQL ${version}`,
    {
      files: { ...DEBIAN, [`etc/postgresql/${version}/main/postgresql.conf`]: `log_connections = '${value}'\n` },
    },
    verdict,
  ]),
  // PostgreSQL accepts 0600 of its own account, and 0640 of root.
  ...(
    [
      ['its own default key', '', 'var/lib/postgresql/15/main/server.key', 0o600, true, 'compliant'],
      ['its own key that a group can read', '', 'var/lib/postgresql/15/main/server.key', 0o640, true, 'drifted'],
      ['a relative key', "ssl_key_file = 'a.key'", 'var/lib/postgresql/15/main/a.key', 0o604, true, 'drifted'],
      ['a key of root', "ssl_key_file = '/srv/a.key'", 'srv/a.key', 0o640, false, 'compliant'],
      ['a key that all users can read', "ssl_key_file = '/srv/a.key'", 'srv/a.key', 0o644, false, 'drifted'],
    ] as const
  ).map(([title, line, key, mode, isOwn, verdict]): Row => [
    '@postgresql postgresql-key',
    title,
    {
      files: {
        ...postgresqlWith(line, { [key]: 'KEY' }).files,
        'etc/passwd': 'root:x:0:0::/root:/bin/sh\npostgres:x:1001:1001::/:/bin/sh\n',
        'etc/group': 'root:x:0:\npostgres:x:1001:\n',
      },
      modes: { [key]: mode },
      owned: isOwn ? [key] : [],
    },
    verdict,
  ]),
  [
    '@postgresql postgresql-audit',
    'another library',
    postgresqlWith('shared_preload_libraries = no_pgaudit'),
    'drifted',
  ],
  // What getaddrinfo(3) makes of them.
  ...['0', '0.0', '0x0', '000.0.0.0', '::0', '0:0:0:0:0:0:0:0', '::0.0.0.0', 'localhost,0', '"*"'].map(
    (address): Row => [
      '@postgresql postgresql-addresses',
      `all addresses as ${address}`,
      postgresqlWith(`listen_addresses = '${address}'`),
      'drifted',
    ],
  ),
  [
    '@postgresql postgresql-addresses',
    'chosen addresses',
    postgresqlWith("listen_addresses = 'localhost, 10.0.0.0, ::1'"),
    'compliant',
  ],
  // postgres(1) takes abbreviations and any case
  ...(
    [
      ['tls', 'ssl = tr'],
      ['log-collector', "log_destination = 'STDERR , Syslog'"],
      ['audit', "shared_preload_libraries = '$libdir/pgaudit'"],
    ] as const
  ).map(([id, line]): Row => [`@postgresql postgresql-${id}`, line, postgresqlWith(line), 'compliant']),
  ...(
    [
      // Of the levels of a log, LOG is above ERROR.
      ['postgresql-log-messages', 'log_min_messages = log', 'drifted'],
      ['postgresql-log-messages', 'log_min_error_statement = log', 'drifted'],
      ['postgresql-log-messages', 'log_min_messages = debug', 'compliant'],
      // `%%` is a percent sign, and a number pads.
      ['postgresql-log-prefix', "log_line_prefix = '%%m %%p %%u %%d'", 'drifted'],
      ['postgresql-log-prefix', "log_line_prefix = '%m [%-6p] %10u@%-10d'", 'compliant'],
      ['postgresql-audit', 'shared_preload_libraries = \'pg_stat_statements, "pgaudit"\'', 'compliant'],
      ['postgresql-addresses', "listen_addresses = '::%1'", 'drifted'],
      ['postgresql-addresses', "listen_addresses = '::ffff:0.0.0.0'", 'drifted'],
      ['postgresql-addresses', "listen_addresses = 'fe80::1%eth0'", 'compliant'],
    ] as const
  ).map(([id, line, verdict]): Row => [`@postgresql ${id}`, line, postgresqlWith(line), verdict]),
  ...(
    [
      ['postgresql-passwords', 'host all all 10.0.0.0/8 trust', 'drifted'],
      ['postgresql-tls-clients', 'host all all samehost scram-sha-256', 'compliant'],
      ['postgresql-tls-clients', 'host all all 127.0.0.1/9 scram-sha-256', 'compliant'],
      ['postgresql-tls-clients', 'host all all 127.0.0.1/1 scram-sha-256', 'drifted'],
      ...['hostnossl all all 0.0.0.0/0 reject', 'hostnossl all all all reject'].map(
        (first) => ['postgresql-tls-clients', `${first}\nhost all all 10.0.0.0/8 scram-sha-256`, 'compliant'] as const,
      ),
      ...['hostnossl app all 0.0.0.0/0 reject', 'hostnossl all bob all reject', 'hostnossl all all ::/0 reject'].map(
        (first) => ['postgresql-tls-clients', `${first}\nhost all all 10.0.0.0/8 scram-sha-256`, 'drifted'] as const,
      ),
      [
        'postgresql-tls-clients',
        'hostnossl all all all reject\nhost replication all 10.0.0.0/8 scram-sha-256',
        'drifted',
      ],
    ] as const
  ).map(([id, hba, verdict]): Row => [
    `@postgresql ${id}`,
    hba,
    postgresqlWith('', { 'etc/postgresql/15/main/pg_hba.conf': `${hba}\n` }),
    verdict,
  ]),
  [
    '@postgresql postgresql-config',
    'a directory of a user that it includes',
    {
      ...postgresqlWith("include_dir '/srv/pg.d'", { 'srv/pg.d/README': '', 'etc/postgresql/15/main/pg_hba.conf': '' }),
      owned: ['srv/pg.d'],
    },
    'drifted',
  ],
  [
    '@postgresql postgresql-data',
    'a data directory of Red Hat that the group may read',
    {
      files: {
        ...DEBIAN,
        'etc/passwd': 'root:x:0:0::/root:/bin/sh\npostgres:x:1001:1001::/:/bin/sh\n',
        'etc/group': 'root:x:0:\npostgres:x:1001:\n',
        'var/lib/pgsql/data/postgresql.conf': '\n',
        'var/lib/pgsql/data/PG_VERSION': '15\n',
      },
      modes: { 'var/lib/pgsql/data': 0o750 },
      owned: ['var/lib/pgsql/data'],
    },
    'compliant',
  ],
])('%s, %s', async (control, _title, host, verdict) => {
  expect(await verdictOf(control, host)).toBe(verdict)
})

test.skipIf(needsRoot)(
  'a key of root in the directories of postgres, which its group reads, is compliant',
  async () => {
    const [root, key] = [temporaryDirectory(), 'etc/postgresql/15/main/site.key']
    const { files } = postgresqlWith(`ssl_key_file = '/${key}'`, { [key]: 'KEY' })
    put(root, files)
    for (const path of ['etc/postgresql', 'etc/postgresql/15', 'etc/postgresql/15/main'])
      chownSync(join(root, path), 1001, 1001)
    chownSync(join(root, key), 0, 1001)
    const accounts = {
      'etc/passwd': 'root:x:0:0::/root:/bin/sh\npostgres:x:1001:1001::/:/bin/sh\n',
      'etc/group': 'root:x:0:\npostgres:x:1001:\n',
    }
    chmodSync(join(root, key), 0o640)
    expect(await verdictOf('@postgresql postgresql-key', { files: accounts }, root)).toBe('compliant')
    chownSync(join(root, 'etc/postgresql/15'), 1002, 1002)
    expect(await verdictOf('@postgresql postgresql-key', { files: accounts }, root)).toBe('drifted')
  },
)
