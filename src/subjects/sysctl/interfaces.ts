/** Parameter of network interfaces, for all (`all`) or for new ones (`default`). */
export interface PerInterface {
  readonly family: 'ipv4' | 'ipv6'
  readonly scope: 'all' | 'default'
  readonly parameter: string
}

/**
 * How the kernel joins the value of `all` with that of an interface: the larger or the smaller one, logical OR or AND, or the
 * interface alone. Redirects are accepted on a router if both are set, on a host if either is set.
 */
export type Joining = 'maximum' | 'minimum' | 'either' | 'both' | 'redirects' | 'interface'

/** Macros of include/linux/inetdevice.h; for other parameters the interface alone counts. */
const IPV4: Readonly<Record<string, Joining>> = {
  rp_filter: 'maximum',
  arp_ignore: 'maximum',
  arp_announce: 'maximum',
  arp_notify: 'maximum',
  accept_source_route: 'both',
  bootp_relay: 'both',
  mc_forwarding: 'both',
  bc_forwarding: 'both',
  accept_local: 'either',
  arp_filter: 'either',
  log_martians: 'either',
  promote_secondaries: 'either',
  proxy_arp: 'either',
  proxy_arp_pvlan: 'either',
  route_localnet: 'either',
  secure_redirects: 'either',
  send_redirects: 'either',
  shared_media: 'either',
  src_valid_mark: 'either',
  accept_redirects: 'redirects',
}

/** Parameters for which net/ipv6 checks `all` when it handles a packet of an interface. */
const IPV6: Readonly<Record<string, Joining>> = {
  accept_source_route: 'minimum',
  seg6_enabled: 'minimum',
  proxy_ndp: 'either',
}

/** Parses a path below /proc/sys of `all` or `default`; undefined for other paths. */
export function perInterface(path: string): PerInterface | undefined {
  const [, family, scope, parameter] = /^net\/(ipv4|ipv6)\/conf\/(all|default)\/([^/]+)$/.exec(path) ?? []
  if ((family !== 'ipv4' && family !== 'ipv6') || (scope !== 'all' && scope !== 'default')) return undefined
  return parameter === undefined ? undefined : { family, scope, parameter }
}

export function interfacePath({ family, parameter }: PerInterface, name: string): string {
  return `net/${family}/conf/${name}/${parameter}`
}

export function joiningOf({ family, parameter }: Pick<PerInterface, 'family' | 'parameter'>): Joining {
  return (family === 'ipv4' ? IPV4 : IPV6)[parameter] ?? 'interface'
}

/** Effective value on an interface; undefined if a value is not a number. */
export function effectiveValue(joining: Joining, all: string, own: string, forwarding: boolean): string | undefined {
  if (joining === 'interface') return own
  const [first, second] = [Number(all), Number(own)]
  if (!Number.isInteger(first) || !Number.isInteger(second) || all === '' || own === '') return undefined
  switch (joining) {
    case 'maximum':
      return String(Math.max(first, second))
    case 'minimum':
      return String(Math.min(first, second))
    case 'either':
      return orFlags(first, second)
    case 'both':
      return andFlags(first, second)
    case 'redirects':
      return forwarding ? andFlags(first, second) : orFlags(first, second)
  }
}

function orFlags(first: number, second: number): string {
  return first !== 0 || second !== 0 ? '1' : '0'
}

function andFlags(first: number, second: number): string {
  return first !== 0 && second !== 0 ? '1' : '0'
}
