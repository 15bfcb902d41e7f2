import { type Captured } from '../../resource-type/capture.ts'
import type { UnknownProperty } from '../../model/drift.ts'
import { captureOf, type CaptureOptions, type CapturingType, whyNotCompliant } from '../../engine/capture.ts'

/** An object to capture. */
export interface Desired {
  readonly type: CapturingType
  readonly name: string
}

/** A captured object as a policy resource. */
export interface CapturedResource {
  readonly type: string
  readonly name: string
  readonly properties: Readonly<Record<string, unknown>>
}

/** Result of capturing one object. */
export interface Gathered {
  readonly wanted: Desired
  /** Absent if nothing can be captured. */
  readonly resource?: CapturedResource
  /** True if the object does not exist. */
  readonly isAbsent: boolean
  /** Problems, each as part of a sentence. */
  readonly troubles: readonly string[]
  /** Intentional omissions. */
  readonly notes: readonly string[]
}

/**
 * Captures objects of this machine in order. Each captured resource is verified as compliant; otherwise it is omitted.
 */
export async function gather(
  all: readonly Desired[],
  options: CaptureOptions,
  /** Adapts the found properties for the policy; undefined omits the resource. */
  adapt: Adapt = ({ properties }) => properties,
): Promise<readonly Gathered[]> {
  for (const type of new Set(all.map((each) => each.type))) {
    type.announce?.(
      options.target,
      all.flatMap((each) => (each.type === type ? each.name : [])),
    )
  }
  const gathered: Gathered[] = []
  for (const wanted of all) {
    const captured = await captureOf(wanted.type, wanted.name, options)
    gathered.push(await verifyCaptured(wanted, captured, { options, adapt }))
  }
  return gathered
}

type Adapt = (found: CapturedResource) => CapturedResource['properties'] | undefined

interface Means {
  readonly options: CaptureOptions
  readonly adapt: Adapt
}

async function verifyCaptured(wanted: Desired, captured: Captured, { options, adapt }: Means): Promise<Gathered> {
  const { type, name } = wanted
  const nothing = { wanted, isAbsent: false, troubles: [], notes: [] }
  if (captured.kind === 'unknown') return { ...nothing, troubles: [captured.detail] }
  const isAbsent = captured.kind === 'absent'
  if (captured.properties === undefined) return { ...nothing, isAbsent }
  const { unread = [], notes = [] } = captured.kind === 'present' ? captured : {}
  const properties = adapt({ type: type.type, name, properties: captured.properties })
  if (properties === undefined) return { ...nothing, isAbsent }
  const why = await whyNotCompliant(type, { name, ...properties }, options)
  if (why !== undefined) return { ...nothing, isAbsent, troubles: [`not supported by any resource type (${why})`] }
  const resource = { type: type.type, name, properties }
  return { wanted, resource, isAbsent, troubles: unread.map(describeUnread), notes }
}

function describeUnread({ property, detail }: UnknownProperty): string {
  return `${property} omitted: ${detail}`
}
