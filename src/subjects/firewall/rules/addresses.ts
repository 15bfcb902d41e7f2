import { type IpBytes, parseIp } from '../../../model/ip-address.ts'
import type { Intervals } from './intervals.ts'
import type { AddressFamily } from './packets.ts'

/** The number that an address is; undefined if invalid. */
export function addressNumber(text: string): { readonly family: AddressFamily; readonly value: bigint } | undefined {
  const bytes = parseIp(text)
  return bytes && { family: bytes.length === 4 ? 'ip' : 'ip6', value: numberOf(bytes) }
}

function numberOf(bytes: IpBytes): bigint {
  return bytes.reduce((value, byte) => value * 256n + BigInt(byte), 0n)
}

/** The addresses of a network: those whose first `length` bits are these; undefined if invalid. */
export function network(
  address: string,
  length: number,
): { readonly family: AddressFamily; readonly values: Intervals } | undefined {
  const parsed = addressNumber(address)
  if (parsed === undefined) return undefined
  const bits = parsed.family === 'ip' ? 32 : 128
  if (!Number.isInteger(length) || length < 0 || length > bits) return undefined
  const size = 1n << BigInt(bits - length)
  const first = (parsed.value / size) * size
  return { family: parsed.family, values: [[first, first + size - 1n]] }
}
