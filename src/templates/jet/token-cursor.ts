import { clip, BudgetError, TemplateError, lineAt } from '../errors.ts'
import type { Budget } from '../govalue/index.ts'
import type { Origin } from './ast.ts'
import { isKeyword, type Token, type TokenKind } from './tokens.ts'

/**
 * Maximum nesting of constructs, parentheses and arguments in a template. Practical templates stay below 20; the limit protects
 * the stack of parser and evaluator.
 */
const MAX_NESTING = 200

/** Reads tokens in order and reports syntax errors with the messages of Jet's parser. */
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

  /** The next token, without consuming it. */
  peek(): Token {
    return this.#tokens[this.#position] ?? this.#end
  }

  peekSecond(): Token {
    return this.#tokens[this.#position + 1] ?? this.#end
  }

  at(kind: TokenKind): boolean {
    return this.peek().kind === kind
  }

  next(): Token {
    const token = this.peek()
    this.#position += 1
    return token
  }

  /** Consumes the next token if it is of this kind; false otherwise. */
  accept(kind: TokenKind): boolean {
    if (!this.at(kind)) return false
    this.#position += 1
    return true
  }

  /** Consumes the next token, which must be of this kind; `expected` is its name in the message. */
  expect(kind: TokenKind, context: string, expected: string): Token {
    return this.at(kind) ? this.next() : this.unexpected(context, expected)
  }

  /** Consumes the end of an action. */
  expectRightDelimiter(context: string): void {
    this.expect('rightDelim', context, 'closing delimiter')
  }

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

  /** Runs a recursive part of the parser. */
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
