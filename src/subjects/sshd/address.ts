interface Network {
  readonly version: 4 | 6
  readonly bits: bigint
  readonly prefix: number
}

/** Item of an address list: a network, a text pattern, or a network with host bits. */
type Item = Network | 'pattern' | 'invalid'

const LENGTHS = { 4: 32, 6: 128 } as const

/** Whether sshd accepts a list of addresses, networks and patterns. */
export function isAddressList(list: string): boolean {
  return list.split(',').every((item) => {
    const pattern = item.replace(/^!/, '')
    return pattern !== '' && readItem(pattern) !== 'invalid'
  })
}

/** Whether an address is in such a list; an exclusion with `!` overrides all other entries. */
export function isInAddressList(
  address: string,
  list: string,
  isMatch: (text: string, pattern: string) => boolean,
): boolean {
  const own = parseAddress(address)
  if (own === undefined) return false
  let found = false
  for (const item of list.split(',')) {
    const pattern = item.replace(/^!/, '')
    const network = readItem(pattern)
    const isThis = typeof network === 'string' ? isMatch(address, pattern) : contains(network, own)
    if (isThis && item.startsWith('!')) return false
    found ||= isThis
  }
  return found
}

function readItem(text: string): Item {
  const [, address = '', mask] = /^([^/]*)(?:\/(\d+))?$/.exec(text) ?? []
  const own = parseAddress(address)
  if (own === undefined) return 'pattern'
  const prefix = mask === undefined ? LENGTHS[own.version] : Number(mask)
  if (prefix > 128) return 'pattern'
  if (prefix > LENGTHS[own.version]) return 'invalid'
  const host = own.bits & ((1n << BigInt(LENGTHS[own.version] - prefix)) - 1n)
  // A network has no host bits, but a single address may be all zeros.
  return host === 0n ? { ...own, prefix } : 'invalid'
}

function contains({ version, bits, prefix }: Network, own: Network): boolean {
  const shift = BigInt(LENGTHS[version] - prefix)
  return version === own.version && bits >> shift === own.bits >> shift
}

function parseAddress(text: string): Network | undefined {
  const four = parseIpv4(text)
  if (four !== undefined) return { version: 4, bits: four, prefix: 32 }
  const six = parseIpv6(text)
  return six === undefined ? undefined : { version: 6, bits: six, prefix: 128 }
}

function parseIpv4(text: string): bigint | undefined {
  const parts = text.split('.')
  if (parts.length !== 4 || !parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) <= 255)) return undefined
  return parts.reduce((bits, part) => (bits << 8n) | BigInt(Number(part)), 0n)
}

function parseIpv6(text: string): bigint | undefined {
  const [, head = text, tail] = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(text) ?? []
  const four = tail === undefined ? undefined : parseIpv4(tail)
  if (tail !== undefined && four === undefined) return undefined
  const written = four === undefined ? head : `${head}${(four >> 16n).toString(16)}:${(four & 0xffffn).toString(16)}`
  const halves = written.split('::').map((half) => (half === '' ? [] : half.split(':')))
  const [before = [], after] = halves
  const missing = 8 - before.length - (after?.length ?? 0)
  if (halves.length > 2 || (after === undefined ? missing !== 0 : missing < 1)) return undefined
  const groups = [...before, ...(after === undefined ? [] : Array<string>(missing).fill('0')), ...(after ?? [])]
  if (!groups.every((group) => /^[\da-f]{1,4}$/i.test(group))) return undefined
  return groups.reduce((bits, group) => (bits << 16n) | BigInt(`0x${group}`), 0n)
}
