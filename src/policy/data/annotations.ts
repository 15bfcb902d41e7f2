import type { Position } from '../../model/problem.ts'
import { didYouMean } from '../../model/suggest.ts'
import type { GoValue } from '../../templates/govalue/index.ts'
import { type DataMap, valueAt } from './merge.ts'

/** An annotation in the comment above a key of `data:`. */
export interface Annotation {
  /** The path of its key, from the top of `data`. */
  readonly path: readonly string[]
  readonly directive: 'require' | 'validate' | 'sensitive' | 'replace'
  /** The expression of `@validate`; empty for other directives. */
  readonly argument: string
  readonly position: Position
}

const DIRECTIVES: Readonly<Record<string, Annotation['directive']>> = {
  require: 'require',
  required: 'require',
  validate: 'validate',
  sensitive: 'sensitive',
  replace: 'replace',
}

/** A comment line: a directive, a misspelt one, or none. */
export type CommentDirective =
  | { readonly kind: 'directive'; readonly directive: Annotation['directive']; readonly argument: string }
  | { readonly kind: 'unusable'; readonly message: string }
  | { readonly kind: 'none' }

/** Parses one comment line, without its `#`. */
export function parseDirective(line: string): CommentDirective {
  const [, word, argument = ''] = /^\s*@([A-Za-z_]+)(?:\s+(.*?))?\s*$/.exec(line) ?? []
  if (word === undefined) return { kind: 'none' }
  const directive = Object.hasOwn(DIRECTIVES, word) ? DIRECTIVES[word] : undefined
  if (directive === undefined) {
    return { kind: 'unusable', message: `unknown annotation @${word}${didYouMean(word, Object.keys(DIRECTIVES))}` }
  }
  if (directive === 'validate' && argument === '') {
    return { kind: 'unusable', message: '@validate needs an expression, such as: @validate isIPv4(value)' }
  }
  return { kind: 'directive', directive, argument }
}

/** A value that violates an annotation. */
export interface AnnotationFailure {
  readonly message: string
  readonly position: Position
}

/** Evaluates the expression of a `@validate`; `message` is the error if it cannot be evaluated. */
export type Validate = (expression: string, value: GoValue) => boolean | { readonly message: string }

/** Checks the final data against all annotations. */
export function checkAnnotations(
  annotations: readonly Annotation[],
  data: DataMap,
  validate: Validate,
): readonly AnnotationFailure[] {
  // The error of an expression may quote its value.
  const isSensitive = (path: readonly string[]): boolean =>
    annotations.some((each) => each.directive === 'sensitive' && each.path.every((key, at) => path[at] === key))
  return annotations.flatMap(({ path, directive, argument, position }) => {
    const value = valueAt(data, path) ?? null
    const key = path.join('.')
    if (directive === 'require') {
      return value === null || value === '' ? [{ message: `key "${key}" is required but has no value`, position }] : []
    }
    if (directive !== 'validate' || value === null || Array.isArray(value) || value instanceof Map) return []
    const outcome = validate(argument, value)
    if (outcome === true) return []
    const message =
      outcome === false
        ? `key "${key}" failed validation "${argument}"`
        : `key "${key}" validation "${argument}" failed${isSensitive(path) ? '' : `: ${outcome.message}`}`
    return [{ message, position }]
  })
}
