import { chownSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { put } from '../../../support/contract.ts'
import { temporaryDirectory } from '../../../support/temporary.ts'
import { DEBIAN, type Files, type Host, needsRoot, type Row, verdictOf, WANTS } from './host.ts'

const NGINX: Files = { ...DEBIAN, 'etc/nginx/nginx.conf': 'http { include /etc/nginx/sites/*; }\n' }

/** A server with TLS, and a directive of it. */
function nginxWith(directive: string): Files {
  const tls = `ssl_protocols TLSv1.2 TLSv1.3; ssl_ciphers HIGH:!aNULL:!MD5; ${directive}`
  return { ...DEBIAN, 'etc/nginx/nginx.conf': `events {}\nhttp { ${tls} server { listen 443 ssl; } }\n` }
}

/** nginx with workers of an account. */
function nginxAs(user: string, more: Files): Host {
  const passwd = `${DEBIAN['etc/passwd']}webapp:x:991:991::/:/usr/sbin/nologin\ntoor:x:0:0::/root:/bin/bash\n`
  const shadow = `${DEBIAN['etc/shadow']}webapp:!:19000::::::\ntoor:*:19000::::::\n`
  const conf = { 'etc/nginx/nginx.conf': `user ${user};\nhttp {}\n` }
  return { files: { ...DEBIAN, ...conf, 'etc/passwd': passwd, 'etc/shadow': shadow, ...more } }
}

const WWW: Files = { 'etc/passwd': 'root:x:0:0:root:/root:/bin/bash\nwww-data:x:33:33::/:/usr/sbin/nologin\n' }

/** A service that starts nginx with options, and a file that they may name. */
function nginxStartedWith(options: string, more: Files): Host {
  const unit = `[Service]\nEnvironmentFile=-/etc/default/nginx\nExecStart=/usr/sbin/nginx ${options}\n`
  const files = {
    'etc/nginx/nginx.conf': 'http { server { listen 80; } }\n',
    'etc/other/a.conf': 'http { include list*; server { listen 443 ssl; ssl_certificate_key a.pem; } }\n',
    'etc/other/list': 'autoindex on;\n',
    'etc/other/a.pem': 'KEY',
    'usr/lib/systemd/system/nginx.service': unit,
  }
  return { files: { ...DEBIAN, ...files, ...more } }
}

test.skipIf(needsRoot).each<Row>([
  [
    '@nginx nginx-autoindex',
    'nginx that a script starts',
    nginxStartedWith('', {
      'etc/systemd/system/nginx.service': '[Service]\nExecStart=/usr/local/bin/start-nginx\n',
    }),
    'error',
  ],
  ...['Protocol "-ALL,TLSv1"', 'Protocol ALL', 'protocol TLSv1.1'].map((command): Row => [
    '@nginx nginx-tls-protocols',
    command,
    { files: nginxWith(`ssl_conf_command ${command};`) },
    'drifted',
  ]),
  // Modules of upstream servers: uwsgi_ssl_protocols, and ssl_conf_command by module.
  ...[
    'uwsgi_ssl_protocols TLSv1;',
    'proxy_ssl_conf_command Protocol ALL;',
    'uwsgi_ssl_conf_command Protocol TLSv1.1;',
  ].map((block): Row => ['@nginx nginx-tls-protocols', block, { files: nginxWith(block) }, 'drifted']),
  [
    '@nginx nginx-tls-protocols',
    'the same versions by OpenSSL',
    { files: nginxWith('ssl_conf_command Protocol "-ALL,TLSv1.2";') },
    'compliant',
  ],
  [
    '@nginx nginx-tls-ciphers',
    'weak ciphers by OpenSSL',
    { files: nginxWith('ssl_conf_command CipherString ALL;') },
    'drifted',
  ],
  [
    '@nginx nginx-keys',
    'a key of another name',
    { files: { ...NGINX, 'etc/nginx/sites/a': 'server { ssl_certificate_key /srv/a.pem; }\n', 'srv/a.pem': 'KEY' } },
    'drifted',
  ],
  ['@nginx nginx-user', 'an account by the option -g', nginxStartedWith("-g 'user www-data;'", WWW), 'compliant'],
  ...[
    ['/srv/logs/a.log', 'drifted'],
    ['/srv/logs/$host.log', 'error'],
    ['off', 'compliant'],
  ].map(([log = '', verdict = '']): Row => [
    '@nginx nginx-log-files',
    log,
    {
      files: { ...DEBIAN, 'etc/nginx/nginx.conf': `http { access_log ${log} combined; }\n`, 'srv/logs/a.log': '' },
      modes: { 'srv/logs/a.log': 0o644 },
    },
    verdict,
  ]),
  [
    '@nginx nginx-log-files',
    'a rotated log',
    {
      files: { ...DEBIAN, 'etc/nginx/nginx.conf': 'error_log /srv/logs/a.log;\n', 'srv/logs/a.log.1': '' },
      modes: { 'srv/logs/a.log.1': 0o644 },
    },
    'drifted',
  ],
  ...['AES:@SECLEVEL=0', 'HIGH:!aNULL:@SECLEVEL=0'].map((ciphers): Row => [
    '@nginx nginx-tls-ciphers',
    ciphers,
    { files: { ...DEBIAN, 'etc/nginx/nginx.conf': `http { ssl_ciphers ${ciphers}; server { listen 443 ssl; } }\n` } },
    'drifted',
  ]),
  // openssl-ciphers(1): kRSA and the like overlap with eNULL.
  ...(
    [
      ['kRSA', 'drifted'],
      ['SHA256', 'drifted'],
      ['kRSA:!eNULL', 'compliant'],
      ['kRSA:+AES:!NULL', 'compliant'],
      ['kRSA+AES', 'compliant'],
      ['IDEA', 'drifted'],
      ['ALL:!aNULL:!RC4', 'drifted'],
      ['ALL:!EXP:!NULL:!ADH:!LOW:!SSLv2:!SSLv3:!MD5:!RC4', 'compliant'],
      ['HIGH:-3DES', 'compliant'],
      ['ECDHE-RSA-AES128-GCM-SHA256:RSA+3DES', 'drifted'],
    ] as const
  ).map(([ciphers, verdict]): Row => [
    '@nginx nginx-tls-ciphers',
    ciphers,
    { files: { ...DEBIAN, 'etc/nginx/nginx.conf': `http { ssl_ciphers ${ciphers}; server { listen 443 ssl; } }\n` } },
    verdict,
  ]),
  ...(
    [
      ['nginx-tls-protocols', 'proxy_ssl_protocols TLSv1 TLSv1.2;', 'drifted'],
      ['nginx-tls-protocols', 'proxy_ssl_protocols TLSv1.3;', 'compliant'],
      ['nginx-autoindex', 'server { location /a { fancyindex on; } }', 'drifted'],
      ['nginx-logs', 'access_log /var/log/a.log combined; access_log /var/log/b.log combined if=$x;', 'compliant'],
      ['nginx-logs', 'access_log /dev/null; access_log /var/log/b.log combined if=$x;', 'drifted'],
    ] as const
  ).map(([id, lines, verdict]): Row => [`@nginx ${id}`, lines, { files: nginxWith(lines) }, verdict]),
  ...(
    [
      ['/dev/null', 'drifted'],
      ['/dev/stdout', 'compliant'],
    ] as const
  ).map(([target, verdict]): Row => [
    '@nginx nginx-logs',
    `a log that leads to ${target}`,
    {
      files: { ...nginxWith('access_log /var/log/nginx/a.log combined;'), 'var/log/nginx/.keep': '' },
      links: { 'var/log/nginx/a.log': target },
    },
    verdict,
  ]),
  ...['/usr/bin/false', '/usr/bin/nologin'].map((shell): Row => [
    '@nginx nginx-user-no-login',
    `the shell ${shell}`,
    nginxAs('www-data', {
      'etc/passwd': `root:x:0:0::/root:/bin/bash\nwww-data:x:33:33::/:${shell}\n`,
      'etc/shadow': 'root:*:19000::::::\nwww-data:*:19000::::::\n',
    }),
    'compliant',
  ]),
  ...['staff', 'incus-admin'].map((group): Row => [
    '@nginx nginx-user',
    `a member of ${group}`,
    nginxAs('webapp', { 'etc/group': `${group}:x:1:webapp\n` }),
    'drifted',
  ]),
  [
    '@nginx nginx-pid',
    'a file of another name',
    {
      files: { ...DEBIAN, 'etc/nginx/nginx.conf': 'pid /srv/nginx.pid;\nhttp {}\n', 'srv/nginx.pid': '1\n' },
      modes: { 'srv/nginx.pid': 0o666 },
    },
    'drifted',
  ],
  ...['ssl_password_file', 'ssl_session_ticket_key'].map((directive): Row => [
    '@nginx nginx-keys',
    directive,
    { files: { ...nginxWith(`${directive} /srv/secret;`), 'srv/secret': 'x' }, modes: { 'srv/secret': 0o644 } },
    'drifted',
  ]),
  [
    '@nginx nginx-config',
    'a directory of a user that it includes from',
    { files: { ...nginxWith('include /srv/sites/*.conf;'), 'srv/sites/README': '' }, owned: ['srv/sites'] },
    'drifted',
  ],
  [
    '@nginx nginx-config',
    'a module of a user',
    {
      files: { ...DEBIAN, 'etc/nginx/nginx.conf': 'load_module /srv/m.so;\nhttp {}\n', 'srv/m.so': '' },
      owned: ['srv/m.so'],
    },
    'drifted',
  ],
  ['@nginx nginx-user', 'an account of its own', nginxAs('webapp', { 'etc/group': 'webapp:x:991:\n' }), 'compliant'],
  ['@nginx nginx-user', 'a member of docker', nginxAs('webapp', { 'etc/group': 'docker:x:1:webapp\n' }), 'drifted'],
  ['@nginx nginx-user', 'another name of root', nginxAs('toor', {}), 'drifted'],
  ['@nginx nginx-user-no-login', 'an account with a shell', nginxAs('toor', {}), 'drifted'],
  ['@nginx nginx-user-no-login', 'an account without a shell', nginxAs('webapp', {}), 'compliant'],
  [
    '@nginx nginx-config',
    'a site that leads into a home',
    {
      files: { ...NGINX, 'etc/nginx/sites/b': '', 'home/bob/site': 'server { listen 80; }\n' },
      links: { 'etc/nginx/sites/a': '/home/bob/site' },
      owned: ['home/bob/site'],
    },
    'drifted',
  ],
  ...[
    ['-c /etc/other/a.conf', 'error'],
    ['', 'compliant'],
  ].map(([options = '', verdict = '']): Row => [
    '@nginx nginx-autoindex',
    `a second server with the options ${options}`,
    nginxStartedWith('', {
      'usr/lib/systemd/system/nginx-site.service': `[Service]\nExecStart=/usr/sbin/nginx ${options}\n`,
      [`${WANTS}/nginx-site.service`]: '',
    }),
    verdict,
  ]),
  ...(
    [
      ['nginx-autoindex', '-c /etc/other/a.conf', {}],
      ['nginx-autoindex', '-c ${CONFFILE}', { 'etc/default/nginx': 'CONFFILE=/etc/other/a.conf\n' }],
      ['nginx-keys', '-c /etc/other/a.conf', {}],
    ] as const
  ).map(([id, options, more]): Row => [
    `@nginx ${id}`,
    `the options ${options}`,
    nginxStartedWith(options, more),
    'drifted',
  ]),
])('%s, %s', async (control, _title, host, verdict) => {
  expect(await verdictOf(control, host)).toBe(verdict)
})

test.skipIf(needsRoot)('@nginx nginx-keys: a fix leaves a key to the services that share it', async () => {
  const root = temporaryDirectory()
  const key = 'etc/ssl/private/a.key'
  const files = {
    ...DEBIAN,
    'etc/passwd': `${DEBIAN['etc/passwd']}postgres:x:1234:1234::/:/usr/sbin/nologin\n`,
    'etc/group': `${DEBIAN['etc/group']}postgres:x:1234:\n`,
    'etc/nginx/nginx.conf': `http { ssl_certificate_key /${key}; }\n`,
    [key]: 'KEY',
  }
  put(root, files)
  chownSync(join(root, key), 0, 1234)
  expect(await verdictOf('@nginx nginx-keys', { files, modes: { [key]: 0o644 } }, root, true)).toBe('fixed')
  const { gid, mode } = statSync(join(root, key))
  expect({ gid, mode: mode & 0o7777 }).toEqual({ gid: 1234, mode: 0o640 })
})
