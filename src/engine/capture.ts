import { FIRST_LOOK } from '../model/decision.ts'
import { unknown, type Unknown } from '../model/observation.ts'
import type { Captured, CaptureContext } from '../resource-type/capture.ts'
import { decodeProperties } from '../resource-type/decode.ts'
import type { ResourceType, TypeCapture } from '../resource-type/define.ts'
import { internal } from './evaluate.ts'
import { chooseProvider } from './prepare.ts'

export interface CapturingType extends ResourceType {
  readonly capture: TypeCapture
}

export function selectCapturing(types: readonly ResourceType[]): readonly CapturingType[] {
  return types.filter((type): type is CapturingType => type.capture !== undefined)
}

export type CaptureOptions = Omit<CaptureContext, 'name'>

/**
 * Captures an object by type and name: returns the properties of a compliant resource. Changes nothing. Unknown if the
 * object cannot be observed or expressed.
 */
export async function captureOf(type: CapturingType, name: string, options: CaptureOptions): Promise<Captured> {
  const ready = prepareCapture(type, { name, ...type.capture.look }, options)
  if ('kind' in ready) return ready
  try {
    return await type.capture.take(ready.values, ready.provider, { name, ...options })
  } catch (error) {
    return internal(error)
  }
}

/** Reason, as part of a sentence, why a resource does not comply; undefined if it does. */
export async function whyNotCompliant(
  type: ResourceType,
  given: Readonly<Record<string, unknown>>,
  options: Pick<CaptureOptions, 'target' | 'signal'>,
): Promise<string | undefined> {
  const ready = prepareCapture(type, given, options)
  if ('kind' in ready) return ready.detail
  const context = { workingDirectory: '/', signal: options.signal, showDiff: false }
  const seen = await type.prepare(ready.values, ready.provider, context).examine(options.target, FIRST_LOOK)
  if (seen.kind !== 'decided') return seen.detail
  const { drift, unknown: unread } = seen.decision
  const names = [...new Set([...drift, ...unread].map(({ property }) => property))]
  const detail = [...drift.map(({ note }) => note), ...unread.map((each) => each.detail)].filter(Boolean)
  return names.length === 0 ? undefined : [names.join(', '), ...new Set(detail)].join(': ')
}

function prepareCapture(
  type: ResourceType,
  given: Readonly<Record<string, unknown>>,
  { target }: Pick<CaptureOptions, 'target'>,
): { readonly values: Readonly<Record<string, unknown>>; readonly provider: string } | Unknown {
  const decoded = decodeProperties(type, given)
  if (!decoded.ok) return unknown('invalid', decoded.violations.map(({ message }) => message).join('; '))
  const provider = chooseProvider(type, undefined, target)
  if (typeof provider !== 'string') return unknown('no-provider', provider.errors.join('; '))
  return { values: decoded.values, provider }
}
