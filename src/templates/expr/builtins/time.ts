import { TemplateError } from '../../errors.ts'
import { parseGoDuration } from '../../govalue/duration.ts'
import { LOCAL, loadLocation } from '../../govalue/location.ts'
import { LAYOUTS } from '../../govalue/time-layout.ts'
import { parseGoTime } from '../../govalue/time-parse.ts'
import type { GoLocation, GoTime, GoValue } from '../../govalue/value.ts'
import { DURATION, LOCATION, STRING, TIME, type ExprType } from '../types.ts'
import { asString, overloaded, signature, wrongCount, type Builtin } from './builtin.ts'

function isLocation(value: GoValue | undefined): value is GoLocation {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'location'
}

function now(args: readonly GoValue[]): GoTime {
  const [zone] = args
  if (args.length > 0 && !isLocation(zone)) throw wrongCount(0, args.length)
  const unixNanoseconds = BigInt(Date.now()) * 1_000_000n
  return { kind: 'time', unixNanoseconds, location: isLocation(zone) ? zone : LOCAL }
}

function checkNow(args: readonly ExprType[]): ExprType {
  if (args.length > 1 || (args.length === 1 && args[0]?.kind !== 'location')) throw wrongCount(0, args.length)
  return TIME
}

const DEFAULT_LAYOUTS: readonly string[] = [
  LAYOUTS.date,
  LAYOUTS.time,
  LAYOUTS.dateTime,
  LAYOUTS.rfc3339,
  LAYOUTS.rfc822,
  LAYOUTS.rfc850,
  LAYOUTS.rfc1123,
]

function date(args: readonly GoValue[]): GoTime {
  const [first] = args
  const zone = isLocation(first) ? first : undefined
  const [text, layout, zoneName] = (zone === undefined ? args : args.slice(1)).map(asString)
  if (text === undefined) throw wrongCount('at least 1', 0)
  if (layout !== undefined) {
    return parseGoTime(text, layout, zoneName === undefined ? zone : loadLocation(zoneName))
  }
  for (const candidate of DEFAULT_LAYOUTS) {
    const time = tryParse(text, candidate, zone)
    if (time !== undefined) return time
  }
  throw new TemplateError(`invalid date ${text}`)
}

function tryParse(text: string, layout: string, zone: GoLocation | undefined): GoTime | undefined {
  try {
    return parseGoTime(text, layout, zone)
  } catch (error) {
    if (error instanceof TemplateError) return undefined
    throw error
  }
}

function checkDate(args: readonly ExprType[]): ExprType {
  if (args.length === 0) throw wrongCount('at least 1', 0)
  const count = args[0]?.kind === 'location' ? args.length - 1 : args.length
  if (count > 3) throw wrongCount('at most 3', count)
  return TIME
}

export const TIME_BUILTINS: readonly Builtin[] = [
  { name: 'now', check: { kind: 'custom', check: checkNow }, arity: [0, 1], call: now },
  { name: 'date', check: { kind: 'custom', check: checkDate }, arity: [1, 4], call: date },
  overloaded('duration', [signature([STRING], DURATION)], ([text]) => parseGoDuration(asString(text))),
  overloaded('timezone', [signature([STRING], LOCATION)], ([name]) => loadLocation(asString(name))),
]
