import { inFile, pathsOf, type Phrase, valueOf, valuesOf } from '../scripts.ts'

const SELINUX = '/etc/selinux/config'

export const RED_HAT_PHRASES: readonly Phrase[] = [
  [
    /^Set (?<key>gpgcheck)=(?<value>1) in dnf\.conf and in every repository$/,
    ({ key, value }) => [inFile('/etc/dnf/dnf.conf', '=')(key, value)],
  ],
  [
    /^(?:Run setenforce 1 and set|Set) (?<key>SELINUX\w*)=(?<value>\w+)(?: \(or (?<other>\w+)\))? in \/etc\/selinux\/config(?: and reboot)?$/,
    ({ key, value, other }) => [value, other].filter(Boolean).map((each) => inFile(SELINUX, '=')(key, each)),
  ],
  [
    /^Add a (?<words>server or pool) to chrony\.conf$/,
    ({ words }) =>
      valuesOf(words).map((word) => inFile('/etc/chrony.conf', ' ')(word, valueOf('time_servers').split(' ')[0] ?? '')),
  ],
  [
    /^Run (?<command>authselect enable-feature) (?<first>[\w-]+)(?: and authselect enable-feature (?<second>[\w-]+), and with (?<other>[\w-]+) where authselect list-features names it)?$/,
    ({ command, first, second, other }) => [
      [first, second]
        .filter(Boolean)
        .map((feature) => `${command} ${feature}`)
        .join('\n') +
        (other === '' ? '' : `\n! authselect list-features local | grep -qx ${other} || ${command} ${other}`),
    ],
  ],
  [
    /^Remove nullok \((?<command>authselect enable-feature [\w-]+)\) and nullresetok from pam_unix$/,
    ({ command }) => [command],
  ],
  [/^Run passwd (?<name>\w+)$/, ({ name }) => [`echo '${name}:Right-Horse-42-x' | chpasswd -c SHA512`]],
  [
    /^Run (?<mode>chmod \d+) or stricter on the files \((?<second>\d+) and (?<one>chown \S+) on wtmp, btmp and lastlog\) and (?<other>chown \S+) on those that rsyslog writes$/,
    ({ mode, second, one, other }, reported) => [
      `for path in ${pathsOf(reported)}; do
        case $path in
          *tmp | *lastlog) chmod ${second} $path; ${one} $path ;;
          *) ${mode} $path; ! grep -q " $path$" /etc/rsyslog.conf || ${other} $path ;;
        esac
      done`,
    ],
  ],
]
