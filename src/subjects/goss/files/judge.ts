import { type Unknown, unknown } from '../../../model/observation.ts'
import { formatGoValue, fromPlain } from '../../../templates/govalue/index.ts'
import { judge } from './matchers/judge.ts'
import type { GossAssertion, GossResource } from './read.ts'
import type { GossContent, GossRequest, GossText, GossValue, Measured } from './resource.ts'
import { isMap } from './matchers/parse.ts'

export type AttributeResult =
  | { readonly kind: 'pass'; readonly assertion: GossAssertion }
  | { readonly kind: 'fail'; readonly assertion: GossAssertion; readonly found: GossValue; readonly why: string }
  | { readonly kind: 'unknown'; readonly assertion: GossAssertion; readonly unknown: Unknown }
  /** The gate is false. */
  | { readonly kind: 'skipped'; readonly assertion: GossAssertion }

/** The attributes to measure, the gate first. */
export function wantedOf({ assertions }: GossResource): readonly string[] {
  return [...new Set(assertions.map(({ attribute }) => attribute))]
}

/**
 * Judges the attributes of a resource in order. If the gate shows that the subject does not exist, the rest is skipped;
 * other failures of the gate do not skip anything.
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

const NOT_MEASURED: Measured = unknown('not-observable', 'driftgate does not support this attribute')

function judgeAttribute({ type, given }: GossResource, assertion: GossAssertion, measured: Measured): AttributeResult {
  if (measured.kind === 'unknown') return { kind: 'unknown', assertion, unknown: measured }
  const { value } = measured
  // For `matching`, a value that looks like reader text may be the given content.
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

/** Whether a measured value came from a reader. Measured attributes are never maps. */
export function isGossText(value: GossValue): value is GossText {
  return isMap(value) && typeof value['text'] === 'string'
}

/** The content of `matching`, which needs no measurement. */
export function measureMatching({ given }: Pick<GossRequest, 'given'>): ReadonlyMap<string, Measured> {
  const content = given['content'] ?? null
  const value = given['as-reader'] === true ? { text: formatGoValue(fromPlain(content)) } : (content as GossContent)
  return new Map([['matches', { kind: 'known', value }]])
}
