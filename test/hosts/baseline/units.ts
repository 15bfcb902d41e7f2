import type { Rule } from './rule.ts'

const UNITS = '/etc/systemd/system'
const SLEEPS = '[Service]\\nExecStart=/bin/sleep infinity\\n'
const INSTALL = '[Install]\\nWantedBy=multi-user.target\\n'

const unit = (name: string, text: string): string => `printf '${text}' > ${UNITS}/${name}; systemctl daemon-reload`
const sleeper = (name: string): string => unit(`${name}.service`, `${SLEEPS}${INSTALL}`)

/** Units that start services although these are not enabled, and units that keep others from starting. */
export const units: readonly Rule[] = [
  {
    type: 'service',
    name: 'printing',
    properties: { ensure: 'stopped', enable: false },
    prepare: `${sleeper('printing')}; ${unit('printing.socket', '[Socket]\\nListenStream=/run/printing\\n[Install]\\nWantedBy=sockets.target\\n')}`,
    violation: 'systemctl enable -q --now printing.socket',
    drift: [['started_by', 'printing.socket']],
  },
  {
    type: 'service',
    name: 'mining',
    properties: { ensure: 'stopped', enable: false },
    prepare: `${sleeper('mining')}; ${unit('mining.timer', '[Timer]\\nOnCalendar=yearly\\n[Install]\\nWantedBy=timers.target\\n')}`,
    violation: 'systemctl enable -q --now mining.timer',
    drift: [['started_by', 'mining.timer']],
  },
  {
    type: 'service',
    name: 'guard',
    properties: { ensure: 'running', enable: true, masked: false },
    prepare: `${sleeper('guard')}; systemctl enable -q --now guard`,
    violation: `systemctl stop guard; mv ${UNITS}/guard.service /usr/lib/systemd/system/; systemctl daemon-reload; systemctl mask -q guard`,
    drift: [
      ['ensure', 'masked'],
      ['enable', false],
      ['masked', true],
    ],
  },
  {
    type: 'service',
    name: 'relics',
    properties: { none_of: ['rsh-server', 'talk-server', 'ypserv'] },
    prepare: `${sleeper('talk-server')}; ${sleeper('ypserv')}`,
    violation: 'systemctl enable -q talk-server; systemctl start ypserv',
    drift: [['active', 'talk-server, ypserv']],
  },
  {
    type: 'service',
    name: 'one time source',
    properties: { one_of: ['clock-a', 'clock-b'] },
    prepare: `${sleeper('clock-b')}; systemctl enable -q --now clock-b`,
    violation: 'systemctl disable -q clock-b',
    drift: [['active', 'clock-b']],
  },
  {
    type: 'service',
    name: 'hand',
    properties: { ensure: 'running', enable: true },
    prepare: `${sleeper('hand')}; systemctl enable -q --now hand`,
    violation: 'systemctl disable -q hand',
    drift: [['enable', false]],
  },
  {
    type: 'package',
    name: 'openssl',
    properties: { ensure: 'present' },
    prepare: 'DEBIAN_FRONTEND=noninteractive apt-get install -qq -y openssl >/dev/null 2>&1',
    violation: 'DEBIAN_FRONTEND=noninteractive apt-get remove -qq -y openssl >/dev/null 2>&1',
    drift: [['ensure', 'config-files']],
  },
]
