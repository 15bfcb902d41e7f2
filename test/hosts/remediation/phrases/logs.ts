import { pathsOf, type Phrase, rulesOf, settings, valueOf, valuesOf } from '../scripts.ts'

export const LOGS_PHRASES: readonly Phrase[] = [
  [
    /^Set local_events = yes in auditd\.conf and run (?<command>systemctl .+)$/,
    ({ command }) => [`${settings('local_events = yes', 'auditd.conf').join('')}\n${command}`],
  ],
  [
    /^Set log_group to (?<groups>.+) in auditd\.conf and run (?<command>chgrp) with that group on the files$/,
    ({ groups, command }, reported) =>
      valuesOf(groups).map(
        (group) =>
          `${settings(`log_group = ${group}`, 'auditd.conf').join('')}\n${command} ${group} ${pathsOf(reported)}`,
      ),
  ],
  [
    /^Set the servers of your site as policy data \(time_servers\) and in (?<one>\w+)= and (?<other>\w+)= of (?<file>timesyncd\.conf)$/,
    ({ one, other, file }) => settings(`${one}, ${other} = ${valueOf('time_servers')}`, file),
  ],
  [
    /^Set (?<url>URL)= to the (?<scheme>https) address of the server, and (?<keys>.+) to the paths of the key and certificates, in (?<file>\S+)$/,
    ({ url, scheme, keys, file }) => [
      [
        ...settings(`${url} = ${scheme}://log.example.org`, file),
        ...settings(`${keys.replaceAll('=', '')} = /etc/ssl/private/site.pem`, file),
      ].join('\n'),
    ],
  ],
  [/^Set (?<text>.+?),? in (?<file>\S+?)(?: and archive old logs)?$/, ({ text, file }) => settings(text, file)],
  [
    /^Add the rules to a file in \/etc\/audit\/rules\.d and run augenrules --load$/,
    (_, { control, resources }) => [`audit_rules 50-${control.id} ${rulesOf(resources)}`],
  ],
  [
    /^Put (?<rule>-e 2) at the end of the rules, in a file that sorts last$/,
    ({ rule }) => [`audit_rules 99-last '${rule}'`],
  ],
]
