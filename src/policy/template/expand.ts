import { placedAt, TemplateError } from '../../templates/errors.ts'
import { formatGoValue, holdsNil, type Budget, type GoValue } from '../../templates/govalue/index.ts'
import { mayHoldExpressions, scanTemplate, type ExpressionSegment, type Segment } from './scan.ts'

export interface Evaluator {
  /** Evaluates one expression. Throws a `TemplateError` whose offset is relative to the expression. */
  readonly evaluate: (expression: string) => GoValue
  /** Runs work under one budget; nested runs share it. */
  readonly withBudget: <Result>(run: (budget: Budget) => Result) => Result
  /** Whether nil in a text is printed as Go prints it (default), or an error. */
  readonly nil?: 'print' | 'refuse'
}

/** A string with its expressions replaced, and whether any had a value. */
export interface MatchedText {
  readonly text: string
  /** An expression had a value other than nil and `""`, or there was no expression and the string is not empty. */
  readonly matched: boolean
}

/**
 * Replaces every expression in a string by its value, printed as Go prints it (nil as `<nil>`, or an error if the
 * evaluator refuses it). Values are not expanded again. Throws a `TemplateError` with an offset in the whole string.
 */
export function expandString(text: string, evaluator: Evaluator): string {
  return expandMatch(text, evaluator).text
}

/** Like `expandString`, and tells whether any expression had a value. Choria selects hierarchy levels by this. */
export function expandMatch(text: string, evaluator: Evaluator): MatchedText {
  if (!mayHoldExpressions(text)) return { text, matched: text !== '' }
  return expandSegments(scanTemplate(text), evaluator)
}

/** Like `expandString`, but a string that is a single expression, apart from white space, keeps the type of its value. */
export function expandTyped(text: string, evaluator: Evaluator): GoValue {
  if (!mayHoldExpressions(text)) return text
  const segments = scanTemplate(text)
  const only = onlyExpression(segments)
  return only === undefined ? expandSegments(segments, evaluator).text : evaluateSegment(only, evaluator)
}

function expandSegments(segments: readonly Segment[], evaluator: Evaluator): MatchedText {
  return evaluator.withBudget((budget) => {
    let text = ''
    let matched = segments.every((segment) => segment.kind === 'text')
    for (const segment of segments) {
      const value = segment.kind === 'text' ? segment.text : evaluateSegment(segment, evaluator)
      if (evaluator.nil === 'refuse' && segment.kind === 'expression' && holdsNil(value)) throw nilError(segment)
      const printed = formatGoValue(value, budget)
      budget.output(printed)
      text += printed
      if (segment.kind === 'expression') matched ||= value !== null && value !== ''
    }
    return { text, matched }
  })
}

function nilError({ source, offset }: ExpressionSegment): TemplateError {
  const hint = 'append ?? "" if it may be empty'
  return new TemplateError(`'${source}' has no printable value`, offset, { hint })
}

function onlyExpression(segments: readonly Segment[]): ExpressionSegment | undefined {
  const rest = segments.filter((segment) => segment.kind === 'expression' || segment.text.trim() !== '')
  const [only] = rest
  return rest.length === 1 && only?.kind === 'expression' ? only : undefined
}

function evaluateSegment(segment: ExpressionSegment, evaluator: Evaluator): GoValue {
  try {
    return evaluator.evaluate(segment.source)
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    // An error without an offset gets the start of the expression.
    throw placedAt(error, segment.offset + (error.offset ?? 0))
  }
}
