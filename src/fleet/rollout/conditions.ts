import { countOf } from '../../model/count-of.ts'
import type { Problem, Result } from '../../model/problem.ts'
import { didYouMean } from '../../model/suggest.ts'
import { errorAt, sourceText, type SourceText } from '../../policy/document/lines.ts'

/**
 * What hosts of a ring are counted for:
 *
 * - `error`: something could not be decided that could be before, or the run could not be performed;
 * - `silent`: it was heard of before, and has not reported with the new policy for two intervals;
 * - `new-drift`: something drifts that did not before.
 */
export const MEASURES = ['error', 'silent', 'new-drift'] as const

/** One of them. */
export type Measure = (typeof MEASURES)[number]

/** How many hosts are too many. */
export interface Limit {
  readonly measure: Measure
  readonly comparison: '>' | '>='
  /** With at most three decimals where it is a percentage. */
  readonly amount: number
  readonly unit: 'percent' | 'hosts'
}

/** Limits of which one is enough. */
export type Limits = readonly Limit[]

/** What stops a rollout of which nothing else is said. */
export const DEFAULT_STOP = 'error>0.5% or silent>1% or new-drift>5%'

/** Reads `error>0.5% or silent>=3`. All that is wrong is told at once, each problem with its place; `name` says where the text stands. */
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

/** A part of the text, by its offsets. */
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
    const what = word.found === '' ? 'a measure is missing' : `"${word.found}" is no measure`
    const hint = didYouMean(word.found, MEASURES)
    return errorAt(source, word.offset, `${what}${hint}; what is counted is ${MEASURES.join(', ')}`)
  }
  const comparison = take(/^[<>=!]*/)
  if (comparison.found !== '>' && comparison.found !== '>=')
    return errorAt(source, comparison.offset, `behind ${measure} comes > or >=, and how many hosts are too many`)
  const amount = take(/^[\d.]*%?/)
  const read = amountOf(amount.found)
  if ('message' in read) return errorAt(source, amount.offset, read.message)
  const why = whyUseless(comparison.found, read)
  if (why !== undefined)
    return errorAt(source, comparison.offset, `${measure}${comparison.found}${amount.found} ${why}`)
  const rest = take(/^\S*/)
  if (rest.found !== '')
    return errorAt(source, rest.offset, `"${rest.found}" is not understood: conditions are joined by "or"`)
  return { measure, comparison: comparison.found, ...read }
}

type Amount = Pick<Limit, 'amount' | 'unit'>

function amountOf(text: string): Amount | { readonly message: string } {
  if (/^\d{1,9}$/.test(text)) return { amount: Number(text), unit: 'hosts' }
  if (/^\d{1,3}(?:\.\d{1,3})?%$/.test(text)) return { amount: Number(text.slice(0, -1)), unit: 'percent' }
  return {
    message: 'how many is a number of hosts such as 3, or a percentage with at most three decimals such as 0.5%',
  }
}

/** A condition that is always or never true was meant otherwise. */
function whyUseless(comparison: string, { amount, unit }: Amount): string | undefined {
  if (comparison === '>=' && amount === 0) return 'is always true'
  if (unit === 'percent' && (amount > 100 || (amount === 100 && comparison === '>'))) return 'can never be true'
  return undefined
}

/** How many hosts are concerned, and of how many. */
export interface Share {
  readonly hosts: number
  readonly of: number
}

const THOUSANDTHS = 1000

/** Whether the hosts are too many. None of none is not. */
export function isOver({ comparison, amount, unit }: Limit, { hosts, of }: Share): boolean {
  if (hosts === 0) return false
  // In whole numbers, so that 0.07 % of 10,000 hosts are 7.
  const found = unit === 'hosts' ? hosts : hosts * 100 * THOUSANDTHS
  const most = unit === 'hosts' ? amount : Math.round(amount * THOUSANDTHS) * of
  return comparison === '>' ? found > most : found >= most
}

/** A limit as it is written. */
export function limitWords({ measure, comparison, amount, unit }: Limit): string {
  return `${measure}${comparison}${amount}${unit === 'percent' ? '%' : ''}`
}

/** What is over a limit, as people say it: `3 of 40 hosts`. */
export function shareWords({ hosts, of }: Share): string {
  return `${hosts} of ${countOf(of, 'host')}`
}
