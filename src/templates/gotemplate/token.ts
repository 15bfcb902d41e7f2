export type TokenKind =
  | 'endOfFile'
  | 'error'
  | 'text'
  | 'comment'
  | 'leftDelimiter'
  | 'rightDelimiter'
  | 'space'
  | 'assign'
  | 'declare'
  | 'pipe'
  | 'leftParenthesis'
  | 'rightParenthesis'
  | 'boolean'
  | 'character'
  | 'characterConstant'
  | 'complex'
  | 'field'
  | 'identifier'
  | 'number'
  | 'rawString'
  | 'string'
  | 'variable'
  | Keyword

/** Keywords; `dot` is the single `.`. */
export type Keyword =
  'block' | 'break' | 'continue' | 'define' | 'dot' | 'else' | 'end' | 'if' | 'nil' | 'range' | 'template' | 'with'

/** One token. `value` is its source text, or the message of an `error`; `offset` is a UTF-16 index. */
export interface Token {
  readonly kind: TokenKind
  readonly value: string
  readonly offset: number
}

/** Keywords of actions. `break` and `continue` are ordinary names if there are functions of that name. */
export const KEYWORDS: ReadonlyMap<string, Keyword> = new Map<string, Keyword>([
  ['.', 'dot'],
  ['block', 'block'],
  ['break', 'break'],
  ['continue', 'continue'],
  ['define', 'define'],
  ['else', 'else'],
  ['end', 'end'],
  ['if', 'if'],
  ['nil', 'nil'],
  ['range', 'range'],
  ['template', 'template'],
  ['with', 'with'],
])
