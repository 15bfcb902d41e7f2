import { expect } from 'vitest'
import type { Rule } from './rule.ts'

const root = { owner: 'root', group: 'root' } as const

/** What is in files, and what they are; and more rules about all that lies below a directory. */
export const contents: readonly Rule[] = [
  {
    type: 'file',
    name: '/etc/cron.allow',
    properties: { ensure: 'present', content: 'root\n', ...root, mode: '0640' },
    prepare: 'printf "root\\n" > /etc/cron.allow; chmod 0640 /etc/cron.allow',
    violation: 'rm /etc/cron.allow',
    drift: [['ensure', 'absent']],
  },
  {
    type: 'file',
    name: '/etc/securetty',
    properties: { ensure: 'present', content: '', ...root, mode: '0644' },
    prepare: 'touch /etc/securetty',
    violation: 'echo tty1 > /etc/securetty',
    drift: [['content', expect.anything()]],
  },
  {
    type: 'file',
    name: '/etc/modprobe.d/cramfs.conf',
    properties: { ensure: 'present', content: 'install cramfs /bin/false\nblacklist cramfs\n', ...root, mode: '0644' },
    prepare:
      'mkdir -p /etc/modprobe.d; printf "install cramfs /bin/false\\nblacklist cramfs\\n" > /etc/modprobe.d/cramfs.conf',
    violation: 'sed -i "s/^install/#&/" /etc/modprobe.d/cramfs.conf',
    drift: [['content', expect.anything()]],
  },
  {
    type: 'file',
    name: '/var/spool/private',
    properties: { ensure: 'directory', ...root, mode: '0700' },
    prepare: 'install -d -m 0700 /var/spool/private',
    violation: 'rmdir /var/spool/private',
    drift: [['ensure', 'absent']],
  },
  {
    type: 'file',
    name: '/var/crash',
    properties: { ensure: 'absent', force: true },
    violation: 'mkdir -p /var/crash/older; touch /var/crash/older/core',
    drift: [['ensure', 'directory']],
  },
  {
    type: 'files',
    name: '/srv/exchange',
    properties: { kinds: ['directory'], with_mode: { at_least: '0002' }, mode: { at_least: '1000' } },
    prepare: 'mkdir -p /srv/exchange/in; chmod 1777 /srv/exchange/in',
    violation: 'chmod -t /srv/exchange/in',
    drift: [['mode', '0777', 'in']],
  },
  {
    type: 'files',
    name: '/opt',
    properties: { kinds: ['file'], mode: { at_most: '1777' } },
    prepare: 'mkdir -p /opt/tool/bin; cp /bin/true /opt/tool/bin/helper; cp /bin/true "/opt/tool/bin/two words"',
    violation: 'chmod u+s /opt/tool/bin/helper; chmod g+s "/opt/tool/bin/two words"',
    drift: [
      ['mode', '4755', 'tool/bin/helper'],
      ['mode', '2755', 'tool/bin/two words'],
    ],
  },
  {
    type: 'files',
    name: '/var/log',
    properties: {
      include: ['*.log', 'journal/**'],
      exclude: ['apt', 'dpkg.log', 'alternatives.log', 'bootstrap.log'],
      kinds: ['file'],
      mode: { at_most: '0640' },
      group: { one_of: ['root', 'adm', 'systemd-journal'] },
    },
    prepare:
      'install -m 0640 -g adm /dev/null /var/log/app.log; mkdir -p /var/log/nightly; install -m 0600 /dev/null /var/log/nightly/run.log',
    violation: 'chgrp mail /var/log/app.log; chmod 0604 /var/log/nightly/run.log',
    drift: [
      ['group', 'mail', 'app.log'],
      ['mode', '0604', 'nightly/run.log'],
    ],
  },
  {
    type: 'files',
    name: '/etc/sudoers.d',
    properties: { include: ['README', 'nobody'], depth: 1, ...root, mode: { at_most: '0440' } },
    prepare: 'echo "# nobody" > /etc/sudoers.d/nobody; chmod 0440 /etc/sudoers.d/*',
    violation: 'chmod 0640 /etc/sudoers.d/nobody; chgrp adm /etc/sudoers.d/README',
    drift: [
      ['group', 'adm', 'README'],
      ['mode', '0640', 'nobody'],
    ],
  },
  {
    type: 'files',
    name: '/srv/links',
    properties: { kinds: ['symlink', 'file'], owner: 'root', depth: 2 },
    prepare: 'mkdir -p /srv/links/a/b; ln -s /etc/passwd /srv/links/a/passwd; touch /srv/links/a/b/too-deep',
    violation: 'chown -h games /srv/links/a/passwd; chown games /srv/links/a/b/too-deep',
    drift: [['owner', 'games', 'a/passwd']],
  },
]
