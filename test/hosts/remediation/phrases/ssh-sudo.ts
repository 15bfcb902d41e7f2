import { desiredOf, listed, type Phrase, settings } from '../scripts.ts'

const RELOAD_SSHD = 'sshd -t\nsystemctl reload ssh'
const SSHD = String.raw`in a file of mode 0600 in sshd_config\.d(?: that sorts first)?, check with sshd -t, and re(?:load|start)`
const SSH = String.raw`in a file in (?<file>/etc/ssh/ssh_config\.d)(?: that sorts first)?`
const SUDOERS = String.raw`with visudo -f in a sudoers\.d file that sorts last and has no dot in its name`

export const SSH_SUDO_PHRASES: readonly Phrase[] = [
  [
    RegExp(`^Set (?<key>KexAlgorithms) with (?<names>.+) ${SSHD}$`),
    ({ key, names }) =>
      names
        .split(' or ')
        .flatMap((name) =>
          settings(`${key} ${name},$(sshd -T | sed -n 's/^kexalgorithms //p')`, 'sshd_config.d', RELOAD_SSHD),
        ),
  ],
  [
    RegExp(`^Set (?<key>\\w+) without weak \\w+ ${SSHD}$`),
    ({ key }, reported) => settings(`${key} $(supported ${key} ${desiredOf(reported)})`, 'sshd_config.d', RELOAD_SSHD),
  ],
  [
    RegExp(`^Set AllowUsers, AllowGroups, DenyUsers or DenyGroups ${SSHD}$`),
    () =>
      ['AllowUsers root', 'AllowGroups root', 'DenyUsers nobody', 'DenyGroups nogroup'].flatMap((text) =>
        settings(text, 'sshd_config.d', RELOAD_SSHD),
      ),
  ],
  [
    RegExp(`^Set (?<text>.+) to values above 0 ${SSHD}$`),
    ({ text }) => settings(`${text} to 1`, 'sshd_config.d', RELOAD_SSHD),
  ],
  [
    RegExp(`^Set (?<text>.+) and remove \\* and LD_ variables from AcceptEnv ${SSHD}$`),
    ({ text }) => [
      `sed -i /AcceptEnv/d /etc/ssh/sshd_config /etc/ssh/sshd_config.d/*\n${settings(text, 'sshd_config.d', RELOAD_SSHD).join('\n')}`,
    ],
  ],
  [RegExp(`^Set (?<text>.+) ${SSHD}$`), ({ text }) => settings(text, 'sshd_config.d', RELOAD_SSHD)],
  [
    RegExp(`^Set (?<key>\\w+) without weak \\w+ ${SSH}$`),
    ({ key, file }, reported) => settings(`${key} $(supported ${key} ${desiredOf(reported)})`, file),
  ],
  [
    RegExp(`^Set (?<names>Ciphers, KexAlgorithms and MACs) ${SSH}$`),
    ({ names, file }, reported) => [
      listed(names)
        .split(' ')
        .map((key) => [key, desiredOf(reported, key.toLowerCase())] as const)
        .filter(([, wanted]) => wanted !== '')
        .map(([key, wanted]) => settings(`${key} $(supported ${key} ${wanted})`, file).join(''))
        .join('\n'),
    ],
  ],
  [RegExp(`^Set (?<text>.+) ${SSH}$`), ({ text, file }) => settings(text, file)],
  [
    RegExp(`^Set Defaults (?<name>\\w+)(?:(?:=| to )(?<value>\\S+)(?: or less)?)? ${SUDOERS}$`),
    ({ name, value }) => [`sudoers_line zz-${name} 'Defaults ${name}${value === '' ? '' : `=${value}`}'`],
  ],
  [
    /^Remove (?<words>.+) with visudo -f from the files? that contains? (?:it|them)$/,
    ({ words }) =>
      listed(words)
        .split(' ')
        .map((word) =>
          word === 'NOPASSWD' ? `sed -i 's/NOPASSWD://' /etc/sudoers.d/*` : `sed -Ei '/${word}/d' /etc/sudoers.d/*`,
        )
        .reverse()
        .reduce<string[]>((all, each) => [[...all, each].join('\n')], []),
  ],
]
