/** The version of an IP address, as Go's `net.ParseIP` accepts it; undefined if invalid. */
export function ipVersion(text: string): 4 | 6 | undefined {
  if (isIpv4(text)) return 4
  return isIpv6(text) ? 6 : undefined
}

/** Four decimal bytes; a leading zero is rejected, since some readers take it as octal. */
function isIpv4(text: string): boolean {
  const parts = text.split('.')
  return parts.length === 4 && parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255)
}

/** Eight groups of hexadecimal digits, one run of zeros shortened to `::`, optionally with an IPv4 address at the end. */
function isIpv6(text: string): boolean {
  const halves = text.split('::')
  if (halves.length > 2) return false
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')))
  const tail = groups.at(-1) ?? ''
  const isMapped = tail.includes('.')
  if (isMapped && (!isIpv4(tail) || text.endsWith('::'))) return false
  const hexadecimal = isMapped ? groups.slice(0, -1) : groups
  if (!hexadecimal.every((group) => /^[\da-f]{1,4}$/i.test(group))) return false
  const count = hexadecimal.length + (isMapped ? 2 : 0)
  return halves.length === 2 ? count <= 7 : count === 8
}
