import type { Token } from './token.ts'

/** State of the lexer; `start` is the start of the current token. */
export interface Lexer {
  readonly source: string
  readonly left: string
  readonly right: string
  readonly isFunction: (name: string) => boolean
  position: number
  start: number
  parentheses: number
  readonly tokens: Token[]
  stopped: boolean
}

/** Whether the UTF-16 unit is white space of the template language: space, tab, CR or LF. */
export function isSpaceUnit(unit: number): boolean {
  return unit === 32 || unit === 10 || unit === 9 || unit === 13
}

/** Whether ` -` and the right delimiter are at the position. */
export function startsWithTrimMarker(lexer: Lexer, position: number): boolean {
  const { source, right } = lexer
  return (
    source[position + 1] === '-' && isSpaceUnit(source.charCodeAt(position)) && source.startsWith(right, position + 2)
  )
}
