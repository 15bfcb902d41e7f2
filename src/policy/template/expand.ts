import { BudgetError, placedAt, TemplateError } from '../../templates/errors.ts'
import {
  formatGoValue,
  holdsNil,
  isGoList,
  isGoMap,
  MAX_VALUE_DEPTH,
  type Budget,
  type GoValue,
} from '../../templates/govalue/index.ts'
import { mayHoldExpressions, scanTemplate, type ExpressionSegment, type Segment } from './scan.ts'

/** Where expressions get their values from. */
export interface Evaluator {
  /** Evaluates one expression. The offset of a `TemplateError` it throws points into the expression. */
  readonly evaluate: (expression: string) => GoValue
  /** Runs what belongs together under one budget; a run inside another is part of it. */
  readonly withBudget: <Result>(run: (budget: Budget) => Result) => Result
  /** What becomes of nil in the middle of a text: it is printed as Go prints it (default), or it is an error. */
  readonly nil?: 'print' | 'refuse'
}

/** A string with its expressions replaced, and whether there was anything to replace them by. */
export interface MatchedText {
  readonly text: string
  /** Some expression gave something other than nil and `""`, or there was no expression and the string is not empty. */
  readonly matched: boolean
}

/**
 * Replaces every expression in a string by its value, printed as Go prints it (nil as `<nil>`, or not at all where the
 * evaluator refuses that). Values are not expanded again. Throws `TemplateError` with an offset into the whole string.
 */
export function expandString(text: string, evaluator: Evaluator): string {
  return expandMatch(text, evaluator).text
}

/** As `expandString`, and tells whether any expression gave something. Choria selects hierarchy levels by this. */
export function expandMatch(text: string, evaluator: Evaluator): MatchedText {
  if (!mayHoldExpressions(text)) return { text, matched: text !== '' }
  return expandSegments(scanTemplate(text), evaluator)
}

/** As `expandString`, but a string that is one expression and at most white space around it keeps the value's type. */
export function expandTyped(text: string, evaluator: Evaluator): GoValue {
  if (!mayHoldExpressions(text)) return text
  const segments = scanTemplate(text)
  const only = onlyExpression(segments)
  return only === undefined ? expandSegments(segments, evaluator).text : evaluateSegment(only, evaluator)
}

/** What `expandValues` does beside expanding strings. */
export interface ExpandValuesOptions {
  /** `expand` also expands the keys of the outermost map, as strings; default `keep`. */
  readonly keys?: 'keep' | 'expand'
  /** `drop` leaves out members of maps whose string turned out to be nil; default `keep`. */
  readonly nilMembers?: 'keep' | 'drop'
}

/**
 * Expands, typed, every string in a value at any depth. In the properties of resources Choria drops members that turn
 * out to be nil, in hierarchical data it keeps them; keys are only expanded in the data of scaffolds.
 */
export function expandValues(value: GoValue, evaluator: Evaluator, options: ExpandValuesOptions = {}): GoValue {
  return evaluator.withBudget(() => {
    const expanded = expandAt(value, { evaluator, dropNil: options.nilMembers === 'drop' }, 0)
    if (options.keys !== 'expand' || !isGoMap(expanded)) return expanded
    return new Map([...expanded].map(([key, item]) => [expandKey(key, evaluator), item]))
  })
}

interface Expansion {
  readonly evaluator: Evaluator
  readonly dropNil: boolean
}

function expandKey(key: GoValue, evaluator: Evaluator): GoValue {
  return typeof key === 'string' ? expandString(key, evaluator) : key
}

function expandAt(value: GoValue, expansion: Expansion, depth: number): GoValue {
  if (depth > MAX_VALUE_DEPTH) throw new BudgetError(`values are nested deeper than ${MAX_VALUE_DEPTH} levels`)
  if (typeof value === 'string') return expandTyped(value, expansion.evaluator)
  if (isGoList(value)) return value.map((item) => expandAt(item, expansion, depth + 1))
  if (!isGoMap(value)) return value
  const map = new Map<GoValue, GoValue>()
  for (const [key, item] of value) {
    const expanded = expandAt(item, expansion, depth + 1)
    const isDropped = expansion.dropNil && expanded === null && item !== null
    if (!isDropped) map.set(key, expanded)
  }
  return map
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
  const hint = 'write ?? "" behind it where it may be empty'
  return new TemplateError(`'${source}' has no value that could be written`, offset, { hint })
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
    // One without a place is put at the start of the expression.
    throw placedAt(error, segment.offset + (error.offset ?? 0))
  }
}
