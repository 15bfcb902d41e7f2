import type { Unknown } from '../../../model/observation.ts'
import { unknown } from '../../../model/observation.ts'
import { formatGoValue, fromPlain } from '../../../templates/govalue/index.ts'
import { judge } from './matchers/judge.ts'
import type { GossAssertion, GossResource } from './read.ts'
import type { GossContent, GossRequest, GossText, GossValue, Measured } from './resource.ts'
import { isMap } from './matchers/parse.ts'

/** What came of one attribute. */
export type AttributeResult =
  | { readonly kind: 'pass'; readonly assertion: GossAssertion }
  | { readonly kind: 'fail'; readonly assertion: GossAssertion; readonly found: GossValue; readonly why: string }
  | { readonly kind: 'unknown'; readonly assertion: GossAssertion; readonly unknown: Unknown }
  /** What it is an attribute of is not there. */
  | { readonly kind: 'skipped'; readonly assertion: GossAssertion }

/** What has to be measured of a resource, the gate first. */
export function wantedOf({ assertions }: GossResource): readonly string[] {
  return [...new Set(assertions.map(({ attribute }) => attribute))]
}

/**
 * Judges the attributes of a resource, in their order. Where the gate says that nothing is there, the rest is skipped; any
 * other trouble with the gate hides nothing.
 */
export function judgeResource(
  resource: GossResource,
  measured: ReadonlyMap<string, Measured>,
): readonly AttributeResult[] {
  const [gate] = resource.assertions
  const found = gate === undefined ? undefined : measured.get(gate.attribute)
  const isAbsent = resource.isGated && found?.kind === 'known' && found.value === false
  return resource.assertions.map((assertion) => {
    if (isAbsent && assertion.attribute !== gate?.attribute) return { kind: 'skipped', assertion }
    return judgeAttribute(resource, assertion, measured.get(assertion.attribute) ?? NOT_MEASURED)
  })
}

const NOT_MEASURED: Measured = unknown('not-observable', 'driftgate does not measure this')

function judgeAttribute({ type, given }: GossResource, assertion: GossAssertion, measured: Measured): AttributeResult {
  if (measured.kind === 'unknown') return { kind: 'unknown', assertion, unknown: measured }
  const { value } = measured
  // What looks like a text from a reader may be the content that "matching" was given.
  const isText = isGossText(value) && (type !== 'matching' || given['as-reader'] === true)
  const content = isText ? value.text : (value as GossContent)
  const judged = judge(assertion.matcher, content)
  switch (judged.kind) {
    case 'pass':
      return { kind: 'pass', assertion }
    case 'fail':
      return { kind: 'fail', assertion, found: value, why: judged.why }
    case 'unknown':
      return { kind: 'unknown', assertion, unknown: unknown('invalid', judged.why) }
  }
}

/** Whether a value that was measured came from a reader. No measured attribute is a map. */
export function isGossText(value: GossValue): value is GossText {
  return isMap(value) && typeof value['text'] === 'string'
}

/** What `matching` judges: its own content, which needs no look at the machine. */
export function measureMatching({ given }: Pick<GossRequest, 'given'>): ReadonlyMap<string, Measured> {
  const content = given['content'] ?? null
  const value = given['as-reader'] === true ? { text: formatGoValue(fromPlain(content)) } : (content as GossContent)
  return new Map([['matches', { kind: 'known', value }]])
}
