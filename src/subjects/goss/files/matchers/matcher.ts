import type { GossContent } from '../resource.ts'
import type { SemverRange } from './semver.ts'
import type { Pattern } from '../patterns.ts'

/** How two numbers are compared, in the words of Goss. */
export const COMPARATORS = ['gt', 'ge', 'lt', 'le'] as const

/** One of `COMPARATORS`, or `eq`, for which Goss has no word. */
export type Comparator = (typeof COMPARATORS)[number] | 'eq'

/** What is judged of a text as it is. */
export const TEXT_WORDS = ['have-prefix', 'have-suffix', 'contain-substring', 'match-regexp'] as const

/** One of `TEXT_WORDS`. */
export type TextWord = (typeof TEXT_WORDS)[number]

/** What a value has to be, as Goss has it. @see https://github.com/goss-org/goss, docs/gossfile.md, "Matchers" */
export type Matcher =
  | { readonly kind: 'equal'; readonly wanted: GossContent; readonly asText: boolean }
  | { readonly kind: 'number'; readonly comparator: Comparator; readonly wanted: number }
  | { readonly kind: 'text'; readonly word: TextWord; readonly wanted: string }
  | { readonly kind: 'have-len'; readonly wanted: number }
  | { readonly kind: 'have-patterns'; readonly patterns: readonly Pattern[] }
  | { readonly kind: 'have-key'; readonly key: Matcher }
  | { readonly kind: 'contain-element'; readonly element: Matcher }
  /** A text is split into its lines by the word, and not by a list that stands for itself. */
  | { readonly kind: 'contain-elements'; readonly elements: readonly Desired[]; readonly splits: boolean }
  | { readonly kind: 'consist-of'; readonly elements: readonly Desired[] }
  | { readonly kind: 'and' | 'or'; readonly matchers: readonly Matcher[] }
  | { readonly kind: 'not'; readonly matcher: Matcher }
  | { readonly kind: 'semver-constraint'; readonly range: SemverRange; readonly wanted: string }
  | { readonly kind: 'gjson'; readonly paths: readonly { readonly path: string; readonly matcher: Matcher }[] }

/** One of several matchers, with what was written for it. */
export interface Desired {
  readonly matcher: Matcher
  readonly written: GossContent
}

/**
 * What came of judging a value. A failure is `unfit` where the value is of a kind that the matcher cannot judge, such as a
 * text that is no number: it is not what is wanted, but its opposite is not proved either.
 */
export type Judged =
  | { readonly kind: 'pass' }
  | { readonly kind: 'fail'; readonly why: string; readonly unfit?: true }
  | { readonly kind: 'unknown'; readonly why: string }
