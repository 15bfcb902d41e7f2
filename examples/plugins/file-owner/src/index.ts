import { definePlugin, defineResource } from 'driftgate'
import { decide } from './decide.ts'
import { exports, exportsOf } from './exports.ts'
import { observe } from './observe.ts'
import { properties } from './properties.ts'

export const fileOwner = defineResource({
  type: 'file.owner',
  summary: 'The owner and group of a file or a tree.',
  properties,
  exclusive: [
    ['user', 'uid'],
    ['group', 'gid'],
  ],
  rules: [
    {
      reads: ['user', 'uid', 'group', 'gid'],
      check: ({ user, uid, group, gid }) =>
        (user ?? uid ?? group ?? gid) === undefined ? 'one of "user", "uid", "group" or "gid" must be set' : undefined,
    },
  ],
  exports,
  drifts: ['ensure', 'user', 'uid', 'group', 'gid'],
  uses: ['files'],
  examples: [
    {
      title: 'A file that belongs to root',
      yaml: ['file.owner:', '  - motd:', '      destination: /etc/motd', '      user: root', '      gid: 0'].join('\n'),
    },
    {
      title: 'A site and everything in it',
      yaml: [
        'file.owner:',
        '  - site:',
        '      destination: /srv/www',
        '      user: www-data',
        '      group: www-data',
        '      recursive: true',
      ].join('\n'),
    },
  ],
  platforms: ['linux', 'darwin'],
  observe,
  decide,
  apply: (remediator, { destination, recursive }, action, { signal }) =>
    remediator.setOwner(destination, action, { recursive, signal }),
  exportsOf,
})

export const plugin = definePlugin({ apiVersion: 2, types: [fileOwner] })
