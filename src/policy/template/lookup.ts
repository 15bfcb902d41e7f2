import { TemplateError } from '../../templates/errors.ts'
import { exists, getJson, toGoValue, type GjsonResult } from '../../templates/gjson/index.ts'
import { encodeGoJson, type GoValue } from '../../templates/govalue/index.ts'

/** The three parts of the lookup document; each is computed only if a path may reach it. */
export interface LookupSource {
  readonly facts: () => GoValue
  readonly data: () => GoValue
  readonly environ: () => GoValue
}

/** Finds the value of a GJSON path; undefined without a match. Throws a `TemplateError` if the path is too expensive. */
export type Lookup = (path: string) => GoValue | undefined

type Part = keyof LookupSource

// Members in the order of Go's encoder, which sorts keys: wildcards match the first one.
const parts: readonly Part[] = ['data', 'environ', 'facts']

/**
 * Prepares lookups in the document `{data, environ, facts}`. A part is serialized for the first path that may reach it,
 * and results of recent paths are cached. The values must not change afterwards.
 */
export function createLookup(source: LookupSource): Lookup {
  const search = createSearch(source)
  const found = new Map<string, GoValue | undefined>()
  return (path) => {
    if (found.has(path)) return found.get(path)
    const value = search(path)
    if (found.size >= maxRemembered) found.clear()
    found.set(path, value)
    return value
  }
}

// Policies use few paths, but for every resource.
const maxRemembered = 1000

function createSearch(source: LookupSource): Lookup {
  const documents = new Map<Part | 'all', string>()
  return (path) => {
    const reach = reachOf(path)
    const document = documents.get(reach) ?? encodeParts(source, reach === 'all' ? parts : [reach])
    documents.set(reach, document)
    return valueOf(getJson(document, path), path)
  }
}

/** The part in which a path starts. A path that does not start with a plain name may reach every part. */
function reachOf(path: string): Part | 'all' {
  return parts.find((part) => path === part || path.startsWith(`${part}.`) || path.startsWith(`${part}|`)) ?? 'all'
}

function encodeParts(source: LookupSource, included: readonly Part[]): string {
  return `{${included.map((part) => `"${part}":${encodeGoJson(source[part]())}`).join(',')}}`
}

function valueOf(result: GjsonResult, path: string): GoValue | undefined {
  if (result.exhausted) throw new TemplateError(`the lookup path '${path}' is too expensive`)
  return exists(result) ? toGoValue(result) : undefined
}
