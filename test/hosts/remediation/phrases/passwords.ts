import { FILES, accountsOf, dotFilesOf, inFile, listed, type Phrase, settings, textOf } from '../scripts.ts'

export const PASSWORDS_PHRASES: readonly Phrase[] = [
  [
    /^Set (?<key>\w+) to (?<text>.+) in login\.defs and run (?<chage>chage -\w) for existing accounts$/,
    ({ key, text, chage }) =>
      settings(`${key} to ${text}`, 'login.defs').map(
        (script) => `${script}\neach_account ${chage} ${/"(\d+)"$/.exec(script)?.[1]}`,
      ),
  ],
  [
    /^Set INACTIVE to (?<days>\d+) or less with (?<useradd>useradd -D) and run (?<chage>chage -I) for existing accounts$/,
    ({ days, useradd, chage }) => [`${useradd} -f ${days}\neach_account ${chage} ${days}`],
  ],
  [
    /^Set (?<text>TMOUT=\d+) or less in a file in (?<directory>\/\S+), followed by (?<one>.+) and (?<other>.+)$/,
    ({ text, directory, one, other }) => [`printf '%s\\n' '${text}' '${one}' '${other}' >${directory}/tmout.sh`],
  ],
  [
    /^Set (?<defs>UMASK \d+) in login\.defs and (?<text>umask \d+) in a file in (?<directory>\/\S+)$/,
    ({ defs, text, directory }) => [`${settings(defs, 'login.defs').join('')}\necho '${text}' >${directory}/umask.sh`],
  ],
  [
    /^for sessions without a shell, add (?<module>pam_umask) with (?<argument>\w+) to (?<stack>[\w-]+)$/,
    ({ module, argument, stack }) => [`echo 'session optional ${module}.so ${argument}' >>/etc/pam.d/${stack}`],
  ],
  [
    /^Set ENCRYPT_METHOD to (?<values>.+), with at least the default cost, in login\.defs$/,
    ({ values }) => settings(`ENCRYPT_METHOD to ${values}`, 'login.defs'),
  ],
  [
    /^Run (?<one>usermod -s \S+) and (?<other>usermod -L) for each account$/,
    ({ one, other }, reported) => [
      `for account in ${accountsOf(reported)}; do ${one} $account; ${other} $account; done`,
    ],
  ],
  [/^Remove the line from (?<path>\/etc\/shells)$/, ({ path }) => [`sed -i /nologin/d ${path}`]],
  [
    /^Run (?<command>gpasswd -d) USER (?<group>shadow), and usermod -g .*$/,
    ({ command, group }, { resources }) => [
      resources
        .flatMap(({ type, drift }) =>
          type === 'group' ? drift.map(({ observed }) => `${command} ${textOf(observed)} ${group}`) : [],
        )
        .join('\n'),
    ],
  ],
  [/^Create missing home directories$/, () => ['']],
  [
    /^run chown and (?<mode>chmod \d+) or stricter on the others$/,
    ({ mode }, reported) => [
      `for account in ${accountsOf(reported)}; do chown $account "$(home_of $account)"; ${mode} "$(home_of $account)"; done`,
    ],
  ],
  [
    /^Run chown and (?<mode>chmod \S+) on the files and (?<other>chmod \d+) on (?<names>.+)$/,
    ({ mode, other, names }, reported) => [
      dotFilesOf(reported, `chown "$owner:" "$file"; ${mode} "$file"`) +
        `\nfor name in ${listed(names)}; do for account in ${accountsOf(reported)}; do [ ! -e "$(home_of $account)/$name" ] || ${other} "$(home_of $account)/$name"; done; done`,
    ],
  ],
  [
    /^remove (?<names>\.forward and \.rhosts)$/,
    ({ names }, reported) => [
      `for account in ${accountsOf(reported)}; do (cd "$(home_of $account)" && rm -f ${listed(names)}); done`,
    ],
  ],
  [
    /^Set (?<text>umask \d+) or stricter in (?<files>\/.+)$/,
    ({ text, files }) => [`for file in ${listed(files)}; do echo '${text}' >>$file; done`],
  ],
  [/^Set (?<key>\w+) in pwquality\.conf$/, ({ key }) => [inFile('/etc/security/pwquality.conf', '')(key, '')]],
  [
    /^Set (?<text>.+), and no credit above 0, in pwquality\.conf$/,
    ({ text }) =>
      settings(text, 'pwquality.conf', `sed -Ei '/^[a-z]credit\\s*=\\s*[1-9]/d' /etc/security/pwquality.conf`),
  ],
  [
    /^Set minclass = (?<classes>\d), or dcredit, ucredit, ocredit and lcredit below 0, in pwquality\.conf$/,
    ({ classes }) => [
      ...settings(`minclass = ${classes}`, 'pwquality.conf'),
      ...settings('minclass to 0, dcredit, ucredit, ocredit and lcredit to -1', 'pwquality.conf'),
    ],
  ],
  [
    /^Set even_deny_root with unlock_time of (?<one>\d+) or more, or root_unlock_time of (?<other>\d+) or more, in faillock\.conf$/,
    ({ one, other }) => [
      `${FILES['faillock.conf']?.('even_deny_root', '')}\n${settings(`unlock_time = ${one}`, 'faillock.conf').join('')}`,
      `sed -i /even_deny_root/d /etc/security/faillock.conf\n${settings(`root_unlock_time = ${other}`, 'faillock.conf').join('')}`,
    ],
  ],
  [
    /^Set (?<text>.+?),? and remove (?<key>admin_group) in (?<file>faillock\.conf)$/,
    ({ text, key, file }) => settings(text, file, `sed -i '/^${key}/d' /etc/security/faillock.conf`),
  ],
]
