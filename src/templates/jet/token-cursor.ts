import { clip, BudgetError, TemplateError } from '../errors.ts'
import type { Budget } from '../govalue/index.ts'
import type { Origin } from './ast.ts'
import { lineAt } from './errors.ts'
import { isKeyword, type Token, type TokenKind } from './tokens.ts'

/**
 * How deep constructs, parentheses and arguments may be nested in one template. Real ones stay below 20; the limit
 * keeps the recursion of parser and evaluator far from the end of the stack.
 */
const MAX_NESTING = 200

/** Reads tokens in order and reports what does not fit, with the messages of Jet's parser. */
export class TokenCursor {
  readonly origin: Origin
  readonly budget: Budget
  readonly #tokens: readonly Token[]
  readonly #end: Token
  #position = 0
  #depth = 0

  constructor(origin: Origin, tokens: readonly Token[], budget: Budget) {
    this.origin = origin
    this.budget = budget
    this.#tokens = tokens
    this.#end = { kind: 'eof', text: '', offset: origin.source.length, spaceBefore: false }
  }

  /** The next token, left in place. */
  peek(): Token {
    return this.#tokens[this.#position] ?? this.#end
  }

  /** The token after the next one. */
  peekSecond(): Token {
    return this.#tokens[this.#position + 1] ?? this.#end
  }

  /** Says whether the next token is of this kind. */
  at(kind: TokenKind): boolean {
    return this.peek().kind === kind
  }

  /** Takes the next token. */
  next(): Token {
    const token = this.peek()
    this.#position += 1
    return token
  }

  /** Takes the next token if it is of this kind and says whether it was. */
  accept(kind: TokenKind): boolean {
    if (!this.at(kind)) return false
    this.#position += 1
    return true
  }

  /** Takes the next token, which must be of this kind; `expected` names it in the message. */
  expect(kind: TokenKind, context: string, expected: string): Token {
    return this.at(kind) ? this.next() : this.unexpected(context, expected)
  }

  /** Takes the end of an action. */
  expectRightDelimiter(context: string): void {
    this.expect('rightDelim', context, 'closing delimiter')
  }

  /** Reports that the next token does not fit. */
  unexpected(context: string, expected: string): never {
    const token = this.peek()
    if (token.kind === 'error') this.fail(token.text, token.offset)
    if (token.kind === 'eof') this.fail('unexpected EOF', token.offset)
    const place = `parsing ${context}: unexpected`
    if (token.kind === 'import' || token.kind === 'extends') {
      const rule = `('${token.text}' statements must be at the beginning of the template)`
      this.fail(`${place} keyword '${token.text}' ${rule}`, token.offset)
    }
    this.fail(`${place} ${isKeyword(token) ? 'keyword' : 'token'} '${token.text}' (expected ${expected})`, token.offset)
  }

  /** Throws a parse error with the name of the template and the line. */
  fail(message: string, offset: number): never {
    const { name, source } = this.origin
    throw new TemplateError(clip(`template: ${name}:${lineAt(source, offset)}: ${message}`), offset)
  }

  /** Counts a node against the budget and returns it. */
  node<const T extends { readonly offset: number }>(node: T): T {
    this.budget.node(node.offset)
    return node
  }

  /** Runs a part of the parser that may contain itself. */
  nested<T>(parse: () => T): T {
    this.#depth += 1
    if (this.#depth > MAX_NESTING) {
      const { offset } = this.peek()
      const place = `template: ${this.origin.name}:${lineAt(this.origin.source, offset)}`
      throw new BudgetError(`${place}: nested deeper than ${MAX_NESTING} levels`, offset)
    }
    const result = parse()
    this.#depth -= 1
    return result
  }
}
