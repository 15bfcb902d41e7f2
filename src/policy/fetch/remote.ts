import { isKeyAddress, isObjectAddress } from '../../host/nats/address.ts'
import { archiveFormat } from '../../host/archive/archive-format.ts'

/** Whether an operand is a URL of a web server or a NATS address rather than a path. */
export function isAddress(source: string): boolean {
  return /^https?:\/\//i.test(source) || isObjectAddress(source) || isKeyAddress(source)
}

/** Whether an operand is a bundle: an archive by its name, or an address. */
export function isBundle(source: string): boolean {
  return isAddress(source) || archiveFormat(source) !== undefined
}
