import { TemplateError } from '../../templates/errors.ts'
import { exists, getJson, toGoValue, type GjsonResult } from '../../templates/gjson/index.ts'
import { encodeGoJson, type GoValue } from '../../templates/govalue/index.ts'

/** The three parts of the document that lookups read; each is asked for only when a path may reach it. */
export interface LookupSource {
  readonly facts: () => GoValue
  readonly data: () => GoValue
  readonly environ: () => GoValue
}

/** Finds what a GJSON path selects; absent when it selects nothing. Throws `TemplateError` for a path too expensive. */
export type Lookup = (path: string) => GoValue | undefined

type Part = keyof LookupSource

// Members in the order of Go's encoder, which sorts keys: wildcards take the first that matches.
const parts: readonly Part[] = ['data', 'environ', 'facts']

/**
 * Prepares lookups in the document `{data, environ, facts}`. The JSON text of what a path may reach is made at the first
 * path that may, and what recent paths found is remembered. The values must not change afterwards.
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

// Policies look few paths up, but for every resource.
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

/** The part a path starts in. A path that starts with anything but a plain name may reach every part. */
function reachOf(path: string): Part | 'all' {
  return parts.find((part) => path === part || path.startsWith(`${part}.`) || path.startsWith(`${part}|`)) ?? 'all'
}

function encodeParts(source: LookupSource, included: readonly Part[]): string {
  return `{${included.map((part) => `"${part}":${encodeGoJson(source[part]())}`).join(',')}}`
}

function valueOf(result: GjsonResult, path: string): GoValue | undefined {
  if (result.exhausted) throw new TemplateError(`the lookup path '${path}' needs too much work`)
  return exists(result) ? toGoValue(result) : undefined
}
