import type { Rule } from './rule.ts'

interface Attributes {
  readonly group?: string
  readonly mode: string
  readonly directory?: true
}

/** Who may do what with the files that decide who may do what. */
const ATTRIBUTES: Readonly<Record<string, Attributes>> = {
  '/etc/passwd': { mode: '0644' },
  '/etc/passwd-': { mode: '0644' },
  '/etc/group': { mode: '0644' },
  '/etc/group-': { mode: '0644' },
  '/etc/shadow': { group: 'shadow', mode: '0640' },
  '/etc/shadow-': { group: 'shadow', mode: '0640' },
  '/etc/gshadow': { group: 'shadow', mode: '0640' },
  '/etc/gshadow-': { group: 'shadow', mode: '0640' },
  '/etc/shells': { mode: '0644' },
  '/etc/issue': { mode: '0644' },
  '/etc/issue.net': { mode: '0644' },
  '/etc/motd': { mode: '0644' },
  '/etc/login.defs': { mode: '0644' },
  '/etc/security/opasswd': { mode: '0600' },
  '/etc/ssh/sshd_config': { mode: '0600' },
  '/etc/crontab': { mode: '0600' },
  '/etc/profile': { mode: '0644' },
  '/etc/bash.bashrc': { mode: '0644' },
  '/etc/nsswitch.conf': { mode: '0644' },
  '/etc/host.conf': { mode: '0644' },
  '/etc/fstab': { mode: '0644' },
  '/etc/ssh/ssh_config': { mode: '0644' },
  '/etc/default/useradd': { mode: '0644' },
  '/etc/pam.d/other': { mode: '0644' },
  '/etc/cron.d': { mode: '0700', directory: true },
  '/etc/cron.daily': { mode: '0700', directory: true },
  '/etc/cron.hourly': { mode: '0700', directory: true },
  '/etc/cron.monthly': { mode: '0700', directory: true },
  '/etc/cron.weekly': { mode: '0700', directory: true },
}

const attributes = Object.entries(ATTRIBUTES).map(([path, { group = 'root', mode, directory }]): Rule => {
  return {
    type: 'file',
    name: path,
    properties: {
      ensure: directory ? 'directory' : 'present',
      if_absent: 'drift',
      owner: 'root',
      group,
      mode: { at_most: mode },
    },
    violation: `chown games:mail ${path}; chmod ${directory ? '0777' : '0666'} ${path}`,
    drift: [
      ['owner', 'games'],
      ['group', 'mail'],
      ['mode', directory ? '0777' : '0666'],
    ],
  }
})

const FORBIDDEN = [
  '/etc/cron.deny',
  '/etc/at.deny',
  '/etc/hosts.equiv',
  '/root/.rhosts',
  '/root/.netrc',
  '/etc/nologin',
]

const forbidden = FORBIDDEN.map((path): Rule => {
  const properties = { ensure: 'absent' }
  return { type: 'file', name: path, properties, violation: `touch ${path}`, drift: [['ensure', 'present']] }
})

export const files: readonly Rule[] = [...attributes, ...forbidden]
