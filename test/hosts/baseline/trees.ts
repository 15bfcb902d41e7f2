import type { Rule } from './rule.ts'

/** Rules about all files below a directory. */
export const trees: readonly Rule[] = [
  {
    type: 'files',
    name: '/etc/ssh',
    properties: { include: ['*_key'], mode: { at_most: '0600' }, owner: 'root' },
    violation: 'chmod 0644 /etc/ssh/ssh_host_ed25519_key; chown games /etc/ssh/ssh_host_rsa_key',
    drift: [
      ['mode', '0644', 'ssh_host_ed25519_key'],
      ['owner', 'games', 'ssh_host_rsa_key'],
    ],
  },
  {
    type: 'files',
    name: '/usr/local',
    properties: { kinds: ['file', 'directory'], mode: { at_most: '0755' }, exclude: ['lib/node_modules', 'bin/node'] },
    violation: 'touch /usr/local/sbin/left-open; chmod 0666 /usr/local/sbin/left-open; chmod 0777 /usr/local/games',
    drift: [
      ['mode', '0777', 'games'],
      ['mode', '0666', 'sbin/left-open'],
    ],
  },
  {
    type: 'files',
    name: '/srv',
    properties: {
      kinds: ['file'],
      file_systems: 'own',
      exclude: ['packages'],
      with_mode: { at_least: '0002' },
      mode: { at_most: '7775' },
    },
    violation: 'touch /srv/for-everybody; chmod 0666 /srv/for-everybody',
    drift: [['mode', '0666', 'for-everybody']],
  },
]
