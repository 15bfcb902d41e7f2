const UNITS: Readonly<Record<string, number>> = {
  '': 1,
  B: 1,
  kB: 1e3,
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  TB: 1e12,
  KiB: 1024,
  MiB: 1024 ** 2,
  GiB: 1024 ** 3,
  TiB: 1024 ** 4,
  K: 1024,
  M: 1024 ** 2,
  G: 1024 ** 3,
  T: 1024 ** 4,
}

/**
 * Parses a size such as `500 MB`, `2GiB` or a plain number into bytes; undefined if invalid. Decimal units are powers
 * of 1000, binary ones and single letters powers of 1024, as in dd(1) and curl(1).
 */
export function parseSize(text: string): number | undefined {
  const [, number, unit] = /^([0-9]+(?:\.[0-9]+)?) ?([A-Za-z]*)$/.exec(text) ?? []
  const factor = unit === undefined || !Object.hasOwn(UNITS, unit) ? undefined : UNITS[unit]
  if (number === undefined || factor === undefined) return undefined
  const bytes = Math.round(Number(number) * factor)
  return Number.isSafeInteger(bytes) ? bytes : undefined
}

/** A number of bytes as text: `512 B`, `4.0 KiB`, `12 MiB`. */
export function formatSize(bytes: number): string {
  const power = Math.min(Math.floor(Math.log2(Math.max(bytes, 1)) / 10), BINARY.length - 1)
  const value = bytes / 1024 ** power
  return `${power === 0 || value >= 10 ? Math.round(value) : value.toFixed(1)} ${BINARY[power]}`
}

const BINARY = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const
