import { type Captured } from '../../resource-type/capture.ts'
import type { UnknownProperty } from '../../model/drift.ts'
import { captureOf, type CaptureOptions, type CapturingType, whyNotCompliant } from '../../engine/capture.ts'

/** A thing to write down. */
export interface Desired {
  readonly type: CapturingType
  readonly name: string
}

/** A thing as a policy has it. */
export interface CapturedResource {
  readonly type: string
  readonly name: string
  readonly properties: Readonly<Record<string, unknown>>
}

/** What came of looking at one thing. */
export interface Gathered {
  readonly wanted: Desired
  /** Absent where nothing can be written about it. */
  readonly resource?: CapturedResource
  /** Whether nothing is there. */
  readonly isAbsent: boolean
  /** What could not be seen, or cannot be said, each as a part of a sentence. */
  readonly troubles: readonly string[]
  /** What was left out on purpose. */
  readonly notes: readonly string[]
}

/**
 * Looks at things of this machine one after another. Each resource that comes of it was compared with the machine and
 * complies, or it is left out.
 */
export async function gather(
  all: readonly Desired[],
  options: CaptureOptions,
  /** What a policy says in place of what was found; undefined for what it leaves out. */
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
    gathered.push(await concluded(wanted, captured, { options, adapt }))
  }
  return gathered
}

type Adapt = (found: CapturedResource) => CapturedResource['properties'] | undefined

interface Means {
  readonly options: CaptureOptions
  readonly adapt: Adapt
}

async function concluded(wanted: Desired, captured: Captured, { options, adapt }: Means): Promise<Gathered> {
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
  return `${property} is left out: ${detail}`
}
