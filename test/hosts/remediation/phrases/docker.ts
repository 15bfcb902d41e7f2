import { pathsOf, type Phrase, rulesOf, textOf } from '../scripts.ts'

const DAEMON = String.raw`(?:/etc/docker/)?daemon\.json and restart docker`
const RESTART = 'later systemctl restart docker'

export const DOCKER_PHRASES: readonly Phrase[] = [
  [
    /^Run (?<command>gpasswd -d) NAME (?<group>docker), and usermod -g .*$/,
    ({ command, group }, { resources }) => [
      resources
        .flatMap(({ type, drift }) => (type === 'group' ? drift : []))
        .map(({ observed }) => `${command} ${textOf(observed)} ${group}`)
        .join('\n'),
    ],
  ],
  [RegExp(`^Remove another group from ${DAEMON}$`), () => [`docker_config 'delete daemon.group'\n${RESTART}`]],
  [
    RegExp(`^Set default-ulimits with nofile or nproc \\(Name, Soft and Hard\\) in ${DAEMON}$`),
    () =>
      ['nofile', 'nproc'].map(
        (Name) =>
          `docker_config 'daemon["default-ulimits"] = ${JSON.stringify({ [Name]: { Name, Soft: 1024, Hard: 4096 } })}'\n${RESTART}`,
      ),
  ],
  [
    RegExp(`^Set "(?<key>\\S+)": (?<value>\\S+) in ${DAEMON}$`),
    ({ key, value }) => [`docker_config 'daemon["${key}"] = ${value}'\n${RESTART}`],
  ],
  [
    RegExp(`^Remove (?<names>(?!another ).+) from ${DAEMON}$`),
    ({ names }) => [
      `${names
        .replaceAll(/"|: false|: true| \(.+\)/g, '')
        .split(' and ')
        .map((key) => `docker_config 'delete daemon["${key}"]'`)
        .join('\n')}\n${RESTART}`,
    ],
  ],
  [
    /^Remove (?<word>tcp:\/\/) from hosts in daemon\.json and from the unit, and ports from (?<key>ListenStream) of (?<name>\S+), or .+, and restart both$/,
    ({ word, key, name }) => [
      `docker_config 'daemon.hosts = daemon.hosts.filter((host) => !host.startsWith("${word}"))'
      sed -i '/^${key}=.*:/d' /etc/systemd/system/${name}.d/*
      later 'systemctl daemon-reload; systemctl stop docker; systemctl restart ${name}'\n${RESTART}`,
    ],
  ],
  [
    /^Add the rules -w PATH -p wa -k docker to (?<directory>\S+) and run augenrules --load$/,
    (_, { resources }) => [`audit_rules 50-docker ${rulesOf(resources)}`],
  ],
  [
    /^Run (?<one>chown \S+), (?<first>chmod \d+) on directories, (?<second>chmod \d+) on certificates and (?<mode>chmod \d+) or (?<other>\d+) on keys$/,
    ({ one, first, second, mode, other }, reported) =>
      [mode, `chmod ${other}`].map(
        (keys) => `for path in ${pathsOf(reported)}; do
          ${one} $path
          if [ -d $path ]; then ${first} $path; elif [[ $path = *.key ]]; then ${keys} $path; else ${second} $path; fi
        done`,
      ),
  ],
  [
    /^Set (?<one>\w+=\w+) and (?<other>\w+=\w+) in (?<name>docker\.socket) and run (?<command>systemctl daemon-reload)$/,
    ({ one, other, name, command }) => [
      `for line in ${one} ${other}; do sed -i "s/^\${line%=*}=.*/$line/" /etc/systemd/system/${name}.d/*; done\n${command}`,
    ],
  ],
  [
    /^Run (?<one>chown \S+) on \S+ and \S+, with (?<first>chmod \d+) and (?<second>\d+)$/,
    ({ one, first, second }, reported) => [
      `for path in ${pathsOf(reported)}; do ${one} $path; if [ -d $path ]; then ${first} $path; else chmod ${second} $path; fi; done`,
    ],
  ],
]
