import { TemplateError } from '../../templates/errors.ts'

/** A piece of a template: literal text, or an expression in `{{ }}` or `${ }`. */
export type Segment = TextSegment | ExpressionSegment

export interface TextSegment {
  readonly kind: 'text'
  readonly text: string
}

/** An expression. Offsets are zero-based UTF-16 indexes into the whole string. */
export interface ExpressionSegment {
  readonly kind: 'expression'
  /** The expression without surrounding white space. */
  readonly source: string
  /** Start of `source`. */
  readonly offset: number
  /** Start of the opening braces; `end` is after the closing ones. */
  readonly start: number
  readonly end: number
}

/** Whether a string needs `scanTemplate` at all. */
export function mayHoldExpressions(text: string): boolean {
  return text.includes('{{') || text.includes('${')
}

/**
 * Splits a string into literal text and expressions, as Choria does. `{{` ends at the first `}}` outside quotes, `${`
 * at its balancing `}` outside quotes. An unclosed opener is text, `${{` is a `$` before `{{`. One extension: `$${` is
 * an escaped `${`, except before another `{`. Adjacent texts are joined. Throws a `TemplateError` if a string has so
 * many unclosed openers that scanning would take too long.
 */
export function scanTemplate(text: string): readonly Segment[] {
  const segments: Segment[] = []
  let literal = ''
  let at = 0
  // Every unclosed opener costs a scan of the rest of the string.
  let patience = 64 * text.length + 1_000_000
  for (;;) {
    const opener = findOpener(text, at)
    if (opener === undefined) break
    literal += text.slice(at, opener.at)
    if (opener.kind === 'escape') {
      literal += '${'
      at = opener.at + 3
      continue
    }
    const closed = opener.kind === 'braces' ? endOfBraces(text, opener.at + 2) : endOfDollar(text, opener.at + 2)
    if (closed === undefined) {
      patience -= text.length - opener.at
      if (patience < 0) throw new TemplateError('too many unclosed expressions', opener.at)
      literal += text.slice(opener.at, opener.at + 2)
      at = opener.at + 2
      continue
    }
    if (literal !== '') segments.push({ kind: 'text', text: literal })
    literal = ''
    segments.push(expressionSegment(text, opener.at, closed))
    at = closed.end
  }
  literal += text.slice(at)
  if (literal !== '') segments.push({ kind: 'text', text: literal })
  return segments
}

interface Opener {
  readonly kind: 'braces' | 'dollar' | 'escape'
  readonly at: number
}

const openers = /\{\{|\$\$\{(?!\{)|\$\{(?!\{)/g

function findOpener(text: string, from: number): Opener | undefined {
  openers.lastIndex = from
  const found = openers.exec(text)
  if (found === null) return undefined
  if (found[0] === '{{') return { kind: 'braces', at: found.index }
  return { kind: found[0] === '$${' ? 'escape' : 'dollar', at: found.index }
}

interface Closed {
  /** Index of the first character of the closing braces. */
  readonly inner: number
  /** Index after the closing braces. */
  readonly end: number
}

function endOfBraces(text: string, from: number): Closed | undefined {
  for (let at = from; at < text.length; at += 1) {
    const char = text.charAt(at)
    if (char === '}' && text[at + 1] === '}') return { inner: at, end: at + 2 }
    if (isQuote(char)) {
      const close = endOfQuote(text, at)
      if (close === undefined) return undefined
      at = close
    }
  }
  return undefined
}

function endOfDollar(text: string, from: number): Closed | undefined {
  let depth = 1
  for (let at = from; at < text.length; at += 1) {
    const char = text.charAt(at)
    if (char === '{') depth += 1
    if (char === '}') {
      depth -= 1
      if (depth === 0) return { inner: at, end: at + 1 }
    }
    if (isQuote(char)) {
      const close = endOfQuote(text, at)
      if (close === undefined) return undefined
      at = close
    }
  }
  return undefined
}

function isQuote(char: string): boolean {
  return char === '"' || char === "'" || char === '`'
}

/** The index of the quote that closes the one at `open`. A backslash escapes, except between backticks. */
function endOfQuote(text: string, open: number): number | undefined {
  const quote = text.charAt(open)
  if (quote === '`') {
    const close = text.indexOf('`', open + 1)
    return close === -1 ? undefined : close
  }
  for (let at = open + 1; at < text.length; at += 1) {
    const char = text[at]
    if (char === '\\') at += 1
    else if (char === quote) return at
  }
  return undefined
}

function expressionSegment(text: string, start: number, closed: Closed): ExpressionSegment {
  const inner = text.slice(start + 2, closed.inner)
  const source = inner.trim()
  const offset = start + 2 + (source === '' ? 0 : inner.indexOf(source.charAt(0)))
  return { kind: 'expression', source, offset, start, end: closed.end }
}
