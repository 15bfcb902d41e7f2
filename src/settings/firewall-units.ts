/** The units that load the rules of each manager: those of iptables have a name on Debian and others on Red Hat. */
export const FIREWALL_UNITS = {
  nftables: ['nftables.service'],
  ufw: ['ufw.service'],
  firewalld: ['firewalld.service'],
  iptables: ['netfilter-persistent.service', 'iptables.service', 'ip6tables.service'],
} as const

export const ALL_FIREWALL_UNITS: readonly string[] = Object.values(FIREWALL_UNITS).flat()

/** A command that changes rules of the firewall, within a shell, too. */
export const CHANGES_RULES = /(?:^|[^\w.-])(?:(?:ip6?|eb)tables(?:-[\w-]+)?|nft|ufw|firewall-cmd)(?![\w.-])/
