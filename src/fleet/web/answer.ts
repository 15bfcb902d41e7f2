import type { ResidentView } from '../resident.ts'
import type { Markup } from '../../report/words/markup.ts'

/** User of a request. */
export interface Visitor {
  /** Absent without a login. */
  readonly name?: string
}

/** Inputs of a page or document. */
export interface PageRequest {
  readonly view: ResidentView
  /** Path without parameters. */
  readonly path: string
  readonly params: URLSearchParams
  readonly visitor: Visitor
}

/** A page without its frame. */
export interface Page {
  readonly title: string
  readonly status?: number
  /** Static part: forms that the user fills in. */
  readonly form?: Markup
  /** Live part, replaced after changes. */
  readonly content: Markup
}

/** A refusal, as a value: the address is invalid or refers to a missing item. */
export interface Refusal {
  readonly kind: 'refusal'
  readonly status: 400 | 404
  readonly message: string
}

export function refusal(status: Refusal['status'], message: string): Refusal {
  return { kind: 'refusal', status, message }
}

export function isRefusal(value: object): value is Refusal {
  return 'kind' in value && value.kind === 'refusal'
}
