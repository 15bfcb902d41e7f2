import { FIRST_LOOK } from '../model/decision.ts'
import { unknown, type Unknown } from '../model/observation.ts'
import type { Captured, CaptureContext } from '../resource-type/capture.ts'
import { decodeProperties } from '../resource-type/decode.ts'
import type { ResourceType, TypeCapture } from '../resource-type/define.ts'
import { internal } from './evaluate.ts'
import { chooseProvider } from './prepare.ts'

/** A type that can write down what is there. */
export interface CapturingType extends ResourceType {
  readonly capture: TypeCapture
}

/** The types that can, of several. */
export function capturing(types: readonly ResourceType[]): readonly CapturingType[] {
  return types.filter((type): type is CapturingType => type.capture !== undefined)
}

/** How one thing is looked at. */
export type CaptureOptions = Omit<CaptureContext, 'name'>

/**
 * Looks at one thing by its type and name and gives the properties of the resource that is compliant with it. Changes
 * nothing. Unknown: what could not be seen, or cannot be said by a resource of the type.
 */
export async function captureOf(type: CapturingType, name: string, options: CaptureOptions): Promise<Captured> {
  const ready = readied(type, { name, ...type.capture.look }, options)
  if ('kind' in ready) return ready
  try {
    return await type.capture.take(ready.values, ready.provider, { name, ...options })
  } catch (error) {
    return internal(error)
  }
}

/** Why a resource does not comply with what is there, as a part of a sentence; undefined where it does. */
export async function whyNotCompliant(
  type: ResourceType,
  given: Readonly<Record<string, unknown>>,
  options: Pick<CaptureOptions, 'target' | 'signal'>,
): Promise<string | undefined> {
  const ready = readied(type, given, options)
  if ('kind' in ready) return ready.detail
  const context = { workingDirectory: '/', signal: options.signal, showDiff: false }
  const seen = await type.prepare(ready.values, ready.provider, context).examine(options.target, FIRST_LOOK)
  if (seen.kind !== 'decided') return seen.detail
  const { drift, unknown: unread } = seen.decision
  const names = [...new Set([...drift, ...unread].map(({ property }) => property))]
  const detail = [...drift.map(({ note }) => note), ...unread.map((each) => each.detail)].filter(Boolean)
  return names.length === 0 ? undefined : [names.join(', '), ...new Set(detail)].join(': ')
}

function readied(
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
