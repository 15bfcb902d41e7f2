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

/** Evaluates the expressions of templates. */
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

/** Options of `expandValues`. */
export interface ExpandValuesOptions {
  /** `expand` also expands the keys of the outermost map, as strings; default `keep`. */
  readonly keys?: 'keep' | 'expand'
  /** `drop` removes members of maps whose value is nil; default `keep`. */
  readonly nilMembers?: 'keep' | 'drop'
}

/**
 * Expands every string in a value at any depth, keeping types. Choria drops nil members in the properties of resources,
 * but not in hierarchical data, and expands keys only in the data of scaffolds.
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
