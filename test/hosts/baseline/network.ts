import { expect } from 'vitest'
import type { Rule } from './rule.ts'

const NOW = (name: string, value: number): string => `echo ${value} > /proc/sys/${name.replaceAll('.', '/')}`

interface Parameter {
  readonly value: unknown
  readonly right: number
  readonly wrong: number
  /** What writes the wrong value for the next start. */
  readonly write?: string
  readonly onlyStored?: true
}

/** Each has its wrong value in another of the places and spellings that systemd-sysctl knows. */
const PARAMETERS: Readonly<Record<string, Parameter>> = {
  'net.ipv4.conf.all.arp_ignore': {
    value: 1,
    right: 1,
    wrong: 0,
    write: `echo 'net/ipv4/conf/all/arp_ignore=0' > /etc/sysctl.d/70-slashes.conf`,
  },
  'net.ipv4.conf.all.arp_announce': {
    value: { at_least: 1 },
    right: 2,
    wrong: 0,
    write: `echo '-net.ipv4.conf.all.arp_announce = 0' > /etc/sysctl.d/70-dash.conf`,
  },
  'net.ipv4.conf.all.shared_media': {
    value: 0,
    right: 0,
    wrong: 1,
    write: `mkdir -p /usr/lib/sysctl.d; echo 'net.ipv4.conf.all.shared_media = 1' > /usr/lib/sysctl.d/70-vendor.conf`,
  },
  'net.ipv4.tcp_rfc1337': {
    value: 1,
    right: 1,
    wrong: 0,
    write: `echo 'net.ipv4.tcp_rfc1337=0' >> /etc/sysctl.d/70-dash.conf`,
  },
  'net.ipv4.conf.all.bootp_relay': {
    value: 0,
    right: 0,
    wrong: 1,
    write: `mkdir -p /usr/local/lib/sysctl.d; printf '; relay\\n# relay\\nnet.ipv4.conf.all.bootp_relay=1\\n' > /usr/local/lib/sysctl.d/70-local.conf`,
  },
  'net.ipv4.conf.default.proxy_arp': {
    value: 0,
    right: 0,
    wrong: 1,
    write: `echo 'net.ipv4.conf.default.proxy_arp = 1' > /etc/sysctl.d/70-proxy.conf`,
    onlyStored: true,
  },
  'net.ipv6.conf.default.router_solicitations': {
    value: 0,
    right: 0,
    wrong: 3,
    write: `echo 'net.ipv6.conf.default.router_solicitations = 3' > /etc/sysctl.d/70-solicit.conf`,
  },
  'net.ipv6.conf.default.max_addresses': { value: { at_most: 1, at_least: 1 }, right: 1, wrong: 16 },
}

/** Parameters of the network namespace, wrong now, after the next start, or only then. */
export const network: readonly Rule[] = Object.entries(PARAMETERS).map(
  ([name, { value, right, wrong, write, onlyStored }]): Rule => {
    const drift: [string, string][] = []
    if (onlyStored === undefined) drift.push(['value', String(wrong)])
    if (write !== undefined) drift.push(['stored', String(wrong)])
    return {
      type: 'sysctl',
      name,
      properties: { value },
      prepare: `${NOW(name, right)}; echo '${name} = ${right}' > /etc/sysctl.d/10-${name}.conf`,
      violation: [...(onlyStored ? [] : [NOW(name, wrong)]), ...(write === undefined ? [] : [write])].join('\n'),
      drift,
    }
  },
)

const SSHD = '/etc/ssh/sshd_config'

type Row = readonly [key: string, value: unknown, violation: string, found: unknown]

/** Ways of writing what sshd takes, and places from which it takes it. */
const ROWS: readonly Row[] = [
  ['X11Forwarding', 'no', `echo 'x11forwarding=YES' > ${SSHD}.d/05-x.conf`, 'yes'],
  [
    'AllowAgentForwarding',
    'no',
    `mkdir -p /etc/ssh/more; echo 'AllowAgentForwarding "yes"' > /etc/ssh/more/a.conf; echo 'Include more/*.conf' > ${SSHD}.d/04-more.conf`,
    'yes',
  ],
  ['PermitTunnel', 'no', `sed -i '1i PermitTunnel point-to-point' ${SSHD}`, 'point-to-point'],
  ['StrictModes', 'yes', `printf '\\tStrictModes\\tno # for now\\n' > ${SSHD}.d/06-lax.conf`, 'no'],
  [
    'Ciphers',
    { at_most: 'aes256-gcm@openssh.com,aes128-gcm@openssh.com,aes256-ctr' },
    `echo 'Ciphers +aes128-cbc' > ${SSHD}.d/07-old.conf`,
    expect.stringContaining('aes128-cbc'),
  ],
  [
    'MACs',
    { at_most: 'hmac-sha2-512-etm@openssh.com,hmac-sha2-256-etm@openssh.com' },
    `echo 'MACs hmac-sha2-512-etm@openssh.com,hmac-md5' > ${SSHD}.d/08-old.conf`,
    'hmac-sha2-512-etm@openssh.com,hmac-md5',
  ],
  ['KbdInteractiveAuthentication', 'no', `echo 'ChallengeResponseAuthentication yes' > ${SSHD}.d/09-old.conf`, 'yes'],
  ['GatewayPorts', 'no', `echo 'GatewayPorts clientspecified' > ${SSHD}.d/09-ports.conf`, 'clientspecified'],
]

/** More of what the shell of a remote user depends on. */
export const remote: readonly Rule[] = ROWS.map(([key, value, violation, found]): Rule => {
  return { type: 'setting', name: `sshd:${key}`, properties: { value }, violation, drift: [['value', found]] }
})

/** Mount units, and what others add to them. */
export const mountUnits: readonly Rule[] = [
  {
    type: 'mount',
    name: '/srv/unit',
    properties: { options: { includes: ['nodev', 'nosuid'] } },
    prepare: `mkdir -p /srv/unit
      printf '[Mount]\\nWhat=tmpfs\\nWhere=/srv/unit\\nType=tmpfs\\nOptions=nodev,nosuid\\n[Install]\\nWantedBy=local-fs.target\\n' > /etc/systemd/system/srv-unit.mount
      systemctl daemon-reload; systemctl enable -q --now srv-unit.mount`,
    violation: `mkdir -p /etc/systemd/system/srv-unit.mount.d; printf '[Mount]\\nOptions=size=1m\\n' > /etc/systemd/system/srv-unit.mount.d/50-size.conf
      systemctl daemon-reload; mount -o remount,dev,suid /srv/unit`,
    drift: [
      ['options', expect.not.stringMatching('nodev|nosuid')],
      ['stored_options', 'size=1m'],
    ],
  },
]
