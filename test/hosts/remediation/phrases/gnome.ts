import {
  dconf,
  listed,
  listedSettings,
  namesOf,
  pathsOf,
  type Phrase,
  sections,
  settings,
  valueOf,
} from '../scripts.ts'

const RELOAD_SSHD = 'sshd -t\nsystemctl reload ssh'

export const GNOME_PHRASES: readonly Phrase[] = [
  [
    /^Set (?<text>.+?) of a dconf database(?:, lock (?<locks>.+?)(?: there)?)? and run dconf update$/,
    ({ text, locks }) => dconf(text, locks),
  ],
  [
    /^Lock (?<text>.+) of the dconf database and run dconf update$/,
    ({ text }) => [
      `${sections(text)
        .map(([keys, schema]) =>
          listed(keys)
            .split(' ')
            .map((key) => `lock_dconf ${schema} ${key}`)
            .join('\n'),
        )
        .join('\n')}\ndconf update`,
    ],
  ],
  [
    /^Remove (?<line>\w+=\w+) from section xdmcp of (?<file>\S+)$/,
    ({ line, file }) => [`sed -i '/^${line}/d' ${file}`],
  ],
  [
    /^Create units for the services it starts and remove the package$/,
    (_, reported) => [`remove_packages ${namesOf(reported, 'package')}`],
  ],
  [
    /^Install auditd and set the listed keys in (?<file>auditd\.conf)$/,
    ({ file }, reported) => [`install_packages auditd\n${listedSettings(reported, file)}`],
  ],
  [/^Set the listed keys in (?<file>\S+)$/, ({ file }, reported) => [listedSettings(reported, file)]],
  [/^Remove (?<path>\/\S+)$/, ({ path }) => [`rm -f ${path}`]],
  [
    /^Add (?<option>\w+) to the options in fstab or the mount unit and remount$/,
    ({ option }, reported) => [
      namesOf(reported, 'mount')
        .split(' ')
        .filter(Boolean)
        .map((path) => `in_fstab ${path} ${option}`)
        .join('\n'),
    ],
  ],
  [
    /^Keep one Port line, check with sshd -t, and reload$/,
    () => [
      `sed -i '/^Port /d' /etc/ssh/sshd_config /etc/ssh/sshd_config.d/*\n${settings(`Port ${valueOf('ssh_port')}`, 'sshd_config.d', RELOAD_SSHD).join('')}`,
    ],
  ],
  [
    /^Set (?<text>AddressFamily to inet) or inet6 where one is enough, check with sshd -t, and reload$/,
    ({ text }) => settings(text, 'sshd_config.d', RELOAD_SSHD),
  ],
  [
    /^Set ListenAddress to an address of this host in a file of mode 0600 in sshd_config\.d, check with sshd -t, and restart$/,
    () => settings('ListenAddress 127.0.0.1', 'sshd_config.d', RELOAD_SSHD),
  ],
  [
    /^Set Banner as chosen, check with sshd -t, and reload$/,
    () => settings(`Banner ${valueOf('ssh_banner')}`, 'sshd_config.d', RELOAD_SSHD),
  ],
  [
    /^run (?<one>chown root) and (?<other>chmod \d+) on the other keys$/,
    ({ one, other }, reported) => [`${one} ${pathsOf(reported)}\n${other} ${pathsOf(reported)}`],
  ],
  [
    /^Keep the lines of (?<file>\/etc\/ssh\/moduli) whose fifth field is (?<bits>\d+) or more$/,
    ({ file, bits }) => [`awk '$5 >= ${bits}' ${file} >/tmp/moduli && cp /tmp/moduli ${file}`],
  ],
]
