import { isKeyAddress, isObjectAddress } from '../../host/nats/address.ts'
import { archiveFormat } from '../../host/archive/archive-format.ts'

/** Whether an operand is an address rather than a path: of a web server, or of an object or a key of NATS. */
export function isAddress(source: string): boolean {
  return /^https?:\/\//i.test(source) || isObjectAddress(source) || isKeyAddress(source)
}

/** Whether an operand is a bundle of a policy: an archive by its name, or an address. */
export function isBundle(source: string): boolean {
  return isAddress(source) || archiveFormat(source) !== undefined
}
