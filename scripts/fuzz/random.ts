/** Random choices that a seed repeats. */
export interface Random {
  /** A whole number from 0 up to, but not including, `limit`. */
  readonly below: (limit: number) => number
  readonly pick: <T>(list: readonly [T, ...T[]]) => T
}

/** The generator `mulberry32`: small, fast, and good enough to wander through inputs. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number): number => Math.floor(next() * limit)
  return { below, pick: (list) => list[below(list.length)] ?? list[0] }
}
