import { SEVERITIES } from '../../model/verdict.ts'
import { ANSWERS } from '../census.ts'
import { PRESENCES } from '../presence.ts'
import { ALL_HOSTS, CONTROL_VERDICTS, type ControlVerdict, type HostSelection } from '../select.ts'
import { refusal, type Refusal } from './answer.ts'

/** Default page size. */
export const PAGE_SIZE = 100

/** Maximum page size. */
const LARGEST_PAGE = 1_000

/** Parameters of every list. */
const PAGING: readonly string[] = ['page', 'per_page']

/** Parameters that select hosts. */
export const HOST_FILTERS = [
  'q',
  'answer',
  'presence',
  'severity',
  'ring',
  'label',
  'control',
  'verdict',
  'version',
] as const

/** Verdicts of a control on a host, as query values. */
export const VERDICTS = Object.keys(CONTROL_VERDICTS) as readonly ControlVerdict[]

/** A page of a list. */
export interface Part<Member> {
  readonly members: readonly Member[]
  /** Number of the first member. */
  readonly first: number
  /** Page number, starting from 1. */
  readonly page: number
  readonly pages: number
  readonly total: number
}

/** Parses the host selection of a query. Unknown values are refused: ignoring one would return too many hosts. */
export function hostSelectionOf(params: URLSearchParams): HostSelection | Refusal {
  const answers = parseWords(params, 'answer', ANSWERS)
  const presences = parseWords(params, 'presence', PRESENCES)
  const severities = parseWords(params, 'severity', SEVERITIES)
  const labels = allValues(params, 'label').map((text) => {
    const at = text.indexOf('=')
    return at < 1 ? refusal(400, `label must be KEY=VALUE, found ${JSON.stringify(text)}`) : labelOf(text, at)
  })
  const verdicts = parseWords(params, 'verdict', VERDICTS)
  for (const each of [answers, presences, severities, verdicts]) if ('kind' in each) return each
  const controls = allValues(params, 'control')
  if (!('kind' in verdicts) && verdicts.length > 0 && controls.length === 0)
    return refusal(400, 'verdict requires control')
  const wrong = labels.find((label) => 'kind' in label)
  if (wrong !== undefined && 'kind' in wrong) return wrong
  return {
    ...ALL_HOSTS,
    answers: 'kind' in answers ? [] : answers,
    presences: 'kind' in presences ? [] : presences,
    severities: 'kind' in severities ? [] : severities,
    labels: labels.flatMap((label) => ('kind' in label ? [] : [label])),
    rings: allValues(params, 'ring'),
    controls,
    verdicts: 'kind' in verdicts ? [] : verdicts,
    texts: allValues(params, 'version'),
    part: params.get('q') ?? '',
  }
}

function labelOf(text: string, at: number): readonly [string, string] {
  return [text.slice(0, at), text.slice(at + 1)]
}

/** Non-empty values of a parameter; forms also send empty ones. */
export function allValues(params: URLSearchParams, name: string): readonly string[] {
  return params.getAll(name).filter((text) => text !== '')
}

/** Values of an enumerated parameter. */
export function parseWords<const Word extends string>(
  params: URLSearchParams,
  name: string,
  words: readonly Word[],
): readonly Word[] | Refusal {
  const found: Word[] = []
  for (const text of allValues(params, name)) {
    const word = words.find((each) => each === text)
    if (word === undefined)
      return refusal(400, `${name} must be one of ${words.join(', ')}, found ${JSON.stringify(text)}`)
    found.push(word)
  }
  return found
}

/** Refusal of an unknown parameter. */
export function strangerIn(params: URLSearchParams, names: readonly string[]): Refusal | undefined {
  const stranger = [...params.keys()].find((name) => !PAGING.includes(name) && !names.includes(name))
  return stranger === undefined
    ? undefined
    : refusal(
        400,
        `the parameter ${JSON.stringify(stranger)} is unknown here; known are ${[...names, ...PAGING].join(', ')}`,
      )
}

/** Requested page of a list. A page after the end becomes the last one, since lists get shorter. */
export function partOf<Member>(list: readonly Member[], params: URLSearchParams): Part<Member> | Refusal {
  const text = params.get('page') ?? '1'
  if (!/^[1-9]\d{0,8}$/.test(text))
    return refusal(400, `page must be a number of at least 1, found ${JSON.stringify(text)}`)
  const size = sizeOf(params)
  if (typeof size !== 'number') return size
  const pages = Math.max(1, Math.ceil(list.length / size))
  const page = Math.min(Number(text), pages)
  return {
    members: list.slice((page - 1) * size, page * size),
    first: (page - 1) * size + 1,
    page,
    pages,
    total: list.length,
  }
}

function sizeOf(params: URLSearchParams): number | Refusal {
  const text = params.get('per_page') ?? String(PAGE_SIZE)
  if (/^[1-9]\d{0,3}$/.test(text) && Number(text) <= LARGEST_PAGE) return Number(text)
  return refusal(400, `per_page must be a number from 1 to ${LARGEST_PAGE}, found ${JSON.stringify(text)}`)
}

/** URL within the web view, without empty parameters. */
export function addressOf(
  path: string,
  given: URLSearchParams | Readonly<Record<string, string | number | undefined>>,
): string {
  const entries = given instanceof URLSearchParams ? [...given] : Object.entries(given)
  const params = new URLSearchParams()
  for (const [name, value] of entries) if (value !== undefined && value !== '') params.append(name, String(value))
  const query = params.toString()
  return query === '' ? path : `${path}?${query}`
}
