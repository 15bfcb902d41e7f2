import { listed, type Phrase, settings } from '../scripts.ts'

const RELOAD_SSHD = 'sshd -t\nsystemctl reload ssh'
const SSHD = String.raw`in a file of mode 0600 in sshd_config\.d(?: that sorts first)?, check with sshd -t, and re(?:load|start)`

export const FIREWALLS_PHRASES: readonly Phrase[] = [
  [
    /^Install one of (?<name>\w+), .+, run (?<enable>systemctl enable --now) on its service and systemctl mask --now on those of the others$/,
    ({ name, enable }) => [`install_packages ${name}\n${enable} ${name}`],
  ],
  [
    /^Where pam_pwquality is not in use, install (?<name>\S+), which enables it$/,
    ({ name }) => [`install_packages ${name}`],
  ],
  [
    RegExp(`^Remove other lines of (?<key>MaxStartups), set (?<text>.+) ${SSHD}$`),
    ({ key, text }) => [
      `sed -i '/^${key} /d' /etc/ssh/sshd_config /etc/ssh/sshd_config.d/*\n${settings(text, 'sshd_config.d', RELOAD_SSHD).join('')}`,
    ],
  ],
  [
    /^Allow the SSH port first \((?<allow>.+)\), then run (?<enable>ufw enable) and (?<command>systemctl .+)$/,
    ({ allow, enable, command }) => [`${allow}\n${enable.replace('ufw', 'ufw --force')}\n${command}`],
  ],
  [
    /^Run (?<text>ufw prepend .+), so that no other rule precedes them$/,
    ({ text }) => [listed(text).replaceAll(' ufw', ' && ufw')],
  ],
  [
    /^Run (?<command>ufw default deny) for (?<directions>.+), and add rules for required traffic$/,
    ({ command, directions }) => [`for direction in ${listed(directions)}; do ${command} $direction; done`],
  ],
]
