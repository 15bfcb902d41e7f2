import { accountsOf, namesOf, pathsOf, type Phrase, settings } from '../scripts.ts'

const RELOAD = 'nginx -t\nlater systemctl reload nginx'
const HTTP = String.raw`in the http block and(?: in|, like (?<names>.+), in) each block with its own(?: add_header)? lines?`
const CHECK = 'check with nginx -t, and reload'

export const NGINX_PHRASES: readonly Phrase[] = [
  [
    /^Set (?<key>user) in nginx\.conf to a dedicated account \((?<value>\S+), .+\) without privileged groups, and restart nginx$/,
    ({ key, value }) => [`sed -i 's/^${key} .*/${key} ${value};/' /etc/nginx/nginx.conf\n${RELOAD}`],
  ],
  [
    RegExp(`^Set autoindex off, and fancyindex off where its module is loaded, ${HTTP}, ${CHECK}$`),
    () => settings('autoindex off', 'http block', RELOAD),
  ],
  [
    RegExp(`^Set ssl_ciphers to (?<value>\\S+) or another list .+ ${HTTP}, remove (?<key>.+), ${CHECK}$`),
    ({ value, key }) => settings(`ssl_ciphers to ${value}`, 'http block', `set_nginx '${key}' ''\n${RELOAD}`),
  ],
  [
    RegExp(`^Set add_header (?<key>\\S+) (?<value>.+) ${HTTP}, ${CHECK}$`),
    ({ key, value }) => [`add_nginx_header '${key}' '${value}'\n${RELOAD}`],
  ],
  [
    RegExp(`^Set (?<text>.+?)(?:, not 0,)? ${HTTP}(?:, remove (?<key>[^,]+))?, ${CHECK}$`),
    ({ text, names, key }) => {
      const [, one = '', values = ''] = /^(\S+) (.+)$/.exec(text) ?? []
      const others = names.split(' and ').filter(Boolean)
      return settings(
        names === '' ? text : `${one} to ${values}`,
        'http block',
        [
          ...others.map((each) => `set_nginx '${each}' '${values}'`),
          ...(key === '' ? [] : [`set_nginx '${key}' ''`]),
          RELOAD,
        ].join('\n'),
      )
    },
  ],
  [
    RegExp(`^Remove (?<key>access_log) lines with off, /dev/null or a condition \\(if=\\), ${CHECK}$`),
    ({ key }) => [
      `sed -Ei --follow-symlinks 's/${key} ([^;]* )?(off|\\/dev\\/null|if=[^;]*);//' $(nginx_files)\n${RELOAD}`,
    ],
  ],
  [
    /^Run (?<one>chown \S+) \(or (?<other>\S+), .+\) and (?<mode>chmod \S+) on \S+ and other files .+, and (?<first>chown \S+) and (?<second>chmod \S+) on (?<path>\S+)$/,
    ({ one, other, mode, first, second, path }, reported) =>
      [one, `chown ${other}`].map(
        (owner) =>
          `for file in ${pathsOf(reported)}; do [ $file = ${path} ] || { ${owner} $file; ${mode} $file; }; done; ${first} ${path}; ${second} ${path}`,
      ),
  ],
  [
    /^Run (?<first>chown -R \S+) and (?<second>chmod -R \S+) on (?<path>\S+) and the files.+ that it names, and (?<other>chgrp \S+) on \S+$/,
    ({ first, second, path, other }, reported) => [
      `${first} ${path} ${pathsOf(reported)}\n${second} ${path} ${pathsOf(reported)}\n${other} ${path}`,
    ],
  ],
  [
    /^Run (?<one>chown \S+) and (?<mode>chmod \d+) on the keys, .+ \((?<other>chown \S+) and (?<second>chmod \d+) where .+\)$/,
    ({ one, mode, other, second }, reported) => [
      `${one} ${pathsOf(reported)}\n${mode} ${pathsOf(reported)}`,
      `${other} ${pathsOf(reported)}\n${second} ${pathsOf(reported)}`,
    ],
  ],
  [
    /^Run (?<one>usermod -s \S+) and (?<other>usermod -L) on the account$/,
    ({ one, other }, reported) => [
      `for account in ${namesOf(reported, 'user')} ${accountsOf(reported)}; do ${one} $account; ${other} $account; done`,
    ],
  ],
]
