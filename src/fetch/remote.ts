import { archiveFormat } from '../target/archive-format.ts'

/** Whether an operand is an address rather than a path. */
export function isAddress(source: string): boolean {
  return /^https?:\/\//i.test(source)
}

/** Whether an operand is a bundle of a policy: an archive by its name, or an address. */
export function isBundle(source: string): boolean {
  return isAddress(source) || archiveFormat(source) !== undefined
}
