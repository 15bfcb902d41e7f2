import type { GossContent } from '../resource.ts'
import type { SemverRange } from './semver.ts'
import type { Pattern } from '../patterns.ts'

/** Comparison operators of Goss for numbers. */
export const COMPARATORS = ['gt', 'ge', 'lt', 'le'] as const

/** One of `COMPARATORS`, or `eq`, which has no name in Goss. */
export type Comparator = (typeof COMPARATORS)[number] | 'eq'

export const TEXT_WORDS = ['have-prefix', 'have-suffix', 'contain-substring', 'match-regexp'] as const

export type TextWord = (typeof TEXT_WORDS)[number]

/** A condition on a value, as in Goss. @see https://github.com/goss-org/goss, docs/gossfile.md, "Matchers" */
export type Matcher =
  | { readonly kind: 'equal'; readonly wanted: GossContent; readonly asText: boolean }
  | { readonly kind: 'number'; readonly comparator: Comparator; readonly wanted: number }
  | { readonly kind: 'text'; readonly word: TextWord; readonly wanted: string }
  | { readonly kind: 'have-len'; readonly wanted: number }
  | { readonly kind: 'have-patterns'; readonly patterns: readonly Pattern[] }
  | { readonly kind: 'have-key'; readonly key: Matcher }
  | { readonly kind: 'contain-element'; readonly element: Matcher }
  /** With `splits`, a text is split into lines before the match. */
  | { readonly kind: 'contain-elements'; readonly elements: readonly Desired[]; readonly splits: boolean }
  | { readonly kind: 'consist-of'; readonly elements: readonly Desired[] }
  | { readonly kind: 'and' | 'or'; readonly matchers: readonly Matcher[] }
  | { readonly kind: 'not'; readonly matcher: Matcher }
  | { readonly kind: 'semver-constraint'; readonly range: SemverRange; readonly wanted: string }
  | { readonly kind: 'gjson'; readonly paths: readonly { readonly path: string; readonly matcher: Matcher }[] }

/** A matcher with its source value. */
export interface Desired {
  readonly matcher: Matcher
  readonly written: GossContent
}

/**
 * The result of a judgement. A failure is `unfit` if the matcher cannot judge a value of this type, such as a text that is
 * not a number: the value does not match, but the inverse is not proven either.
 */
export type Judged =
  | { readonly kind: 'pass' }
  | { readonly kind: 'fail'; readonly why: string; readonly unfit?: true }
  | { readonly kind: 'unknown'; readonly why: string }
