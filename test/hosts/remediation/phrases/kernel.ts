import { type Phrase, settings } from '../scripts.ts'

export const KERNEL_PHRASES: readonly Phrase[] = [
  [
    /^Add (?<install>install (?<module>\S+) \S+) and (?<deny>blacklist \S+) to (?<file>modprobe\.d) and unload the module$/,
    ({ install, module, deny, file }) => [`printf '%s\\n' '${install}' '${deny}' >/etc/${file}/${module}.conf`],
  ],
  [/^Set (?<text>kernel\.\S+ to .+)$/, ({ text }) => settings(text, 'sysctl.d')],
  [
    /^Set (?<key>\S+) = (?<value>\d) in sysctl\.d(?: for every interface)?, with ufw also in (?<file>\/\S+)$/,
    ({ key, value, file }) => [
      `set_sysctl ${key} ${value}\n[ ! -e ${file} ] || sed -Ei 's|(${key.replaceAll('.', '/')})=.*|\\1=${value}|' ${file}`,
    ],
  ],
  [
    /^Set (?<family>net\.ipv\d)\.conf\.all\.(?<key>\w+) = (?<value>\S+) in sysctl\.d for every interface$/,
    ({ family, key, value }) => [`set_sysctl '${family}.conf.*.${key}' ${value}`],
  ],
  [/^Set (?<text>(?!\*).+) in sysctl\.d(?: for every interface)?$/, ({ text }) => settings(text, 'sysctl.d')],
  [
    /^Set (?<lines>\* hard core 0(?: and root hard core 0)?) in limits\.d(?: and (?<text>\S+ = \d) in sysctl\.d)?$/,
    ({ lines, text }) => [
      `printf '%s\\n' ${lines
        .split(' and ')
        .map((each) => `'${each}'`)
        .join(' ')} >/etc/security/limits.d/core.conf\n${text === '' ? '' : settings(text, 'sysctl.d').join('')}`,
    ],
  ],
  [
    /^Set (?<text>enabled=0) in (?<file>\/etc\/default\/apport) and run (?<command>systemctl .+)$/,
    ({ text, file, command }) => settings(text, file, command),
  ],
]
