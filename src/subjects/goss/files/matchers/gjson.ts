import { exists, getJson } from '../../../../templates/gjson/index.ts'
import type { GossContent } from '../resource.ts'
import type { Judged, Matcher } from './matcher.ts'

/** Judges the value that a GJSON path selects in a JSON text. */
export function judgeGjson(
  { path, matcher }: { readonly path: string; readonly matcher: Matcher },
  value: GossContent,
  judge: (matcher: Matcher, value: GossContent) => Judged,
): Judged {
  const unfit = (why: string): Judged => ({ kind: 'fail', why, unfit: true })
  if (typeof value !== 'string') return unfit('is not text')
  if (parseJson(value) === undefined) return unfit('is not JSON')
  const found = getJson(value, path)
  if (found.exhausted === true) return { kind: 'unknown', why: `the path ${path} is too expensive to evaluate` }
  const selected = exists(found) ? parseJson(found.raw) : undefined
  if (selected === undefined) return unfit(`has no value at ${path}`)
  const judged = judge(matcher, selected)
  return judged.kind === 'pass' ? judged : { ...judged, why: `the value at ${path} ${judged.why}` }
}

function parseJson(text: string): GossContent | undefined {
  try {
    const value: GossContent = JSON.parse(text)
    return value
  } catch {
    return undefined
  }
}
