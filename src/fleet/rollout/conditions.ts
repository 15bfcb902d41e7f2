import { countOf } from '../../model/count-of.ts'
import type { Problem, Result } from '../../model/problem.ts'
import { didYouMean } from '../../model/suggest.ts'
import { errorAt, sourceText, type SourceText } from '../../policy/document/lines.ts'

/**
 * Measures for the hosts of a ring:
 *
 * - `error`: a requirement became unknown, or the run was not performed;
 * - `silent`: the host reported before, but not with the new policy for two intervals;
 * - `new-drift`: a requirement drifts that did not drift before.
 */
export const MEASURES = ['error', 'silent', 'new-drift'] as const

export type Measure = (typeof MEASURES)[number]

/** Maximum number of hosts. */
export interface Limit {
  readonly measure: Measure
  readonly comparison: '>' | '>='
  /** At most three decimals for a percentage. */
  readonly amount: number
  readonly unit: 'percent' | 'hosts'
}

/** Limits, any of which stops the rollout. */
export type Limits = readonly Limit[]

/** Default stop condition. */
export const DEFAULT_STOP = 'error>0.5% or silent>1% or new-drift>5%'

/** Parses `error>0.5% or silent>=3`. Reports all errors with their positions; `name` is the origin of the text. */
export function parseLimits(name: string, text: string): Result<Limits> {
  const source = sourceText(name, text)
  const limits: Limit[] = []
  const problems: Problem[] = []
  for (const clause of clausesOf(text)) {
    const read = limitIn(source, clause)
    if ('measure' in read) limits.push(read)
    else problems.push(read)
  }
  return problems.length === 0 ? { ok: true, value: limits, warnings: [] } : { ok: false, problems }
}

/** A clause of the text, by offsets. */
interface Clause {
  readonly start: number
  readonly end: number
}

function clausesOf(text: string): readonly Clause[] {
  const cuts = [...text.matchAll(/(?<![\w-])or(?![\w-])/g)].map(({ index }) => index)
  return [...cuts, text.length].map((end, at) => ({ start: at === 0 ? 0 : (cuts[at - 1] ?? 0) + 'or'.length, end }))
}

function limitIn(source: SourceText, { start, end }: Clause): Limit | Problem {
  const text = source.text.slice(0, end)
  let at = start
  const take = (pattern: RegExp): { readonly found: string; readonly offset: number } => {
    const offset = at + (/^\s*/.exec(text.slice(at))?.[0].length ?? 0)
    const found = pattern.exec(text.slice(offset))?.[0] ?? ''
    at = offset + found.length
    return { found, offset }
  }
  const word = take(/^[\w-]*/)
  const measure = MEASURES.find((known) => known === word.found)
  if (measure === undefined) {
    const what = word.found === '' ? 'a measure is missing' : `"${word.found}" is not a measure`
    const hint = didYouMean(word.found, MEASURES)
    return errorAt(source, word.offset, `${what}${hint}; known: ${MEASURES.join(', ')}`)
  }
  const comparison = take(/^[<>=!]*/)
  if (comparison.found !== '>' && comparison.found !== '>=')
    return errorAt(source, comparison.offset, `${measure} must be followed by > or >= and a number of hosts`)
  const amount = take(/^[\d.]*%?/)
  const read = amountOf(amount.found)
  if ('message' in read) return errorAt(source, amount.offset, read.message)
  const why = whyUseless(comparison.found, read)
  if (why !== undefined)
    return errorAt(source, comparison.offset, `${measure}${comparison.found}${amount.found} ${why}`)
  const rest = take(/^\S*/)
  if (rest.found !== '') return errorAt(source, rest.offset, `"${rest.found}" is unexpected: join conditions with "or"`)
  return { measure, comparison: comparison.found, ...read }
}

type Amount = Pick<Limit, 'amount' | 'unit'>

function amountOf(text: string): Amount | { readonly message: string } {
  if (/^\d{1,9}$/.test(text)) return { amount: Number(text), unit: 'hosts' }
  if (/^\d{1,3}(?:\.\d{1,3})?%$/.test(text)) return { amount: Number(text.slice(0, -1)), unit: 'percent' }
  return {
    message: 'the limit must be a number of hosts such as 3, or a percentage with at most three decimals such as 0.5%',
  }
}

/** A condition that is always or never true is a mistake. */
function whyUseless(comparison: string, { amount, unit }: Amount): string | undefined {
  if (comparison === '>=' && amount === 0) return 'is always true'
  if (unit === 'percent' && (amount > 100 || (amount === 100 && comparison === '>'))) return 'can never be true'
  return undefined
}

/** Number of affected hosts, and the total. */
export interface Share {
  readonly hosts: number
  readonly of: number
}

const THOUSANDTHS = 1000

/** True if the share exceeds the limit; never for 0 hosts. */
export function isOver({ comparison, amount, unit }: Limit, { hosts, of }: Share): boolean {
  if (hosts === 0) return false
  // In integers, so that 0.07 % of 10,000 hosts is exactly 7.
  const found = unit === 'hosts' ? hosts : hosts * 100 * THOUSANDTHS
  const most = unit === 'hosts' ? amount : Math.round(amount * THOUSANDTHS) * of
  return comparison === '>' ? found > most : found >= most
}

/** Formats a limit as it is written. */
export function limitWords({ measure, comparison, amount, unit }: Limit): string {
  return `${measure}${comparison}${amount}${unit === 'percent' ? '%' : ''}`
}

/** Formats a share: `3 of 40 hosts`. */
export function shareWords({ hosts, of }: Share): string {
  return `${hosts} of ${countOf(of, 'host')}`
}
