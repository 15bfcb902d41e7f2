import { createHash } from 'node:crypto'
import { encodeUtf8 } from '../../govalue/index.ts'
import { fromByteText } from '../byte-text.ts'
import { fixed, type TemplateFunction } from '../functions.ts'

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

function encodeBase32(bytes: Uint8Array): string {
  let encoded = ''
  for (let start = 0; start < bytes.length; start += 5) {
    const group = bytes.slice(start, start + 5)
    const bits = group.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n) << BigInt(8 * (5 - group.length))
    const used = Math.ceil((group.length * 8) / 5)
    for (let index = 0; index < 8; index += 1) {
      encoded += index < used ? BASE32.charAt(Number((bits >> BigInt(35 - 5 * index)) & 31n)) : '='
    }
  }
  return encoded
}

interface Alphabet {
  readonly foreign: RegExp
  readonly groupLength: number
  /** Allowed lengths of the last group before its padding. */
  readonly shortGroups: readonly number[]
}

/** Offset of the first error in base32 or base64 text without line breaks, counted like Go. Undefined if valid. */
function findMistake(text: string, { foreign, groupLength, shortGroups }: Alphabet): number | undefined {
  const bad = text.search(foreign)
  const tail = (bad < 0 ? text.length : bad) % groupLength
  if (bad < 0) return tail === 0 ? undefined : text.length - tail
  const isPadding = text.slice(bad) === '='.repeat(groupLength - tail)
  return isPadding && shortGroups.includes(tail) ? undefined : bad
}

/** Converts an offset without line breaks to an offset in the input. */
function offsetInInput(input: string, offset: number): number {
  let breaks = 0
  for (const match of input.matchAll(/[\r\n]/g)) {
    if (match.index - breaks > offset) break
    breaks += 1
  }
  return offset + breaks
}

function decodeBase32(input: string): string {
  const text = input.replace(/[\r\n]/g, '')
  const bad = findMistake(text, { foreign: /[^A-Z2-7]/, groupLength: 8, shortGroups: [2, 4, 5, 7] })
  if (bad !== undefined) return `illegal base32 data at input byte ${offsetInInput(input, bad)}`
  const symbols = text.replace(/=+$/, '')
  const bytes: number[] = []
  for (let start = 0; start < symbols.length; start += 8) {
    const group = symbols.slice(start, start + 8)
    let bits = 0n
    for (const symbol of group.padEnd(8, 'A')) bits = bits * 32n + BigInt(BASE32.indexOf(symbol))
    const count = Math.floor((group.length * 5) / 8)
    for (let index = 0; index < count; index += 1) bytes.push(Number((bits >> BigInt(32 - 8 * index)) & 255n))
  }
  return fromByteText(Buffer.from(bytes).toString('latin1'))
}

function decodeBase64(input: string): string {
  const text = input.replace(/[\r\n]/g, '')
  const bad = findMistake(text, { foreign: /[^A-Za-z0-9+/]/, groupLength: 4, shortGroups: [2, 3] })
  if (bad !== undefined) return `illegal base64 data at input byte ${offsetInInput(input, bad)}`
  return fromByteText(Buffer.from(text, 'base64').toString('latin1'))
}

function hashOf(algorithm: string, text: string): string {
  return createHash(algorithm).update(text, 'utf8').digest('hex')
}

const ADLER_MODULUS = 65_521

function adler32(bytes: Uint8Array): string {
  let low = 1
  let high = 0
  for (const byte of bytes) {
    low = (low + byte) % ADLER_MODULUS
    high = (high + low) % ADLER_MODULUS
  }
  return String(high * 65_536 + low)
}

/** Base32, base64 and digests. Invalid input returns the decoder's error as text, as in sprig. */
export const ENCODING_FUNCTIONS: readonly TemplateFunction[] = [
  fixed('b64enc', ['string'], ([text]) => Buffer.from(text, 'utf8').toString('base64')),
  fixed('b64dec', ['string'], ([text]) => decodeBase64(text)),
  fixed('b32enc', ['string'], ([text]) => encodeBase32(encodeUtf8(text))),
  fixed('b32dec', ['string'], ([text]) => decodeBase32(text)),
  fixed('sha1sum', ['string'], ([text]) => hashOf('sha1', text)),
  fixed('sha256sum', ['string'], ([text]) => hashOf('sha256', text)),
  fixed('sha512sum', ['string'], ([text]) => hashOf('sha512', text)),
  fixed('adler32sum', ['string'], ([text]) => adler32(encodeUtf8(text))),
]
