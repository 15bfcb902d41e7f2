import type { Rule } from './rule.ts'

const NET: readonly (readonly [name: string, value: number])[] = [
  ['net.ipv4.ip_forward', 0],
  ['net.ipv4.conf.all.accept_redirects', 0],
  ['net.ipv4.conf.all.accept_source_route', 0],
  ['net.ipv4.conf.all.log_martians', 1],
  ['net.ipv4.conf.all.rp_filter', 1],
  ['net.ipv4.conf.all.secure_redirects', 0],
  ['net.ipv4.conf.all.send_redirects', 0],
  ['net.ipv4.conf.default.accept_redirects', 0],
  ['net.ipv4.conf.default.accept_source_route', 0],
  ['net.ipv4.conf.default.log_martians', 1],
  ['net.ipv4.conf.default.rp_filter', 1],
  ['net.ipv4.conf.default.secure_redirects', 0],
  ['net.ipv4.conf.default.send_redirects', 0],
  ['net.ipv4.icmp_echo_ignore_broadcasts', 1],
  ['net.ipv4.icmp_ignore_bogus_error_responses', 1],
  ['net.ipv4.tcp_syncookies', 1],
  ['net.ipv6.conf.all.accept_ra', 0],
  ['net.ipv6.conf.all.accept_redirects', 0],
  ['net.ipv6.conf.all.forwarding', 0],
  ['net.ipv6.conf.default.accept_ra', 0],
  ['net.ipv6.conf.default.accept_redirects', 0],
]

/** Parameters that a host in a network namespace of its own can set; they are wrong now, and after the next start. */
export const kernel: readonly Rule[] = NET.map(([name, value]) => {
  const wrong = String(1 - value)
  return {
    type: 'sysctl',
    name,
    properties: { value },
    violation: `echo ${wrong} > /proc/sys/${name.replaceAll('.', '/')}
      echo '${name} = ${wrong}' > /etc/sysctl.d/zz-driftgate-${name}.conf`,
    drift: [
      ['value', wrong],
      ['stored', wrong],
    ],
  }
})
