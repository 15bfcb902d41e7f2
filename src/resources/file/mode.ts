import type { ValueOrder } from '../../core/acceptance.ts'

const OCTAL = /^(?:0[oO])?([0-7]+)$/
const HIGHEST = 0o7777
const SPECIAL_BITS = 0o7000

/**
 * The permission bits that a spelling such as `0644`, `644`, `0o644`, `0O644` or `1777` means, or what is wrong with it.
 * One digit each for owner, group and others is the least: what `64` leaves out nobody can know.
 */
export function parseMode(text: string): { readonly bits: number } | { readonly problem: string } {
  const digits = OCTAL.exec(text)?.[1]
  if (digits === undefined) {
    return { problem: `mode "${text}" is not a valid octal number: write four digits from 0 to 7, such as "0644"` }
  }
  if (digits.length < 3) {
    const missing = digits.length === 2 ? 'digit of the owner' : 'digits of owner and group'
    return { problem: `mode "${text}" lacks the ${missing}: write four digits from 0 to 7, such as "0644"` }
  }
  const bits = Number.parseInt(digits, 8)
  return bits > HIGHEST ? { problem: `mode "${text}" exceeds maximum value 7777` } : { bits }
}

/** Permission bits as four octal digits, the way policies write them. */
export function formatMode(bits: number): string {
  return bits.toString(8).padStart(4, '0')
}

/** Whether a mode says something about setuid, setgid or sticky; one that does not leaves those of a directory alone. */
export function hasSpecialBits(bits: number): boolean {
  return (bits & SPECIAL_BITS) !== 0
}

/** Modes by the rights they give: at most is no bit more than the bound has, at least is all of its bits. */
export const MODES: ValueOrder<number> = {
  equals: (left, right) => left === right,
  raise: (bits, bound) => bits | bound,
  lower: (bits, bound) => bits & bound,
}

/** A mode without setuid and setgid. */
export function withoutSetIds(bits: number): number {
  return bits & ~0o6000
}

/** What a directory gets for a mode: the execute bit is added to every triad that may read or write. */
export function directoryMode(bits: number): number {
  const readOrWrite = ((bits >> 2) | (bits >> 1)) & 0o111
  return bits | readOrWrite
}
