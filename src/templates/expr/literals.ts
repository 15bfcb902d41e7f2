import { isInt64 } from '../govalue/int64.ts'

/** Value of a number token, or its error message. */
export type NumberLiteral =
  | { readonly kind: 'int'; readonly value: bigint }
  | { readonly kind: 'float'; readonly value: number }
  | { readonly kind: 'broken'; readonly message: string }

interface Base {
  readonly prefix: string
  readonly name: string
  readonly digits: RegExp
}

const BASES: readonly Base[] = [
  { prefix: '0x', name: 'hex', digits: /^0x[0-9a-f]+$/ },
  { prefix: '0b', name: 'binary', digits: /^0b[01]+$/ },
  { prefix: '0o', name: 'octal', digits: /^0o[0-7]+$/ },
]

/** Reads `1_000`, `0xFF`, `0b1`, `0o7`, `1.5`, `.5`, `1e3`. A leading 0 does not make a number octal. */
export function parseNumberLiteral(spelling: string): NumberLiteral {
  const text = spelling.replaceAll('_', '').toLowerCase()
  const base = BASES.find(({ prefix }) => text.startsWith(prefix))
  if (base?.name !== 'hex' && /[.e]/.test(text)) return parseFloatLiteral(spelling.replaceAll('_', ''))
  const isValid = base === undefined ? /^[0-9]+$/.test(text) : base.digits.test(text)
  if (!isValid) return brokenLiteral(base?.name ?? 'integer', 'ParseInt', spelling, 'invalid syntax')
  const value = BigInt(base === undefined ? text.replace(/^0+(?=.)/, '') : text)
  if (!isInt64(value)) return brokenLiteral(base?.name ?? 'integer', 'ParseInt', spelling, 'value out of range')
  return { kind: 'int', value }
}

function parseFloatLiteral(text: string): NumberLiteral {
  if (!/^(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/.test(text)) {
    return brokenLiteral('float', 'ParseFloat', text, 'invalid syntax')
  }
  const value = Number(text)
  return Number.isFinite(value)
    ? { kind: 'float', value }
    : brokenLiteral('float', 'ParseFloat', text, 'value out of range')
}

function brokenLiteral(name: string, parser: string, spelling: string, why: string): NumberLiteral {
  const parsed = JSON.stringify(spelling.replaceAll('_', ''))
  return { kind: 'broken', message: `invalid ${name} literal: strconv.${parser}: parsing ${parsed}: ${why}` }
}
