import type { Rule } from './rule.ts'

const DATABASE = '/etc/dconf/db/local.d'
const IDLE = 'org/gnome/desktop/session/idle-delay'

/** What administrators set for GNOME. A database is made anew with every setting, so whether it is current is asked first. */
export const desktop: readonly Rule[] = [
  {
    type: 'dconf_databases',
    name: '/etc/dconf/db',
    properties: {},
    prepare: `mkdir -p ${DATABASE}/locks /etc/dconf/profile; printf 'user-db:user\\nsystem-db:local\\n' > /etc/dconf/profile/user
      printf '[org/gnome/desktop/session]\\nidle-delay=uint32 600\\n' > ${DATABASE}/00-own; dconf update`,
    violation: `touch -d '-1 hour' /etc/dconf/db/local`,
    drift: [['compiled', 'older', '/etc/dconf/db/local']],
  },
  {
    type: 'setting',
    name: `dconf:${IDLE}`,
    properties: { value: { at_least: 1, at_most: 900 } },
    violation: `printf '[org/gnome/desktop/session]\\nidle-delay=uint32 0\\n' > ${DATABASE}/50-kiosk`,
    drift: [['value', 'uint32 0']],
  },
  {
    type: 'setting',
    name: `dconf:locks/${IDLE}`,
    properties: { ensure: 'present' },
    violation: `rm -f ${DATABASE}/locks/*`,
    drift: [['ensure', 'absent']],
  },
  {
    type: 'setting',
    name: 'dconf:org/gnome/desktop/media-handling/automount',
    properties: { value: 'false' },
    violation: `rm -f ${DATABASE}/zz-driftgate; printf '[org/gnome/desktop/media-handling]\\nautomount=true\\n' > ${DATABASE}/50-media`,
    drift: [['value', 'true']],
  },
]
