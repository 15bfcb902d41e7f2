const OCTAL = /^(?:0[oO])?([0-7]+)$/
const HIGHEST = 0o777

/** The permission bits that a spelling such as `0644`, `644`, `0o644` or `0O644` means, or what is wrong with it. */
export function parseMode(text: string): { readonly bits: number } | { readonly problem: string } {
  const digits = OCTAL.exec(text)?.[1]
  if (digits === undefined) {
    return { problem: `mode "${text}" is not a valid octal number: write four digits from 0 to 7, such as "0644"` }
  }
  const bits = Number.parseInt(digits, 8)
  return bits > HIGHEST ? { problem: `mode "${text}" exceeds maximum value 0777` } : { bits }
}

/** Permission bits as four octal digits, the way policies write them. */
export function formatMode(bits: number): string {
  return bits.toString(8).padStart(4, '0')
}

/** What a directory gets for a mode: the execute bit is added to every triad that may read or write. */
export function directoryMode(bits: number): number {
  const readOrWrite = ((bits >> 2) | (bits >> 1)) & 0o111
  return bits | readOrWrite
}
