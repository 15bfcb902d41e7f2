/** Kinds of tokens, named as in Jet's own lexer. Keywords have their own spelling as kind. */
export type TokenKind =
  | 'text'
  | 'leftDelim'
  | 'rightDelim'
  | 'eof'
  | 'error'
  | 'identifier'
  | 'field'
  | 'underscore'
  | 'bool'
  | 'number'
  | 'charConstant'
  | 'string'
  | 'rawString'
  | 'assign'
  | 'equals'
  | 'notEquals'
  | 'great'
  | 'greatEquals'
  | 'less'
  | 'lessEquals'
  | 'and'
  | 'or'
  | 'not'
  | 'add'
  | 'minus'
  | 'mul'
  | 'div'
  | 'mod'
  | 'comma'
  | 'semicolon'
  | 'colon'
  | 'ternary'
  | 'pipe'
  | 'leftParen'
  | 'rightParen'
  | 'leftBrackets'
  | 'rightBrackets'
  | 'char'
  | Keyword

/** Reserved words. `and`, `or` and `not` are operators and belong to the kinds above. */
export type Keyword =
  | 'extends'
  | 'import'
  | 'include'
  | 'block'
  | 'end'
  | 'yield'
  | 'content'
  | 'if'
  | 'else'
  | 'range'
  | 'try'
  | 'catch'
  | 'return'
  | 'nil'
  | 'msg'
  | 'trans'

/** A token. For the kind `error`, `text` is the message; otherwise it is the spelling in the source. */
export interface Token {
  readonly kind: TokenKind
  readonly text: string
  readonly offset: number
  /** Whether white space precedes it; `.a .b` is two operands, `.a.b` is one. */
  readonly spaceBefore: boolean
}

const KEYWORDS: ReadonlyMap<string, TokenKind> = new Map(
  (
    [
      'extends',
      'import',
      'include',
      'block',
      'end',
      'yield',
      'content',
      'if',
      'else',
      'range',
      'try',
      'catch',
      'return',
      'and',
      'or',
      'not',
      'nil',
      'msg',
      'trans',
    ] as const
  ).map((word) => [word, word]),
)

/** The kind of a word: a keyword, an operator, a boolean or an identifier. */
export function wordKind(word: string): TokenKind {
  if (word === 'true' || word === 'false') return 'bool'
  if (word === '_') return 'underscore'
  return KEYWORDS.get(word) ?? 'identifier'
}

/** Whether the token is a keyword, which has another form in messages. */
export function isKeyword(token: Token): boolean {
  return KEYWORDS.has(token.text)
}
