import { pathsOf, type Phrase, settings } from '../scripts.ts'

const RELOAD = "later systemctl reload 'postgresql@*'"
const RESTART = "later systemctl restart 'postgresql@*'"
const HBA = '$(postgresql_main)/pg_hba.conf'

export const POSTGRESQL_PHRASES: readonly Phrase[] = [
  [
    /^Replace trust with (?<one>peer) in local lines and with (?<other>\S+) in other lines of pg_hba\.conf, set passwords for roles without one, and reload$/,
    ({ one, other }) => [`sed -Ei '/^local/s/ trust/ ${one}/; s/ trust/ ${other}/' ${HBA}\n${RELOAD}`],
  ],
  [
    /^Set (?<text>password_encryption = \S+), set the passwords again, replace (?<names>.+) and their options with (?<value>\S+) in pg_hba\.conf, and reload$/,
    ({ text, names, value }) => [
      `${settings(text, 'conf.d').join('')}
      systemctl reload 'postgresql@*'
      as_postgres psql -qc "alter role app password 'Right-Horse-42-x'"
      sed -Ei '/^host/s/ (${names.replaceAll(/, | and /g, '|')})( .*)?$/ ${value}/' ${HBA}\n${RELOAD}`,
    ],
  ],
  [
    /^Set (?<text>ssl = on), replace host and hostnossl with (?<value>hostssl) in pg_hba\.conf for addresses of other hosts, and reload$/,
    ({ text, value }) => [
      `${settings(text, 'conf.d').join('')}\nsed -Ei '/127\\.0\\.0\\.1|::1|localhost/!s/^host(nossl)? /${value} /' ${HBA}\n${RELOAD}`,
    ],
  ],
  [
    /^Set (?<text>ssl = on) with ssl_cert_file and ssl_key_file in a file in conf\.d, and reload$/,
    ({ text }) => settings(text, 'conf.d', RELOAD),
  ],
  [
    /^Set (?<text>.+) in a file in conf\.d \(or with ALTER SYSTEM\) and reload(?:, and run (?<one>chown \S+) and (?<other>chmod \S+) on the files in .+)?$/,
    ({ text, one, other }, reported) => {
      const paths = pathsOf(reported)
      const files = paths === '' ? '' : `${one} ${paths}\n${other} ${paths}\n`
      return ['conf.d', 'ALTER SYSTEM'].flatMap((way) => settings(text, way, `${files}${RELOAD}`))
    },
  ],
  [
    /^Set (?<text>listen_addresses to localhost) or addresses of this host in a file in conf\.d and restart the server$/,
    ({ text }) => settings(text, 'conf.d', RESTART),
  ],
  [
    /^Install (?<name>postgresql)-NN-pgaudit, add (?<value>\w+) to (?<key>\w+) in a file in conf\.d, and restart the server$/,
    ({ name, value, key }) => [
      `install_packages $(basename $(dirname $(postgresql_main)) | sed 's/.*/${name}-&-${value}/')\n${settings(`${key} = ${value}`, 'conf.d', RESTART).join('')}`,
    ],
  ],
  [
    /^Run (?<one>chown \S+) \((?<other>\S+) where other services share it\) and (?<mode>chmod \S+) on the file that ssl_key_file names$/,
    ({ one, other, mode }, reported) =>
      [one, `chown ${other}`].map((owner) => `${owner} ${pathsOf(reported)}\n${mode} ${pathsOf(reported)}`),
  ],
  [/^Run (?<command>passwd -l \w+)$/, ({ command }) => [command]],
]
