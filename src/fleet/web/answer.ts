import type { ResidentView } from '../resident.ts'
import type { Markup } from '../../report/words/markup.ts'

/** Who asks. */
export interface Visitor {
  /** Absent without a login. */
  readonly name?: string
}

/** What a page or a document is made of. */
export interface PageRequest {
  readonly view: ResidentView
  /** Where it is, without parameters. */
  readonly path: string
  readonly params: URLSearchParams
  readonly visitor: Visitor
}

/** A page without what all pages have around them. */
export interface Page {
  readonly title: string
  readonly status?: number
  /** What stays as it is while the page is open: what people fill in. */
  readonly form?: Markup
  /** What is replaced when something has changed. */
  readonly content: Markup
}

/** Why something cannot be shown, as a value: the address says something that is not there, or cannot be. */
export interface Refusal {
  readonly kind: 'refusal'
  readonly status: 400 | 404
  readonly message: string
}

/** There is no such thing, or the address does not say a possible one. */
export function refusal(status: Refusal['status'], message: string): Refusal {
  return { kind: 'refusal', status, message }
}

/** Whether something is a refusal. */
export function isRefusal(value: object): value is Refusal {
  return 'kind' in value && value.kind === 'refusal'
}
