const OCTAL = /^(?:0[oO])?([0-7]+)$/
const HIGHEST = 0o7777
const EXAMPLE = 'write four digits from 0 to 7, such as "0644"'

/**
 * Parses permission bits such as `0644`, `644`, `0o644`, `0O644` or `1777`; a problem is the end of a sentence that
 * starts with the text. At least three digits are required, since `64` would be ambiguous.
 */
export function parseMode(text: string): { readonly value: number } | { readonly problem: string } {
  const digits = OCTAL.exec(text)?.[1]
  if (digits === undefined) return { problem: `is not a valid octal number: ${EXAMPLE}` }
  if (digits.length < 3) {
    const missing = digits.length === 2 ? 'digit of the owner' : 'digits of owner and group'
    return { problem: `lacks the ${missing}: ${EXAMPLE}` }
  }
  const bits = Number.parseInt(digits, 8)
  return bits > HIGHEST ? { problem: 'exceeds maximum value 7777' } : { value: bits }
}

/** Permission bits as four octal digits, as in policies. */
export function formatMode(bits: number): string {
  return bits.toString(8).padStart(4, '0')
}
