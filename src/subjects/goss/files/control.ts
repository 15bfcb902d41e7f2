import type { Control } from '../../../model/policy.ts'
import { defined } from '../../../model/defined.ts'
import { toSafeJson } from '../../../model/safe-json.ts'
import { SEVERITIES } from '../../../model/verdict.ts'
import { isList, isMap } from './matchers/parse.ts'
import type { GossResource } from './read.ts'
import type { GossContent } from './resource.ts'

/** The `title` and `meta` of a resource as a control. */
export type GossControl = Pick<Control, 'title' | 'description' | 'references'> & Partial<Pick<Control, 'severity'>>

const OWN: ReadonlySet<string> = new Set(['severity', 'description', 'desc'])

/**
 * Creates a control from `title` and `meta`: `severity`, `description` and `desc` of `meta` become properties of the
 * control, all other entries references. Undefined without both.
 */
export function gossControl({ type, key, title, given }: GossResource): GossControl | undefined {
  const meta = isMap(given['meta']) ? given['meta'] : {}
  if (title === undefined && Object.keys(meta).length === 0) return undefined
  const text = meta['description'] ?? meta['desc']
  const references = Object.entries(meta).filter(([name, value]) => !OWN.has(name) && value !== null)
  return {
    title: title ?? `${type}:${key}`,
    ...defined({
      severity: SEVERITIES.find((each) => each === meta['severity']),
      description: typeof text === 'string' ? text : undefined,
    }),
    references: Object.fromEntries(references.map(([name, value]) => [name, textsOf(value)])),
  }
}

function textsOf(value: GossContent): readonly string[] {
  return (isList(value) ? value : [value]).map((each) =>
    isMap(each) || isList(each) ? toSafeJson(each) : String(each),
  )
}
