type Environment = Readonly<Record<string, string | undefined>>

/** The characters of a line of small bars, lowest first, and the one for a missing value. */
export interface Bars {
  readonly levels: readonly [string, ...string[]]
  readonly missing: string
}

const BLOCKS: Bars = { levels: ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'], missing: '×' }
const ASCII: Bars = { levels: ['_', '.', ':', '-', '=', '+', '*', '#'], missing: 'x' }

/** The bars that a terminal with these variables can show: blocks with UTF-8, unless it is a dumb one. */
export function barsFor(env: Environment): Bars {
  const locale =
    [env['LC_ALL'], env['LC_CTYPE'], env['LANG']].find((value) => value !== undefined && value !== '') ?? ''
  return /utf-?8/i.test(locale) && env['TERM'] !== 'dumb' ? BLOCKS : ASCII
}

/** Draws a bar for each value, the highest as high as possible; 0 alone is the lowest bar. Undefined is a missing value. */
export function sparkline(values: readonly (number | undefined)[], { levels, missing }: Bars): string {
  const highest = values.reduce<number>((most, value = 0) => Math.max(most, value), 1)
  const top = levels.length - 1
  return values.map((value) => (value === undefined ? missing : levels[Math.ceil((value / highest) * top)])).join('')
}
