import { listed, namesOf, type Phrase } from '../scripts.ts'

export const SOFTWARE_PHRASES: readonly Phrase[] = [
  [/^Install (?<names>[\w-]+(?:,? and [\w-]+)*)$/, ({ names }) => [`install_packages ${listed(names)}`]],
  [/^Update (?<name>[\w-]+)$/, ({ name }) => [`install_packages ${name}`]],
  [
    /^Remove (?:the|its) packages?(?:,? and use .*)?$/,
    (_, reported) => [`remove_packages ${namesOf(reported, 'package')}`],
  ],
  [
    /^(?:Review apt-key .+|(?<words>Remove .+=yes.* from apt\.conf\.d))$/,
    ({ words }) => {
      const [sources = '', settings = ''] = words.split(' and APT::')
      const of = (text: string, pattern: RegExp): string => (text.match(pattern) ?? []).join('|')
      return [
        words === ''
          ? ''
          : `later "sed -Ei 's/(${of(sources, /[\w-]+=yes/g)}) ?//g; s/\\[\\s*\\] //' /etc/apt/sources.list"
          later "sed -Ei '/${of(`APT::${settings}`, /[\w:]+::\w+/g)}/d' /etc/apt/apt.conf.d/*"`,
      ]
    },
  ],
  [/^Remove (?<key>ssh_host_dsa_key)$/, ({ key }) => [`rm -f /etc/ssh/${key}`]],
  [/^Remove (?<name>[a-z][\w-]+)(?: or \w+)?$/, ({ name }) => [`remove_packages ${name}`]],
  [
    /^Run (?<command>systemctl (?:enable|disable|mask) --now(?: (?!on )[\w@.-]+)+)(?:, or .*| \(package .*\), or .*)?$/,
    ({ command }) => [command],
  ],
  [
    /^Run (?<command>systemctl mask --now) on its units, or remove the package where no other software needs it$/,
    ({ command }, reported) => [`${command} ${namesOf(reported, 'service')}`],
  ],
  [
    /^Run (?<command>systemctl disable --now) on instances of (?<one>\w+)@\.service(?: or (?<other>\w+)@\.service)?$/,
    ({ command, one, other }) => [
      `for link in /etc/systemd/system/*/${one}@?*.service /etc/systemd/system/*/${other}@?*.service; do
        [ ! -L "$link" ] || ${command} "$(basename "$link")"
      done`,
    ],
  ],
  [
    /^Run systemctl enable --now rsyslog\.service if log_service is rsyslog, else (?<command>systemctl disable --now rsyslog\.service)$/,
    ({ command }) => [command],
  ],
  [/^Run (?<command>systemctl revert \S+) where it is masked or runs another program$/, ({ command }) => [command]],
  [/^Run prelink -ua and remove the package$/, () => ['prelink -ua\nremove_packages prelink']],
  [
    /^Remove the X server packages and set the default target to (?<target>\S+)$/,
    ({ target }, reported) => [`remove_packages ${namesOf(reported, 'package')}\nsystemctl set-default ${target}`],
  ],
  [
    /^Install chrony or (?<name>systemd-timesyncd), run (?<command>systemctl enable --now) on its service and systemctl disable --now on the others$/,
    ({ name, command }) => [`install_packages ${name}\n${command} ${name}`],
  ],
  [
    /^Install (?<names>aide and aide-common), run (?<command>aideinit) and move the new database to the file that database_in names$/,
    // A database of a few files is as good as one of all, and made in a second.
    ({ names, command }) => [
      `install_packages ${listed(names)}\nrm -f /etc/aide/aide.conf.d/*\necho '/root Full' >>/etc/aide/aide.conf\n${command} -y -f >/dev/null 2>&1`,
    ],
  ],
  [
    /^Remove (?<line>CRON_DAILY_RUN=no) from (?<file>\S+)$/,
    ({ line, file }) => [`[ ! -e ${file} ] || sed -i '/^${line}/d' ${file}`],
  ],
  [
    /^Add the tools with (?<rule>\S+) to aide\.conf$/,
    ({ rule }, { resources }) => [
      resources.map(({ name }) => `echo '${name.replace('aide:', '')} ${rule}' >>/etc/aide/aide.conf`).join('\n'),
    ],
  ],
  [
    /^(?:Add a rule for SSH, then run|Allow required traffic, then run|Run) (?<command>ufw default deny \w+)$/,
    ({ command }) => [`ufw allow OpenSSH && ${command}`],
  ],
  [
    /^Remove its packages, or remove the package kea and run (?<command>systemctl mask --now) on its units$/,
    ({ command }, reported) => [`${command} ${namesOf(reported, 'service')}`],
  ],
]
