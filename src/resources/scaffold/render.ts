import { hash } from 'node:crypto'
import { known, type Reading, type Unknown, unknown } from '../../core/observation.ts'
import { missingValueIn, TemplateError } from '../../template/errors.ts'
import { fromPlain, type GoValue } from '../../template/govalue/index.ts'
import type { RenderedTree, ScaffoldSource } from '../../template/scaffold/index.ts'
import type { ResourceContext, TemplateView } from '../../resource-type/define.ts'
import { hasPost } from './post.ts'
import type { ScaffoldProperties } from './properties.ts'
import type { RenderedFile } from './state.ts'

const DEFAULT_DELIMITERS = { go: ['{{', '}}'], jet: ['[[', ']]'] } as const

/** A rendered tree with the fingerprints of its files, sorted by path. */
export interface Rendered {
  readonly files: readonly RenderedFile[]
  readonly directories: readonly string[]
}

/** Renders the templates of a scaffold in memory. Trouble with them is an `unknown` that names the file. */
export async function renderTree(
  source: ScaffoldSource,
  desired: ScaffoldProperties,
  context: ResourceContext,
): Promise<Reading<Rendered>> {
  const { renderScaffold, SourceError } = await import('../../template/scaffold/index.ts')
  const { name, engine, left_delimiter: left = '', right_delimiter: right = '', skip_empty: skipEmpty } = desired
  try {
    const { variables, functions } = viewOf(desired, context)
    const tree = await renderScaffold(source, {
      engine,
      delimiters: left === '' ? DEFAULT_DELIMITERS[engine] : [left, right],
      skipEmpty,
      target: name,
      context: new Map(variables),
      variables,
      functions,
      nil: 'refuse',
      signal: context.signal,
    })
    return known(describeTree(tree, desired))
  } catch (error) {
    if (error instanceof TemplateError) return unreadable(error)
    if (error instanceof SourceError) return error.reading
    throw error
  }
}

/** A value that could not be read says nothing about the template. */
function unreadable(error: TemplateError): Unknown {
  const reason = missingValueIn(error)?.certainty === 'unknown' ? 'not-observable' : 'template'
  return unknown(reason, error.hint === undefined ? error.message : `${error.message}, ${error.hint}`)
}

/** What the templates see. The data of the resource, where it has any, takes the place of the policy's. */
function viewOf({ data = {} }: ScaffoldProperties, { templates }: ResourceContext): TemplateView {
  const entries = Object.entries(data).map(([key, value]): [GoValue, GoValue] => [key, fromPlain(value)])
  const own = entries.length === 0 ? undefined : new Map(entries)
  if (templates !== undefined) return templates(own)
  const nothing = new Map<GoValue, GoValue>()
  const variables = new Map<string, GoValue>()
  for (const [names, values] of [
    [['facts', 'Facts'], nothing],
    [['data', 'Data'], own ?? nothing],
    [['environ', 'Environ'], nothing],
  ] as const) {
    for (const variable of names) variables.set(variable, values)
  }
  return { variables, functions: new Map() }
}

function describeTree({ files, directories }: RenderedTree, desired: ScaffoldProperties): Rendered {
  return {
    files: [...files].map(([path, bytes]) => ({
      path,
      bytes,
      digest: { sha256: hash('sha256', bytes, 'hex'), sizeBytes: bytes.length },
      hasPost: hasPost(desired, path),
    })),
    directories,
  }
}
